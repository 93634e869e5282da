//! The value of a constant, written in snapshots as the text that generated code holds.

use std::{fmt, str::FromStr};

/// A value. Its text form is at the same time a Rust literal, except for [`Value::PerPointerWidth`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// `12`, `-30`.
    Decimal(i128),
    /// `0x2058`: upstream writes it in hexadecimal.
    Hex(i128),
    /// `1 << 5`: upstream names the bit.
    Bit(u8),
    /// `0x4F50454E434C3331 | 0x434C3331`, 64-bit first: it depends on the width of a pointer.
    PerPointerWidth {
        /// Where pointers have 64 bits.
        wide: i128,
        /// Where pointers have 32 bits.
        narrow: i128,
    },
    /// `1.5f32`, `inff32`.
    F32(f32),
    /// `2.5f64`, `inff64`.
    F64(f64),
}

impl Value {
    /// The integer it stands for where pointers have 64 bits; `None` for a float.
    #[must_use]
    pub fn integer(self) -> Option<i128> {
        match self {
            Self::Decimal(number) | Self::Hex(number) => Some(number),
            Self::Bit(bit) => Some(1 << bit),
            Self::PerPointerWidth { wide, .. } => Some(wide),
            Self::F32(_) | Self::F64(_) => None,
        }
    }
}

/// `0x` and upper-case digits, with the sign before.
struct HexText(i128);

impl fmt::Display for HexText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}0x{:X}", self.0.unsigned_abs())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Decimal(number) => write!(f, "{number}"),
            Self::Hex(number) => write!(f, "{}", HexText(number)),
            Self::Bit(bit) => write!(f, "1 << {bit}"),
            Self::PerPointerWidth { wide, narrow } => write!(f, "{} | {}", HexText(wide), HexText(narrow)),
            Self::F32(number) => write!(f, "{number:?}f32"),
            Self::F64(number) => write!(f, "{number:?}f64"),
        }
    }
}

fn hex(text: &str) -> Option<i128> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let magnitude = u64::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?;
    Some(sign * i128::from(magnitude))
}

impl FromStr for Value {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let value = if let Some((wide, narrow)) = text.split_once(" | ") {
            hex(wide).zip(hex(narrow)).map(|(wide, narrow)| Self::PerPointerWidth { wide, narrow })
        } else if let Some(bit) = text.strip_prefix("1 << ") {
            bit.parse().ok().filter(|bit| *bit < 64).map(Self::Bit)
        } else if let Some(number) = text.strip_suffix("f32").filter(|_| !text.starts_with("0x")) {
            number.parse().ok().map(Self::F32)
        } else if let Some(number) = text.strip_suffix("f64").filter(|_| !text.starts_with("0x")) {
            number.parse().ok().map(Self::F64)
        } else if text.contains("0x") {
            hex(text).map(Self::Hex)
        } else {
            text.parse().ok().map(Self::Decimal)
        };
        value.ok_or_else(|| {
            format!("`{text}` is no value: wanted a decimal or hexadecimal integer, `1 << bit`, two of them joined by ` | `, or a float with its suffix")
        })
    }
}

/// Writes and reads a type as its text form, so that a leaf stays on one line of the snapshot.
macro_rules! serde_as_text {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(super) use serde_as_text;

serde_as_text!(Value);
