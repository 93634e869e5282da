//! A08: what a semaphore carries is part of its type: a value for a fence, nothing for a binary one, a key and a time for a mutex.

use clcu::cuda::{
    Error, ExternalSemaphore, Stream,
    semaphore::{Binary, Fence, KeyedMutex},
};

fn signal(
    stream: &Stream<'_>,
    binary: &ExternalSemaphore<Binary>,
    fence: &ExternalSemaphore<Fence>,
    mutex: &ExternalSemaphore<KeyedMutex>,
) -> Result<(), Error> {
    binary.signal(stream, 1)?;
    fence.signal(stream)?;
    mutex.wait(stream, 1)
}

fn main() {}
