//! Which API a thing belongs to, and since and until when it exists.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// One of the two APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// NVIDIA's CUDA driver API.
    Cuda,
    /// Khronos's OpenCL API.
    OpenCl,
}

impl Api {
    /// Both, in the order in which everything lists them.
    pub const ALL: [Self; 2] = [Self::Cuda, Self::OpenCl];

    /// The name of its module, snapshot and cargo feature.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::OpenCl => "opencl",
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cuda => "CUDA",
            Self::OpenCl => "OpenCL",
        })
    }
}

/// A version of an API: `13.5` of CUDA, `3.0` of OpenCL. Written `"13.5"` in snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// The number before the dot.
    pub major: u16,
    /// The number after it.
    pub minor: u16,
}

impl Version {
    /// `major.minor`.
    #[must_use]
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    /// From the number that `CUDA_VERSION` and `PFN_…_vNNNNN` use: 13050 is 13.5.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // a release number has five digits
    pub const fn from_cuda_number(number: u32) -> Self {
        Self { major: (number / 1000) as u16, minor: (number % 1000 / 10) as u16 }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split_once('.')
            .and_then(|(major, minor)| Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? }))
            .ok_or_else(|| format!("`{text}` is no version: wanted two numbers with a dot between, such as `13.5`"))
    }
}

super::value::serde_as_text!(Version);

/// The last release that has a thing: `12.9` of CUDA, whose patch releases do not change the API; `3.0.16` of OpenCL, whose registry changes
/// within a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LastRelease {
    /// Its version.
    pub version: Version,
    /// Which state of the registry, for OpenCL.
    pub patch: Option<u16>,
}

impl From<Version> for LastRelease {
    fn from(version: Version) -> Self {
        Self { version, patch: None }
    }
}

impl fmt::Display for LastRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.patch {
            Some(patch) => write!(f, "{}.{patch}", self.version),
            None => self.version.fmt(f),
        }
    }
}

impl FromStr for LastRelease {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("`{text}` is no release: wanted two or three numbers with dots between, such as `13.5` or `3.0.16`");
        match text.match_indices('.').nth(1) {
            None => text.parse().map(|version: Version| version.into()).map_err(|_| wrong()),
            Some((at, _)) => {
                let version = text[..at].parse().map_err(|_| wrong())?;
                Ok(Self { version, patch: Some(text[at + 1..].parse().map_err(|_| wrong())?) })
            }
        }
    }
}

super::value::serde_as_text!(LastRelease);

/// Since when and until when a leaf exists, and what it takes to have it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lifetime {
    /// The first version that has it. For CUDA a release (the oldest one read means "then or earlier"); for OpenCL the core version,
    /// absent where only an extension has it.
    pub since: Option<Version>,
    /// The last release whose headers or registry have it, where a newer one does not.
    pub until: Option<LastRelease>,
    /// Since when upstream advises against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Version>,
    /// The extensions that bring it, any one of which is enough (OpenCL only).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// What was otherwise in older releases, oldest first. The newest holds under the plain name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Change>,
}

/// What an item or leaf was in older releases: written `value 0x1F until 11.8`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What of it changed, in one word: `value`, `type`, `alignment`, `member`.
    pub aspect: String,
    /// What it was.
    pub was: String,
    /// The last release in which it was so: `11.8`, or `3.0.15` for OpenCL, whose registry changes within a version.
    pub until: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} until {}", self.aspect, self.was, self.until)
    }
}

impl FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once(' ').and_then(|(aspect, rest)| {
            let (was, until) = rest.rsplit_once(" until ")?;
            Some(Self { aspect: aspect.to_owned(), was: was.to_owned(), until: until.to_owned() })
        });
        parts.ok_or_else(|| format!("`{text}` is no change: wanted `value 0x1F until 11.8`"))
    }
}

super::value::serde_as_text!(Change);
