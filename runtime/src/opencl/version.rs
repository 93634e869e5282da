//! Versions of OpenCL: in, what a platform says of itself, or the table of a command; out, numbers to compare.

use std::fmt;

/// A version, as 3.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    major: u32,
    minor: u32,
}

impl Version {
    /// The version that tables write as `"1.2"`; `None` for any other text.
    pub(super) fn new(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }

    /// The version in `CL_PLATFORM_VERSION`: `"OpenCL 3.0 "` and what the vendor adds.
    pub(super) fn of_platform(text: &str) -> Option<Self> {
        Self::new(text.strip_prefix("OpenCL ")?.split_ascii_whitespace().next()?)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_says_its_version_before_what_its_vendor_adds() {
        for (text, version) in [
            ("OpenCL 3.0 CUDA 13.0.97", Some("3.0")),
            ("OpenCL 1.2 ", Some("1.2")),
            ("OpenCL 2.10", Some("2.10")),
            ("OpenCL C 3.0", None),
            ("3.0", None),
            ("OpenCL ", None),
            ("OpenCL x.0", None),
        ] {
            assert_eq!(Version::of_platform(text).map(|version| version.to_string()).as_deref(), version, "{text}");
        }
    }

    #[test]
    fn a_minor_version_is_a_number_and_no_fraction() {
        assert!(Version::new("2.10") > Version::new("2.9"));
        assert!(Version::new("3.0") > Version::new("2.10"));
        assert_eq!(Version::new(""), None);
    }
}
