//! A06: a `File` has a size, and an exported object another one; what is imported is an `OwnedFd`, and its size is said.

use std::fs::File;

use clcu::cuda::memory::Source;

fn source(file: File) -> Source<'static> {
    Source::opaque_fd(file, 4096)
}

fn main() {}
