//! The command `clcu`. Everything it does is in the library, except what it prints.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
