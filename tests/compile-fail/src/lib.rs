//! Programs that must not compile, in `cases/`, each beside what the compiler says of it.
//!
//! They are a crate of their own because each is built with all that its crate depends on, a second time; here that is `clcu` alone.
