//! Which drivers and devices are here, and which kinds of handles each device imports and exports.
//!
//! `cargo run -p clcu --example devices`. What is not there is said with what was tried; nothing panics.

use std::{error::Error, process::ExitCode, sync::Arc};

use clcu::{
    cuda::{Device, Library},
    opencl,
};

/// Says what there is of one API.
type Say = fn() -> Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let mut said = 0;
    for (api, say) in [("CUDA", cuda_devices as Say), ("OpenCL", opencl_platforms)] {
        match say() {
            Ok(()) => said += 1,
            Err(error) => println!("{api}: {error}"),
        }
    }
    if said == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn cuda_devices() -> Result<(), Box<dyn Error>> {
    let library = Arc::new(Library::open()?);
    println!("CUDA: {}", library.driver());
    if let Some(versions) = library.versions() {
        println!("  {versions}");
    }
    println!("  commands that this driver lacks: {}", library.availability().absent.len());
    for device in Device::all(&library)? {
        println!("  device {}: {}", device.as_raw().0, device.name()?);
        println!("    UUID {}", device.uuid()?);
        if let Some(luid) = device.luid()? {
            println!("    LUID {luid}");
        }
        println!("    {:<12} {:<26} {:<12} {:<36} export", "kind", "handle type", "carries", "import");
        for one in device.capabilities() {
            let export = one.export.map_or_else(|| "never".to_owned(), |support| support.to_string());
            let (kind, payload) = (format!("{:?}", one.handle_type.kind), format!("{:?}", one.handle_type.payload));
            let import = one.import.to_string();
            println!("    {kind:<12} {:<26} {payload:<12} {import:<36} {export}", one.handle_type.short);
        }
    }
    Ok(())
}

fn opencl_platforms() -> Result<(), Box<dyn Error>> {
    let library = opencl::Library::open()?;
    println!("OpenCL: {}", library.driver());
    for platform in &library.platforms()?.usable {
        println!("  {}", platform.driver());
    }
    Ok(())
}
