//! The mock drivers that were compiled along with this program.

include!(concat!(env!("OUT_DIR"), "/compiled.rs"));

/// The library of a source that was compiled with these arguments.
///
/// # Panics
/// If there is none.
pub(crate) fn library(source: &str, arguments: &[String]) -> &'static [u8] {
    let found = LIBRARIES.iter().find(|(name, compiled, _)| *name == source && *compiled == arguments);
    let Some((_, _, library)) = found else { panic!("tests/windows/build.rs has to compile {source} with {arguments:?}") };
    library
}
