//! Where the installed C headers of OpenCL and `cl.xml` differ, and why.
//!
//! The headers (Debian's, of 2023) are older than `cl.xml`. A difference that is not here fails the tests that compare them, and so does
//! an explanation that no longer explains anything.

use std::collections::BTreeSet;

/// A name, and why the headers say something else of it.
pub type Explanation = (&'static str, &'static str);

/// Of values.
pub const VALUES: &[Explanation] = &[(
    "CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR",
    "cl_khr_command_buffer_mutable_dispatch is experimental: a later revision moved it to another type, where it is 0",
)];

/// Of types and layouts, on 64-bit systems.
pub const TYPES: &[Explanation] = &[(
    "cl_mutable_dispatch_config_khr",
    "cl_khr_command_buffer_mutable_dispatch is experimental: a later revision dropped the members `type` and `next`",
)];

/// Of types and layouts, on 32-bit Linux besides.
pub const TYPES_OF_LINUX_I686: &[Explanation] = &[(
    "cl_queue_family_properties_intel",
    "cl.xml aligns cl_ulong to 8 everywhere; these headers leave it to the compiler, which on 32-bit Linux aligns it to 4 in a struct",
)];

const PROPERTIES: &str = "cl_khr_command_buffer is experimental: a later revision added the parameter `properties`";

/// Of functions.
pub const FUNCTIONS: &[Explanation] = &[
    ("clCommandBarrierWithWaitListKHR", PROPERTIES),
    ("clCommandCopyBufferKHR", PROPERTIES),
    ("clCommandCopyBufferRectKHR", PROPERTIES),
    ("clCommandCopyBufferToImageKHR", PROPERTIES),
    ("clCommandCopyImageKHR", PROPERTIES),
    ("clCommandCopyImageToBufferKHR", PROPERTIES),
    ("clCommandFillBufferKHR", PROPERTIES),
    ("clCommandFillImageKHR", PROPERTIES),
    (
        "clUpdateMutableCommandsKHR",
        "cl_khr_command_buffer_mutable_dispatch is experimental: a later revision replaced one configuration by lists of them",
    ),
];

/// Of functions, in names of types only: with typedefs resolved they are the same.
pub const FUNCTIONS_BY_NAME: &[Explanation] = &[(
    "clCommandNDRangeKernelKHR",
    "cl_khr_command_buffer is experimental: a later revision renamed the type of `properties`, which the headers do not know",
)];

/// Asserts that exactly the explained names differ.
///
/// # Panics
/// If another name differs, or an explained one does not.
pub fn assert_explained(different: &BTreeSet<String>, explained: &[&[Explanation]]) {
    let explained: BTreeSet<String> = explained.concat().iter().map(|(name, _)| (*name).to_owned()).collect();
    let unexplained: Vec<&String> = different.difference(&explained).collect();
    assert!(unexplained.is_empty(), "differ from the headers without an explanation: {unexplained:?}");
    let stale: Vec<&String> = explained.difference(different).collect();
    assert!(stale.is_empty(), "explained, and no longer different: {stale:?}");
}
