//! NVIDIA's driver headers: `cuda.h`, its companions for OpenGL, EGL and VDPAU, and the `*Typedefs.h` that give versions.
//!
//! In: [`Headers`] and an open [`Libclang`]. Out: facts of one release: [`comments`](comments()) with their exact places.

pub mod comments;
mod declarations;
mod groups;
mod headers;
mod libclang;
mod neighbours;
mod scan;
#[cfg(test)]
mod testing;

pub use comments::{Comment, SubjectKind, comments};
pub use headers::Headers;
pub use libclang::Libclang;
