//! Numbers that depend on the C ABI: sizes, alignments, offsets.

use std::{fmt, str::FromStr};

/// The three layouts that the supported systems have. On 64-bit systems LP64 and LLP64 agree for both APIs; import asserts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// 64-bit Linux, Windows and macOS.
    Wide,
    /// 32-bit Windows, where 64-bit integers are aligned to 8.
    WindowsI686,
    /// 32-bit Linux, where 64-bit integers are aligned to 4.
    LinuxI686,
}

impl Target {
    /// All three, in the order of [`PerTarget`].
    pub const ALL: [Self; 3] = [Self::Wide, Self::WindowsI686, Self::LinuxI686];
}

/// One number for each [`Target`]. Its text form is `96` where they agree, `96/92/92` where not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerTarget {
    /// [`Target::Wide`].
    pub wide: u64,
    /// [`Target::WindowsI686`].
    pub windows_i686: u64,
    /// [`Target::LinuxI686`].
    pub linux_i686: u64,
}

impl PerTarget {
    /// The same number everywhere.
    #[must_use]
    pub const fn same(number: u64) -> Self {
        Self { wide: number, windows_i686: number, linux_i686: number }
    }

    /// The number for `target`.
    #[must_use]
    pub const fn get(self, target: Target) -> u64 {
        match target {
            Target::Wide => self.wide,
            Target::WindowsI686 => self.windows_i686,
            Target::LinuxI686 => self.linux_i686,
        }
    }
}

impl fmt::Display for PerTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wide, windows_i686, linux_i686 } = *self;
        if wide == windows_i686 && wide == linux_i686 {
            write!(f, "{wide}")
        } else {
            write!(f, "{wide}/{windows_i686}/{linux_i686}")
        }
    }
}

impl FromStr for PerTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers: Option<Vec<u64>> = text.split('/').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[number]) => Ok(Self::same(number)),
            Some(&[wide, windows_i686, linux_i686]) => Ok(Self { wide, windows_i686, linux_i686 }),
            _ => Err(format!("`{text}` is no number per target: wanted `96`, or three as in `96/92/92`")),
        }
    }
}

super::value::serde_as_text!(PerTarget);
