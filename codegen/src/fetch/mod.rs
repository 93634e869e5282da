//! Brings upstream inputs into the cache, each checked against its pin, or takes them from where the user has them.
//!
//! In: the pins of `spec/sources.toml` ([`Sources`]), and what the user names instead of them ([`Overrides`]). Out: a directory of CUDA
//! headers, the libclang that reads them, and a directory of OpenCL documents, all on this disk. It is a stage of its own because it is
//! the only one that needs a network: whatever comes after reads files, and works from the snapshots where none could be had.
//!
//! Headers and libclang are wheels, which `pip` downloads from whatever index it is configured for; OpenCL is a git repository. Both
//! programs are found on `PATH`.

mod at_hand;
mod cache;
mod child;
mod error;
mod git;
mod inputs;
mod newest;
mod pip;
mod sources;
mod wheel;

pub use at_hand::AtHand;
pub use cache::{Cache, Progress, Quiet};
pub use error::{FetchError, Reach};
pub use inputs::{CudaHeaders, Libclang, OpenClDocs, Overrides, cuda_headers, libclang, opencl_docs};
pub use newest::{CudaPin, OpenClState, newest_cuda, newest_opencl, opencl_state};
pub use pip::sha256;
pub use sources::{CudaRelease, Host, LibclangPins, OpenClPin, Sources, Wheel};
