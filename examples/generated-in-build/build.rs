//! Makes the bindings of external semaphores of both APIs, with their rules.

use clcu_codegen::{Builder, parts::Error};

fn main() -> Result<(), Error> {
    Builder::new()
        .only([
            "cuImportExternalSemaphore",
            "cuSignalExternalSemaphoresAsync",
            "cuWaitExternalSemaphoresAsync",
            "cuDestroyExternalSemaphore",
        ])
        .only([
            "cl_khr_semaphore",
            "cl_khr_external_semaphore",
            "cl_khr_external_semaphore_opaque_fd",
            "cl_khr_external_semaphore_sync_fd",
            "cl_khr_external_semaphore_win32",
        ])
        .rules(true)
        .write_to_out_dir("gpu.rs")?;
    Ok(())
}
