//! NVIDIA's driver headers: `cuda.h`, its companions for OpenGL, EGL and VDPAU, and the `*Typedefs.h` that give versions.
//!
//! In: [`Headers`] and an open [`Libclang`]. Out: facts of one release: [`comments`](comments()) with their exact places.

mod bindings;
pub mod comments;
mod declarations;
pub mod facts;
mod groups;
mod header;
mod headers;
mod layouts;
mod libclang;
mod macros;
mod neighbours;
mod scan;
mod surveys;
#[cfg(test)]
mod testing;
mod typedefs;

pub use comments::{Comment, SubjectKind, comments};
pub use facts::Facts;
pub use header::import;
pub use headers::Headers;
pub use libclang::Libclang;
