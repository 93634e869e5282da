//! What the driver does not keep: which signals and waits were made here, and whether one of them cannot be right.
//!
//! Every imported semaphore has another party that signals and waits unseen, so nearly everything that looks wrong from here may be right.
//! An error is only what no other party can make right: on one stream, a signal of a timeline semaphore that is not above our own last one
//! there. On different streams a lower value may run first, and a fence of Direct3D may go back. Stricter checks are for a semaphore that
//! the caller declares exclusive. Work that is captured into a graph runs when the graph does, so it is counted and not judged.

use std::{
    error, fmt,
    sync::{Mutex, PoisonError},
};

use clcu_sys::rules::{HandleType, Payload};

use crate::{
    cuda::context::StreamKey,
    trace,
    tracking::{Direction, Initially, Tracking},
};

/// A signal or wait that cannot be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// A timeline semaphore only goes up, and on one stream our own last signal comes before this one.
    NotMonotonic {
        /// The handle type.
        handle_type: &'static str,
        /// Our own last signal on the stream.
        last: u64,
        /// What was to be signalled.
        value: u64,
    },
    /// An exclusive binary semaphore is signalled again without a wait between.
    SignaledTwice {
        /// The handle type.
        handle_type: &'static str,
    },
    /// An exclusive binary semaphore is waited for, and nothing signalled it.
    NeverSignaled {
        /// The handle type.
        handle_type: &'static str,
    },
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotMonotonic { handle_type, last, value } => write!(
                f,
                "{handle_type}: signal of {value} after one of {last} on the same stream; a timeline semaphore only goes up, and drivers accept \
                 this in silence. Signal {} or more, or import it with `Tracking::Off`",
                last.saturating_add(1)
            ),
            Self::SignaledTwice { handle_type } => write!(
                f,
                "{handle_type}: signal without an intervening wait, of a semaphore that was declared exclusive; a binary semaphore holds one \
                 signal. Wait for it first, or do not declare it exclusive if another party waits"
            ),
            Self::NeverSignaled { handle_type } => write!(
                f,
                "{handle_type}: wait that nothing ends, for a semaphore that was declared exclusive and was not signalled. Signal it first, or do \
                 not declare it exclusive if another party signals"
            ),
        }
    }
}

impl error::Error for Misuse {}

/// What was done with a semaphore from here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Signals that the driver took.
    pub signals: u64,
    /// Waits that the driver took.
    pub waits: u64,
    /// The highest value of a fence that was signalled from here.
    pub highest_signal: Option<u64>,
    /// The highest value of a fence that was waited for from here.
    pub highest_wait: Option<u64>,
    /// Signals of a Direct3D fence that did not go up on their stream: allowed, and likely a mistake.
    pub not_rising: u64,
    /// Signals and waits that went into a graph instead; they are in no other number.
    pub captured: u64,
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { signals, waits, highest_signal, highest_wait, not_rising, captured } = self;
        write!(f, "own signals: {signals}, own waits: {waits}")?;
        match (highest_wait, highest_signal) {
            (Some(wait), Some(signal)) => write!(f, "; waited for {wait}, highest own signal {signal}")?,
            (Some(wait), None) => write!(f, "; waited for {wait}, no own signal")?,
            (None, Some(signal)) => write!(f, "; no own wait, highest own signal {signal}")?,
            (None, None) => {}
        }
        if *not_rising != 0 {
            write!(f, "; signals that did not go up: {not_rising}")?;
        }
        if *captured != 0 {
            write!(f, "; captured: {captured}")?;
        }
        Ok(())
    }
}

/// Streams of which the last signal is kept. Forgetting one finds less, and never what is not there.
const STREAMS: usize = 16;

#[derive(Debug, Default)]
struct State {
    stats: Stats,
    /// Our own last signal on each stream, the latest stream last.
    last: Vec<(StreamKey, u64)>,
    /// Of an exclusive binary semaphore, as far as it is known.
    signaled: Option<bool>,
}

/// The state of one semaphore, if it is followed.
#[derive(Debug)]
pub(super) struct Tracker {
    row: &'static HandleType,
    exclusive: bool,
    state: Option<Mutex<State>>,
}

impl Tracker {
    pub(super) fn new(row: &'static HandleType, tracking: Tracking) -> Self {
        let signaled = match tracking {
            Tracking::Exclusive(Initially::Signaled) => Some(true),
            Tracking::Exclusive(Initially::Unsignaled) => Some(false),
            _ => None,
        };
        let state = (tracking != Tracking::Off).then(|| Mutex::new(State { signaled, ..State::default() }));
        Self { row, exclusive: matches!(tracking, Tracking::Exclusive(_)), state }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.state.is_some()
    }

    pub(super) fn stats(&self) -> Option<Stats> {
        Some(self.locked()?.stats)
    }

    fn locked(&self) -> Option<std::sync::MutexGuard<'_, State>> {
        // Every state is a good one, so a thread that panicked while it held the lock left nothing half done.
        self.state.as_ref().map(|state| state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether an operation may be made. `before` are those on the same semaphore that come first in the same call.
    pub(super) fn judge(
        &self,
        direction: Direction,
        stream: StreamKey,
        value: Option<u64>,
        before: impl Iterator<Item = Option<u64>>,
    ) -> Result<(), Misuse> {
        let Some(state) = self.locked() else { return Ok(()) };
        let handle_type = self.row.name;
        let (mut last, mut signaled) = (state.last.iter().find(|(key, _)| *key == stream).map(|(_, last)| *last), state.signaled);
        for earlier in before {
            last = earlier.or(last);
            signaled = Some(direction == Direction::Signal);
        }
        match (self.row.payload, direction, value, last) {
            // Direct3D lets a fence go back: that is counted when it is made.
            (Payload::Fence, Direction::Signal, Some(value), Some(last)) if value <= last && self.row.d3d.is_empty() => {
                Err(Misuse::NotMonotonic { handle_type, last, value })
            }
            (Payload::Binary, Direction::Signal, ..) if self.exclusive && signaled == Some(true) => {
                Err(Misuse::SignaledTwice { handle_type })
            }
            (Payload::Binary, Direction::Wait, ..) if self.exclusive && signaled == Some(false) => {
                Err(Misuse::NeverSignaled { handle_type })
            }
            _ => Ok(()),
        }
    }

    /// The driver took an operation.
    pub(super) fn made(&self, direction: Direction, stream: StreamKey, value: Option<u64>) {
        let Some(mut state) = self.locked() else { return };
        let state = &mut *state;
        state.signaled = Some(direction == Direction::Signal);
        let fence = value.filter(|_| self.row.payload == Payload::Fence);
        match direction {
            Direction::Signal => {
                state.stats.signals += 1;
                state.stats.highest_signal = state.stats.highest_signal.max(fence);
                if let Some(value) = fence {
                    state.keep_last(stream, value, !self.row.d3d.is_empty());
                }
            }
            Direction::Wait => {
                state.stats.waits += 1;
                state.stats.highest_wait = state.stats.highest_wait.max(fence);
            }
        }
    }

    /// The driver took an operation into a graph.
    pub(super) fn captured(&self) {
        if let Some(mut state) = self.locked() {
            state.stats.captured += 1;
            // When the graph runs, and how often, is not seen from here.
            state.signaled = None;
        }
    }

    /// The semaphore is destroyed.
    pub(super) fn ended(&self) {
        if let Some(stats) = self.stats() {
            trace::destroyed(self.row.name, &stats);
        }
    }
}

impl State {
    fn keep_last(&mut self, stream: StreamKey, value: u64, may_go_back: bool) {
        let known = self.last.iter().position(|(key, _)| *key == stream).map(|at| self.last.remove(at).1);
        let last = match known {
            Some(last) if value <= last && may_go_back => {
                self.stats.not_rising += 1;
                trace::suspicious("a fence was signalled with a value that is not above the last one on the stream", value, last);
                value
            }
            // Two threads may have signalled in one order and come here in the other.
            Some(last) if !may_go_back => last.max(value),
            _ => value,
        };
        if self.last.len() == STREAMS {
            self.last.remove(0);
        }
        self.last.push((stream, last));
    }
}

#[cfg(test)]
mod tests {
    use clcu_sys::cuda::CUexternalSemaphoreHandleType;

    use super::*;
    use crate::cuda::kind;

    fn tracker(handle_type: u32) -> Tracker {
        let row = kind::of_semaphore(CUexternalSemaphoreHandleType(handle_type)).expect("the table has it");
        Tracker::new(row, Tracking::Shared)
    }

    fn stream(id: u64) -> StreamKey {
        StreamKey::of_id(id)
    }

    #[test]
    fn threads_that_record_in_another_order_than_they_signalled_lower_nothing() {
        let timeline = tracker(9);
        timeline.made(Direction::Signal, stream(1), Some(6));
        timeline.made(Direction::Signal, stream(1), Some(5));
        assert_eq!(timeline.stats().map(|stats| stats.not_rising), Some(0));
        let judged = timeline.judge(Direction::Signal, stream(1), Some(6), std::iter::empty());
        assert!(matches!(judged, Err(Misuse::NotMonotonic { last: 6, value: 6, .. })), "{judged:?}");
    }

    #[test]
    fn a_stream_that_was_forgotten_raises_no_alarm_and_the_others_are_kept() {
        let timeline = tracker(9);
        for id in 0..=STREAMS as u64 {
            timeline.made(Direction::Signal, stream(id), Some(100));
        }
        assert_eq!(timeline.judge(Direction::Signal, stream(0), Some(1), std::iter::empty()), Ok(()));
        assert!(timeline.judge(Direction::Signal, stream(1), Some(1), std::iter::empty()).is_err());
    }
}
