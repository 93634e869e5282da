//! Which drivers are here, asked through the generated tables. Where there is none, the message says what was tried and what to do.

use std::{error::Error, process::ExitCode};

use clcu::{
    cuda, opencl,
    sys::{
        cuda::cuDriverGetVersion,
        opencl::{cl_platform_id, clGetPlatformIDs},
    },
};

fn main() -> ExitCode {
    let answers = [("CUDA", cuda_version()), ("OpenCL", opencl_platforms())];
    for (api, answer) in &answers {
        match answer {
            Ok(text) => println!("{api}: {text}"),
            Err(error) => eprintln!("{api}: {error}"),
        }
    }
    if answers.iter().any(|(_, answer)| answer.is_ok()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn cuda_version() -> Result<String, Box<dyn Error>> {
    let library = cuda::Library::open()?;
    let get_version = library.get(&cuDriverGetVersion)?;
    let mut version = 0;
    // SAFETY: the command writes one `int`.
    unsafe { get_version(&raw mut version) }.result()?;
    Ok(format!("driver for CUDA {}.{}, {}", version / 1000, version % 1000 / 10, library.driver().path.display()))
}

fn opencl_platforms() -> Result<String, Box<dyn Error>> {
    let library = opencl::Library::open()?;
    let get_platforms = library.get(&clGetPlatformIDs)?;
    let (mut platforms, mut count) = ([cl_platform_id::NULL; 16], 0);
    // SAFETY: there is room for 16 platforms.
    unsafe { get_platforms(16, platforms.as_mut_ptr(), &raw mut count) }.result()?;
    Ok(format!("{count} platforms, {}", library.driver().path.display()))
}
