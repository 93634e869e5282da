//! Versions as the CUDA driver counts them, and what a difference between bindings and driver means.

use std::fmt;

/// A version of CUDA, 1000 times the major one plus 10 times the minor one: 13050 is 13.5.
///
/// Since CUDA 2.2. Source: `CUDA_VERSION`, `cuDriverGetVersion` of `cuda.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32);

impl Version {
    /// The 13 of 13.5.
    #[must_use]
    pub const fn major(self) -> u32 {
        self.0 / 1000
    }

    /// The 5 of 13.5.
    #[must_use]
    pub const fn minor(self) -> u32 {
        self.0 % 1000 / 10
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major(), self.minor())
    }
}

/// The versions of the two sides of a call: the header that the bindings were made from, and the driver.
///
/// Both orders work. Its `Display` says what to expect of the difference.
///
/// Since CUDA 2.2. Source: `CUDA_VERSION`, `cuDriverGetVersion` of `cuda.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Versions {
    /// The header's.
    pub bindings: Version,
    /// The driver's.
    pub driver: Version,
}

impl Versions {
    /// The driver is older than the header: it may refuse values and lack commands that the bindings have.
    #[must_use]
    pub fn driver_is_older(self) -> bool {
        self.driver < self.bindings
    }

    /// The major versions differ, between which upstream renumbers values and changes layouts: names of codes may be wrong.
    #[must_use]
    pub fn major_differs(self) -> bool {
        self.driver.major() != self.bindings.major()
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bindings, driver } = *self;
        write!(f, "bindings of CUDA {bindings}, driver for CUDA {driver}")?;
        if self.driver_is_older() {
            f.write_str(": a value or command that is newer than the driver fails, often with CUDA_ERROR_INVALID_VALUE")?;
        }
        if self.major_differs() {
            f.write_str("; between major versions values may be renumbered, so names of codes may be wrong")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_as_people_write_them() {
        assert_eq!(Version(13050).to_string(), "13.5");
        assert_eq!(Version(11080).to_string(), "11.8");
        assert_eq!(Version(2000).to_string(), "2.0");
    }

    /// B09, B13.
    #[test]
    fn an_older_driver_is_warned_about_and_a_newer_one_is_not() {
        let versions = |bindings, driver| Versions { bindings: Version(bindings), driver: Version(driver) };
        assert!(versions(12060, 12040).to_string().contains("bindings of CUDA 12.6, driver for CUDA 12.4: a value"));
        assert_eq!(versions(13000, 13050).to_string(), "bindings of CUDA 13.0, driver for CUDA 13.5");
        assert!(versions(13050, 12090).to_string().contains("renumbered"));
        assert!(versions(12090, 13000).to_string().contains("renumbered"));
    }
}
