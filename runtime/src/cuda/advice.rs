//! What a driver's refusal likely means: in, the command, its answer and the kind of handle; out, a likely cause and a next step.
//!
//! Every line rests on what was measured on drivers or is documented. Where nothing is known, nothing is said.

use clcu_sys::{
    cuda::{self, CUresult},
    rules::{HandleKind, Owner, Payload, find_documented},
};

use super::error::CallError;

/// A likely cause and a next step; each may be empty.
///
/// Both are text of this crate, in English, which may change with each version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What is likely wrong.
    pub likely: &'static str,
    /// What to do or look at next.
    pub next: &'static str,
}

const NOTHING: Advice = Advice { likely: "", next: "" };

pub(super) fn of(error: &CallError) -> Advice {
    general(error.result).or_else(|| of_import(error)).or_else(|| of_earlier_work(error)).unwrap_or(NOTHING)
}

/// Codes that mean the same for every command.
fn general(result: CUresult) -> Option<Advice> {
    Some(match result {
        CUresult::CUDA_ERROR_NOT_INITIALIZED => {
            Advice { likely: "cuInit was not called in this process", next: "call `Library::init` first" }
        }
        CUresult::CUDA_ERROR_DEINITIALIZED => Advice {
            likely: "the process is ending and the driver is gone",
            next: "destroy CUDA objects before `main` returns, not in destructors of statics or thread-locals",
        },
        CUresult::CUDA_ERROR_INVALID_CONTEXT => Advice {
            likely: "no context is current on this thread, or the one that is was destroyed",
            next: "make the context current (`Context::enter`) for as long as calls are made",
        },
        CUresult::CUDA_ERROR_STUB_LIBRARY => Advice {
            likely: "the toolkit's stub was loaded instead of a driver",
            next: "take its directory out of the library path",
        },
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            Advice { likely: "the device, or the space of addresses, is full", next: "free or unmap something and try again" }
        }
        CUresult::CUDA_ERROR_TIMEOUT => Advice {
            likely: "the keyed mutex was not released with this key in time",
            next: "look whether the other side releases with the key that is waited for here",
        },
        _ => return None,
    })
}

/// Codes that an import answers with.
fn of_import(error: &CallError) -> Option<Advice> {
    let row = error.handle_type?;
    let command = error.command.symbol;
    if command != cuda::cuImportExternalMemory.info().symbol && command != cuda::cuImportExternalSemaphore.info().symbol {
        return None;
    }
    // A handle that is a number to which nobody holds a reference is a KMT handle.
    let kmt = row.owner_on_success == Owner::None;
    let fd = row.members.contains(&"handle.fd");
    Some(match error.result {
        CUresult::CUDA_ERROR_UNKNOWN if kmt => Advice {
            likely: "the handle is not a global KMT handle: NT handles (CreateSharedHandle) are of another kind and have types of their own",
            next: "pass what IDXGIResource::GetSharedHandle gives, or use the type for NT handles",
        },
        CUresult::CUDA_ERROR_UNKNOWN if row.members.contains(&"handle.win32.handle") => Advice {
            likely: "the handle is of another kind than its type says: an NT handle, not a KMT handle, is wanted here; or it is of another device",
            next: "look at how it was made, and compare the device's UUID or LUID (`Device::matching`)",
        },
        CUresult::CUDA_ERROR_UNKNOWN if fd => Advice {
            likely: "the file descriptor is open, but is not what its type says: drivers answer so to a pipe, an eventfd, or a handle of \
                     another driver or device",
            next: "export it with the counterpart of this handle type, and compare the device's UUID (`Device::matching`)",
        },
        CUresult::CUDA_ERROR_INVALID_VALUE if error.checked.is_clean() => Advice {
            likely: match row.kind {
                HandleKind::Memory => {
                    "this driver or system does not support the handle type, or size and flags are not those of the exported object"
                }
                _ => "this driver or system does not support the handle type: the descriptor itself passed every check",
            },
            next: "ask `Device::capabilities` which handle types there are; compare versions (`Library::versions`)",
        },
        CUresult::CUDA_ERROR_NOT_SUPPORTED => Advice {
            likely: "this handle type does not exist on this system or device",
            next: "ask `Device::capabilities` which handle types there are",
        },
        CUresult::CUDA_ERROR_INVALID_HANDLE => Advice {
            likely: "the handle is closed, or is of another kind than its type says",
            next: match row.payload {
                Payload::Binary => "a timeline semaphore and a binary one have handle types of their own: look at how it was made",
                _ => "look at how it was made, and that nobody closed it",
            },
        },
        CUresult::CUDA_ERROR_OPERATING_SYSTEM => Advice {
            likely: "the operating system refused the handle",
            next: "look at limits on open files, and at permissions of the device",
        },
        _ => return None,
    })
}

/// Commands that report what earlier work did.
fn of_earlier_work(error: &CallError) -> Option<Advice> {
    let earlier = find_documented(cuda::ERRORS, error.command)?;
    let listed = earlier.codes.is_some_and(|codes| codes.contains(&error.result));
    (earlier.earlier_errors && !listed).then_some(Advice {
        likely: "earlier work on the device may have failed: this command also reports that",
        next: "synchronise before this call to see which work it was",
    })
}
