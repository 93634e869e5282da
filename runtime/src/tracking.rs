//! How closely the signals and waits of a semaphore are followed, for every API.
//!
//! Another party may signal and wait unseen, so nearly everything that looks wrong from here may be right. An error is only what no other
//! party can make right; stricter checks are for a semaphore that the caller declares exclusive.

/// How closely the signals and waits of a semaphore are followed.
///
/// By default [`Tracking::Shared`] where debug assertions are on, else [`Tracking::Off`].
///
/// Source: this crate. Upstream keeps no such state, and says of each API which signals and waits it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// Not at all: a signal or wait costs nothing beyond its check.
    Off,
    /// Counted, and refused where no other party can make it right.
    Shared,
    /// As [`Tracking::Shared`]; and nobody else signals the semaphore or waits for it until it is destroyed, so that a binary one is not
    /// signalled twice without a wait, nor waited for without a signal.
    Exclusive(Initially),
}

impl Default for Tracking {
    fn default() -> Self {
        if cfg!(debug_assertions) { Self::Shared } else { Self::Off }
    }
}

/// The state of a binary semaphore when it is declared exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initially {
    /// It is not known: the first operation may be either.
    Unknown,
    /// A wait would pass.
    Signaled,
    /// A wait would not pass.
    Unsignaled,
}

/// Signal or wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Signal,
    Wait,
}
