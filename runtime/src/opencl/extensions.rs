//! A list of extensions as OpenCL gives it: in, names between white space; out, whether one of them is a given name, whole.

use std::collections::BTreeSet;

/// The names that a platform or device lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extensions(BTreeSet<Box<str>>);

impl Extensions {
    pub(crate) fn new(list: &str) -> Self {
        Self(list.split_ascii_whitespace().map(Box::from).collect())
    }

    /// `cl_khr_external_semaphore` is not listed because `cl_khr_external_semaphore_sync_fd` is.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    pub(crate) fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    pub(crate) fn extend(&mut self, list: &str) {
        self.0.extend(list.split_ascii_whitespace().map(Box::from));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(AsRef::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_whole_only() {
        let listed = Extensions::new(" cl_khr_external_semaphore_sync_fd  cl_khr_fp64\tcl_ext_float_atomics\n");
        assert!(listed.has("cl_khr_external_semaphore_sync_fd"));
        assert!(listed.has("cl_ext_float_atomics"));
        assert!(!listed.has("cl_khr_external_semaphore"));
        assert!(!listed.has("cl_khr_fp"));
        assert!(!listed.has(""));
    }

    #[test]
    fn an_empty_list_has_nothing() {
        assert_eq!(Extensions::new("  ").iter().count(), 0);
        assert!(!Extensions::default().has_any(&["cl_khr_semaphore"]));
    }
}
