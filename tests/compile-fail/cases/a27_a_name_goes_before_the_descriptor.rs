//! A27: the same for the descriptor itself.

use clcu::sys::{cuda::CUDA_EXTERNAL_MEMORY_HANDLE_DESC as Descriptor, rules::Utf16Name};

fn main() {
    let units = vec![71_u16, 0];
    let descriptor = Descriptor::d3d12_resource_by_name(Utf16Name::new(&units).unwrap(), 4096);
    drop(units);
    println!("{:?}", descriptor.as_ptr());
}
