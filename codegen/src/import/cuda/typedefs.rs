//! The versions of commands, out of the names of typedefs.
//!
//! In: `PFN_cuMemcpy_v7000_ptds`. Out: the command's public name, the version that `cuGetProcAddress` takes, and whether it is the variant for the
//! per-thread default stream.

/// Takes the name of a typedef apart.
pub(super) fn versioned(typedef: &str) -> Option<(String, u32, bool)> {
    let rest = typedef.strip_prefix("PFN_")?;
    let plain = rest.strip_suffix("_ptds").or_else(|| rest.strip_suffix("_ptsz"));
    let (name, version) = plain.unwrap_or(rest).rsplit_once("_v")?;
    Some((name.to_owned(), version.parse().ok()?, plain.is_some()))
}

#[cfg(test)]
mod tests {
    use super::versioned;

    #[test]
    fn a_version_and_a_variant_are_read() {
        assert_eq!(versioned("PFN_cuInit_v2000"), Some(("cuInit".to_owned(), 2000, false)));
        assert_eq!(versioned("PFN_cuMemcpy_v7000_ptds"), Some(("cuMemcpy".to_owned(), 7000, true)));
        assert_eq!(versioned("PFN_cuQuery_v7000_ptsz"), Some(("cuQuery".to_owned(), 7000, true)));
    }

    #[test]
    fn a_name_without_a_version_is_not_taken() {
        assert_eq!(versioned("PFN_cuInit"), None);
        assert_eq!(versioned("PFN_cuInit_vX"), None);
        assert_eq!(versioned("CUhostFn"), None);
    }
}
