//! `clcu fetch`: brings every pinned input into the cache, and says where each is.

use super::{arguments::Upstream, exit::Failure, session::Session};

pub(crate) fn run(session: &Session, upstream: &Upstream) -> Result<(), Failure> {
    let located = session.locate(upstream)?;
    let screen = session.screen;
    if let Ok(cuda) = &located.cuda {
        screen.report(&format!("CUDA {}: {}", cuda.headers.release, session.shown(&cuda.headers.include)));
        let note = if cuda.libclang.pinned { "" } else { " (not the pinned one: output may differ)" };
        screen.report(&format!("libclang: {}{note}", session.shown(&cuda.libclang.library)));
    }
    if let Ok(docs) = &located.opencl {
        let note = if docs.commit.is_some() { "" } else { " (not the pinned state)" };
        screen.report(&format!("OpenCL {}: {}{note}", docs.state(), session.shown(&docs.registry)));
    }
    Failure::of(located.cuda.as_ref().err().into_iter().chain(located.opencl.as_ref().err())).map_or(Ok(()), Err)
}
