//! Which drivers and devices are here, and which kinds of handles each device imports and exports.
//!
//! `cargo run -p clcu --example devices`. What is not there is said with what was tried; nothing panics.

use std::{error::Error, fmt::Display, process::ExitCode, sync::Arc};

use clcu::{
    cuda,
    opencl::{
        self,
        capabilities::{Capabilities, Support},
    },
    sys::{
        opencl::cl_semaphore_type_khr,
        rules::{HandleType, Payload},
    },
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

/// The columns are the same for both APIs.
fn head() {
    println!("    {:<12} {:<26} {:<12} {:<42} export", "kind", "handle type", "carries", "import");
}

fn row(kind: &str, handle_type: &HandleType, carries: &dyn Display, import: &dyn Display, export: Option<&dyn Display>) {
    let short = handle_type.short;
    let (carries, import) = (carries.to_string(), import.to_string());
    let export = export.map_or_else(|| "never".to_owned(), ToString::to_string);
    println!("    {kind:<12} {short:<26} {carries:<12} {import:<42} {export}");
}

fn cuda_devices() -> Result<(), Box<dyn Error>> {
    let library = Arc::new(cuda::Library::open()?);
    println!("CUDA: {}", library.driver());
    if let Some(versions) = library.versions() {
        println!("  {versions}");
    }
    println!("  commands that this driver lacks: {}", library.availability().absent.len());
    cuda::Device::all(&library)?.iter().for_each(cuda_device);
    Ok(())
}

/// What one device does not say stands in the way of nothing else.
fn cuda_device(device: &cuda::Device) {
    let name = device.name().unwrap_or_else(|error| format!("unnamed, {error}"));
    println!("  device {}: {name}", device.as_raw().0);
    match device.uuid() {
        Ok(uuid) => println!("    UUID {uuid}"),
        Err(error) => println!("    its UUID is not known: {error}"),
    }
    match device.luid() {
        Ok(Some(luid)) => println!("    LUID {luid}"),
        Ok(None) => {}
        Err(error) => println!("    its LUID is not known: {error}"),
    }
    head();
    for one in device.capabilities() {
        let carries = format!("{:?}", one.handle_type.payload);
        let kind = if one.is_pool { "Pool".to_owned() } else { format!("{:?}", one.handle_type.kind) };
        row(&kind, one.handle_type, &carries, &one.import, one.export.as_ref().map(|export| export as _));
    }
}

fn opencl_platforms() -> Result<(), Box<dyn Error>> {
    let library = opencl::Library::open()?;
    println!("OpenCL: {}", library.driver().path.display());
    let platforms = library.platforms()?;
    if platforms.null_entries > 0 {
        println!("  drivers that failed to load: {}", platforms.null_entries);
    }
    for platform in platforms.usable.into_iter().map(Arc::new) {
        println!("  {}", platform.driver());
        for asked in platform.capabilities().asked() {
            println!("    {asked}");
        }
        match opencl::Device::all(&platform) {
            Ok(devices) => devices.iter().enumerate().for_each(|(number, device)| opencl_device(number, device)),
            Err(error) => println!("    its devices cannot be listed: {error}"),
        }
    }
    Ok(())
}

fn opencl_device(number: usize, device: &opencl::Device) {
    let name = device.name().unwrap_or_else(|error| format!("unnamed, {error}"));
    println!("  device {number}: {name}");
    let capabilities = device.capabilities();
    head();
    for one in capabilities.rows() {
        let payload = match (one.handle_type.payload, one.semaphore_type) {
            (Payload::Unspecified, Some(cl_semaphore_type_khr::CL_SEMAPHORE_TYPE_BINARY_KHR)) => Payload::Binary,
            (stated, _) => stated,
        };
        let carries = format!("{payload:?}");
        row(
            &format!("{:?}", one.handle_type.kind),
            one.handle_type,
            &carries,
            &one.import,
            one.export.as_ref().map(|export| export as _),
        );
    }
    linear_images(&capabilities);
    for (query, number) in capabilities.unknown_handle_types() {
        println!("    {query} lists {number:#06X}, which these bindings do not know");
    }
}

fn linear_images(capabilities: &Capabilities) {
    let is_linear = |one: &opencl::capabilities::Capability| matches!(one.linear_images, Some(Support::Yes(_)));
    let linear: Vec<_> = capabilities.rows().into_iter().filter(is_linear).map(|one| one.handle_type.short).collect();
    if !linear.is_empty() {
        println!("    linear images in memory of: {}", linear.join(", "));
    }
}
