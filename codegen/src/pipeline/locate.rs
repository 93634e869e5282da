//! Which upstream inputs are in reach.
//!
//! In: the pins, and what the user named. Out: for each API its inputs, or why there are none. All of them are looked for at the same
//! time, because each mostly waits for a network.

use std::{panic::resume_unwind, thread};

use crate::fetch::{self, Cache, CudaHeaders, CudaRelease, FetchError, Libclang, OpenClDocs, Overrides, Progress, Sources};

/// What it takes to read the CUDA headers.
#[derive(Clone, Debug)]
pub struct Cuda {
    /// The headers.
    pub headers: CudaHeaders,
    /// The library that reads them.
    pub libclang: Libclang,
    /// They are no older than the release that is read by default, so that a decision without use for them is out of date.
    pub newest: bool,
}

impl Cuda {
    /// `headers`, read by `libclang`.
    #[must_use]
    pub fn new(sources: &Sources, headers: CudaHeaders, libclang: Libclang) -> Self {
        let older = sources.cuda.iter().any(|release| release.release == headers.release && !release.default);
        Self { headers, libclang, newest: !older }
    }
}

/// The inputs of each API, or why there are none.
#[derive(Debug)]
pub struct Located {
    /// CUDA's.
    pub cuda: Result<Cuda, FetchError>,
    /// OpenCL's.
    pub opencl: Result<OpenClDocs, FetchError>,
}

/// Looks for all inputs, and downloads those that are pinned and not in the cache.
pub fn locate(sources: &Sources, release: &CudaRelease, cache: &Cache, overrides: &Overrides, progress: &dyn Progress) -> Located {
    thread::scope(|scope| {
        let libclang = scope.spawn(|| fetch::libclang(sources, cache, overrides, progress));
        let opencl = scope.spawn(|| fetch::opencl_docs(sources, cache, overrides, progress));
        let headers = fetch::cuda_headers(sources, release, cache, overrides, progress);
        let libclang = libclang.join().unwrap_or_else(|panic| resume_unwind(panic));
        let opencl = opencl.join().unwrap_or_else(|panic| resume_unwind(panic));
        // Both are reported by the one that matters more: without headers there is nothing to read.
        Located { cuda: headers.and_then(|headers| Ok(Cuda::new(sources, headers, libclang?))), opencl }
    })
}
