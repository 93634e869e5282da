//! One program for every driver since CUDA 11.7: does what the driver can, and lists what it lacks.
//!
//! Nothing chooses a version of CUDA when this is built. What is newer than the driver is missing when it is asked for, and says what it needs;
//! what the headers no longer declare says so.

use std::{collections::BTreeMap, error::Error, process::ExitCode};

use clcu::{Needs, cuda, sys};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let library = cuda::Library::open()?;
    library.init()?;
    let version = library.version().ok_or("the driver does not say its version")?;
    let get_count = library.get(&sys::cuda::cuDeviceGetCount)?;
    let mut count = 0;
    // SAFETY: the command writes one `int`.
    unsafe { get_count(&raw mut count) }.result()?;
    println!("driver for CUDA {version}, {count} devices");

    let availability = library.availability();
    println!("{} commands are there, {} are missing", availability.present, availability.absent.len());
    let mut newer: BTreeMap<cuda::Version, Vec<String>> = BTreeMap::new();
    let (mut gone, mut other) = (Vec::new(), Vec::new());
    for missing in &availability.absent {
        let symbol = missing.command.symbol.to_string_lossy().into_owned();
        match missing.needs {
            Needs::CudaDriver(needed) if needed > version => newer.entry(needed).or_default().push(symbol),
            _ if !missing.command.until.is_empty() => gone.push(format!("{symbol} (in headers until {})", missing.command.until)),
            _ => other.push(symbol),
        }
    }
    for (needed, symbols) in &newer {
        println!("needs a driver for CUDA {needed}: {}", symbols.join(", "));
    }
    for (what, symbols) in [("no longer in the headers", gone), ("not in this driver", other)] {
        if !symbols.is_empty() {
            println!("{what}: {}", symbols.join(", "));
        }
    }
    Ok(())
}
