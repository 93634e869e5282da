//! The pins: which upstream inputs there are, and the hash that each must have.
//!
//! In: `spec/sources.toml`. Out: [`Sources`], checked for what a person editing the file can get wrong.

use serde::Deserialize;
use toml::Spanned;

use crate::{
    finding::{Document, Finding, Findings},
    model::Version,
};

/// Every pinned input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    /// Releases of the CUDA headers, oldest first.
    pub cuda: Vec<CudaRelease>,
    /// The library that reads them.
    pub libclang: LibclangPins,
    /// The OpenCL registry and API text.
    pub opencl: OpenClPin,
}

/// One release of the CUDA headers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CudaRelease {
    /// The version of the API: what `CUDA_VERSION` in its `cuda.h` says.
    pub version: Version,
    /// The package that holds the headers.
    pub package: String,
    /// The release of the package: `13.5.37`.
    pub release: String,
    /// The platform whose wheel is taken, in pip's words. The headers are the same for all.
    pub platform: String,
    /// The size of the wheel.
    pub bytes: u64,
    /// The SHA-256 of the wheel.
    pub sha256: Spanned<String>,
    /// The SHA-256 of its `cuda.h`, by which the release is recognised in a directory that the user names.
    pub header: Spanned<String>,
    /// Whether it is read where no other is asked for.
    #[serde(default)]
    pub default: bool,
}

/// The library that reads the CUDA headers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibclangPins {
    /// The package that holds it.
    pub package: String,
    /// Its release.
    pub release: String,
    /// One wheel for each host.
    pub host: Vec<Host>,
}

/// A system on which `clcu` runs, and its wheel of libclang.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The system, as `std::env::consts::OS` names it.
    pub os: String,
    /// The processor, as `std::env::consts::ARCH` names it.
    pub arch: String,
    /// The platform of the wheel, in pip's words.
    pub platform: String,
    /// The file of the library.
    pub library: String,
    /// The size of the wheel.
    pub bytes: u64,
    /// The SHA-256 of the wheel.
    pub sha256: Spanned<String>,
}

/// The OpenCL registry and API text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenClPin {
    /// Where the repository is.
    pub repository: String,
    /// The commit, as git abbreviates it or in full.
    pub commit: String,
    /// The SHA-256 of `xml/cl.xml` there.
    pub sha256: Spanned<String>,
}

/// A wheel to be downloaded.
#[derive(Clone, Debug)]
pub struct Wheel<'a> {
    /// The package.
    pub package: &'a str,
    /// Its release.
    pub release: &'a str,
    /// The platform, in pip's words.
    pub platform: &'a str,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: &'a str,
}

impl CudaRelease {
    /// The name of its entry in the cache.
    #[must_use]
    pub fn entry(&self) -> String {
        format!("{}-{}", self.package, self.release)
    }

    /// Its wheel.
    #[must_use]
    pub fn wheel(&self) -> Wheel<'_> {
        Wheel {
            package: &self.package,
            release: &self.release,
            platform: &self.platform,
            bytes: self.bytes,
            sha256: self.sha256.get_ref(),
        }
    }
}

impl Sources {
    /// Reads `spec/sources.toml`.
    pub fn read(document: &Document) -> Result<Self, Findings> {
        let sources: Self = toml::from_str(document.text()).map_err(|error| {
            Finding::error("the list of sources cannot be read")
                .at(document.place(error.span().unwrap_or(0..0)))
                .found(error.message().to_owned())
        })?;
        let mut findings = Findings::default();
        let wheels = sources.cuda.iter().flat_map(|release| [&release.sha256, &release.header]);
        let pins = wheels.chain(sources.libclang.host.iter().map(|host| &host.sha256)).chain([&sources.opencl.sha256]);
        for pin in pins.filter(|pin| !is_sha256(pin.get_ref())) {
            findings.push(
                Finding::error("this is no SHA-256")
                    .at(document.place(pin.span()))
                    .found(format!("{} characters", pin.get_ref().chars().count()))
                    .wanted("64 hexadecimal digits in lower case"),
            );
        }
        let defaults = sources.cuda.iter().filter(|release| release.default).count();
        if defaults != 1 {
            findings.push(
                Finding::error("one release of the CUDA headers must be the default")
                    .at(document.place(0..0))
                    .found(format!("{defaults} with `default = true`"))
                    .wanted("1"),
            );
        }
        if let Some(pair) = sources.cuda.windows(2).find(|pair| pair[0].version >= pair[1].version) {
            findings.push(
                Finding::error("releases of the CUDA headers are listed oldest first, one for each version")
                    .at(document.place(pair[1].sha256.span()))
                    .found(format!("{} after {}", pair[1].version, pair[0].version)),
            );
        }
        findings.with(sources).map(|(sources, _)| sources)
    }

    /// The release of the CUDA headers that is read where no other is asked for; `None` only in a list that [`Self::read`] refuses.
    #[must_use]
    pub fn default_cuda(&self) -> Option<&CudaRelease> {
        self.cuda.iter().find(|release| release.default)
    }

    /// The release that the user calls `name`: a version (`13.5`) or a release (`13.5.37`).
    #[must_use]
    pub fn cuda_named(&self, name: &str) -> Option<&CudaRelease> {
        self.cuda.iter().find(|release| release.release == name || release.version.to_string() == name)
    }

    /// The wheel of libclang for the host that runs this program.
    #[must_use]
    pub fn this_host(&self) -> Option<&Host> {
        self.libclang.host.iter().find(|host| host.os == std::env::consts::OS && host.arch == std::env::consts::ARCH)
    }
}

impl Host {
    /// The name of its entry in the cache.
    #[must_use]
    pub fn entry(&self, pins: &LibclangPins) -> String {
        format!("{}-{}-{}-{}", pins.package, pins.release, self.os, self.arch)
    }

    /// Its wheel.
    #[must_use]
    pub fn wheel<'a>(&'a self, pins: &'a LibclangPins) -> Wheel<'a> {
        Wheel {
            package: &pins.package,
            release: &pins.release,
            platform: &self.platform,
            bytes: self.bytes,
            sha256: self.sha256.get_ref(),
        }
    }
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pins(edit: impl FnOnce(String) -> String) -> Result<Sources, Findings> {
        let zero = "0".repeat(64);
        let text = format!(
            "[[cuda]]\nversion = \"1.0\"\npackage = \"p\"\nrelease = \"1.0.1\"\nplatform = \"any\"\nbytes = 1\nsha256 = \"{zero}\"\n\
             header = \"{zero}\"\ndefault = true\n[libclang]\npackage = \"l\"\nrelease = \"1\"\n[[libclang.host]]\nos = \"linux\"\n\
             arch = \"x86_64\"\nplatform = \"any\"\nlibrary = \"l.so\"\nbytes = 1\nsha256 = \"{zero}\"\n[opencl]\nrepository = \"r\"\n\
             commit = \"c\"\nsha256 = \"{zero}\"\n"
        );
        Sources::read(&Document::new("sources.toml", &edit(text)))
    }

    #[test]
    fn the_committed_list_is_read_and_its_default_is_the_newest_release() {
        let sources = Sources::read(&Document::new("spec/sources.toml", clcu_spec::SOURCES)).expect("the committed file is right");
        let default = sources.default_cuda().expect("one is the default");
        assert_eq!(Some(&default.release), sources.cuda.last().map(|release| &release.release));
        assert_eq!(sources.cuda_named("13.5").map(|release| release.release.as_str()), Some("13.5.37"));
        assert_eq!(sources.cuda_named("13.5.37").map(|release| release.version), Some(Version::new(13, 5)));
        assert!(sources.cuda_named("13").is_none());
    }

    #[test]
    fn a_hash_that_is_cut_short_is_an_error_at_its_line() {
        let findings = pins(|text| text.replacen(&"0".repeat(64), &"0".repeat(63), 1)).expect_err("63 digits are no SHA-256");
        assert_eq!(findings.0.len(), 1, "{findings}");
        assert_eq!(findings.0[0].place.as_ref().map(crate::finding::Place::line), Some(7), "{findings}");
    }

    #[test]
    fn a_list_without_a_default_is_an_error() {
        assert!(pins(|text| text).is_ok());
        let findings = pins(|text| text.replace("default = true\n", "")).expect_err("none is the default");
        assert!(findings.to_string().contains("found 0 with `default = true`"), "{findings}");
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_it() {
        let findings = pins(|text| text.replace("commit", "comit")).expect_err("a misspelt key");
        assert!(findings.to_string().contains("unknown field `comit`"), "{findings}");
    }
}
