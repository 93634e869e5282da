//! One event for each checked call: command, kind of handle, result, nanoseconds.
//!
//! In: what was called, and when it began. Out: an event of the `tracing` crate, with the feature of that name. Nobody listening costs one
//! relaxed load a call and no clock; without the feature it costs nothing.

use clcu_sys::{CommandInfo, rules::HandleType};

/// When a call began, if anybody wants to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Began(#[cfg(feature = "tracing")] Option<std::time::Instant>);

#[cfg(feature = "tracing")]
mod events {
    use super::{Began, CommandInfo, HandleType};

    /// The target of all events of this crate.
    const TARGET: &str = "clcu";

    impl Began {
        /// Now.
        #[inline]
        pub(crate) fn now() -> Self {
            Self(tracing::enabled!(target: TARGET, tracing::Level::DEBUG).then(std::time::Instant::now))
        }

        /// The call is over, with this status code. What it was about is asked for where somebody listens.
        #[inline]
        pub(crate) fn ended(self, command: &'static CommandInfo, about: impl FnOnce() -> Option<&'static HandleType>, result: i64) {
            if let Some(began) = self.0 {
                emit(began, command, about(), result);
            }
        }
    }

    #[cold]
    fn emit(began: std::time::Instant, command: &'static CommandInfo, handle_type: Option<&'static HandleType>, result: i64) {
        let nanoseconds = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let (command, handle_type) = (command.symbol.to_string_lossy(), handle_type.map_or("", |row| row.name));
        tracing::debug!(target: TARGET, %command, handle_type, result, nanoseconds, "call");
    }

    /// Something that a destructor could not report.
    pub(crate) fn lost(what: &str, error: &(dyn std::error::Error + 'static)) {
        tracing::warn!(target: TARGET, what, error, "lost");
    }

    /// Something that is likely a mistake, and may be none.
    pub(crate) fn suspicious(what: &str, value: u64, last: u64) {
        tracing::warn!(target: TARGET, what, value, last, "suspicious");
    }

    /// A driver of another major version than the bindings: names of codes may be wrong.
    pub(crate) fn versions(versions: &dyn std::fmt::Display) {
        tracing::warn!(target: TARGET, %versions, "versions");
    }

    /// The end of an object that was tracked.
    pub(crate) fn destroyed(handle_type: &str, stats: &dyn std::fmt::Display) {
        tracing::debug!(target: TARGET, handle_type, %stats, "destroyed");
    }
}

#[cfg(not(feature = "tracing"))]
mod events {
    use super::{Began, CommandInfo, HandleType};

    impl Began {
        #[inline]
        pub(crate) fn now() -> Self {
            Self()
        }

        #[inline]
        #[allow(clippy::unused_self)] // as with the feature
        pub(crate) fn ended(self, _: &'static CommandInfo, _: impl FnOnce() -> Option<&'static HandleType>, _: i64) {}
    }

    pub(crate) fn lost(_: &str, _: &(dyn std::error::Error + 'static)) {}
    pub(crate) fn suspicious(_: &str, _: u64, _: u64) {}
    pub(crate) fn versions(_: &dyn std::fmt::Display) {}
    pub(crate) fn destroyed(_: &str, _: &dyn std::fmt::Display) {}
}

pub(crate) use events::{destroyed, lost, suspicious, versions};
