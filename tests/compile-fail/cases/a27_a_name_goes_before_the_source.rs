//! A27: a descriptor pointed to a name whose buffer was gone.

use clcu::{
    cuda::{
        Current, ExternalSemaphore, ImportError,
        semaphore::{Fence, Source},
    },
    sys::rules::Utf16Name,
};

fn import(current: &Current<'_>) -> Result<ExternalSemaphore<Fence>, ImportError> {
    let source = {
        let units: Vec<u16> = "Global\\fence\0".encode_utf16().collect();
        Source::d3d12_fence_by_name(Utf16Name::new(&units).unwrap())
    };
    ExternalSemaphore::import(current, source)
}

fn main() {}
