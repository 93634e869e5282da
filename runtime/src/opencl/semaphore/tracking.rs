//! What a platform does not keep: which signals, waits, exports and re-imports were made here, and whether one of them cannot be right.
//!
//! An error is only what no other party can make right. A semaphore that was made here, or imported by copy, has no other party until it is
//! exported by reference or its handle is given out: so a signal of it with no wait since the last one is an error, and so is a second wait
//! with no signal since the first. Everything else is for a semaphore that the caller declares exclusive.
//!
//! Signals and waits are counted against each other, so that one of each may be ahead: upstream lets a wait be enqueued before its signal.

use std::{
    error, fmt,
    sync::{Arc, Mutex, PoisonError},
};

use clcu_sys::rules::{HandleType, Payload};

use crate::{
    opencl::event::{Event, Progress},
    trace,
    tracking::{Direction, Initially, Tracking},
};

/// What cannot be right of a signal, wait, export or re-import.
///
/// With `cl_khr_semaphore`. Source: the chapter on semaphores of the OpenCL API specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// A binary semaphore is signalled again without a wait between, and no other party can have waited.
    SignaledTwice {
        /// The handle type; what it is called that has none.
        handle_type: &'static str,
    },
    /// A binary semaphore is waited for again, or exported by copy, without a signal between, and no other party can have signalled.
    WaitedTwice {
        /// The handle type.
        handle_type: &'static str,
    },
    /// An exclusive binary semaphore is waited for, or exported by copy, and nothing signalled it.
    NeverSignaled {
        /// The handle type.
        handle_type: &'static str,
    },
    /// A sync file is re-imported, and the one before was neither waited for nor exported. Upstream does not say what becomes of it.
    NotConsumed,
    /// A sync file is re-imported, and the semaphore is not followed: nobody knows which commands that use it are still to be done.
    NotFollowed,
    /// A sync file is re-imported while commands that use the semaphore are still to be done. Upstream does not say what becomes of them.
    Pending {
        /// How many commands, as far as they were followed.
        commands: usize,
    },
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SignaledTwice { handle_type } => write!(
                f,
                "{handle_type}: signal without an intervening wait, of a semaphore that no other party has; a binary semaphore holds one \
                 signal. Wait for it first"
            ),
            Self::WaitedTwice { handle_type } => write!(
                f,
                "{handle_type}: second wait without an intervening signal, for a semaphore that no other party has; an export of a sync \
                 file counts as a wait. Signal it first"
            ),
            Self::NeverSignaled { handle_type } => write!(
                f,
                "{handle_type}: wait that nothing ends, for a semaphore that was declared exclusive and was not signalled. Signal it first, \
                 or do not declare it exclusive if another party signals"
            ),
            Self::NotConsumed => f.write_str(
                "re-import while the sync file that was imported before was neither waited for nor exported: what becomes of it is \
                 unspecified. Wait for it first, or use `Semaphore::reimport_regardless` if the driver is known to drop it",
            ),
            Self::NotFollowed => f.write_str(
                "re-import of a semaphore that is not followed: whether commands that use it are still to be done is not known, and what \
                 becomes of them is unspecified. Import it with `Tracking::Shared`, as `Source::sync_fd` does unless told otherwise, or use \
                 `Semaphore::reimport_regardless` and promise it",
            ),
            Self::Pending { commands } => write!(
                f,
                "re-import while {commands} of the commands that use the semaphore are still to be done: what becomes of them is \
                 unspecified. Wait for their events, or use `Semaphore::reimport_regardless` if the driver is known to keep them"
            ),
        }
    }
}

impl error::Error for Misuse {}

/// What was done with a semaphore from here.
///
/// Counts begin at 0, and those of all owners of the semaphore are one.
///
/// With `cl_khr_semaphore`. Source: `clEnqueueSignalSemaphoresKHR`, `clEnqueueWaitSemaphoresKHR`, `clGetSemaphoreHandleForTypeKHR` and
/// `clReImportSemaphoreSyncFdKHR` of the OpenCL API specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Signals that the platform took.
    pub signals: u64,
    /// Waits that the platform took.
    pub waits: u64,
    /// Exports of a copy of the payload, each of which has the effect of a wait.
    pub exported_copies: u64,
    /// Exports of a reference to the payload.
    pub exported_references: u64,
    /// Sync files that were imported again.
    pub reimports: u64,
    /// The highest value of a fence that was signalled from here.
    pub highest_signal: Option<u64>,
    /// The highest value of a fence that was waited for from here.
    pub highest_wait: Option<u64>,
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { signals, waits, exported_copies, exported_references, reimports, highest_signal, highest_wait } = self;
        write!(f, "own signals: {signals}, own waits: {waits}")?;
        if let Some(value) = highest_wait {
            write!(f, "; waited for {value}")?;
        }
        if let Some(value) = highest_signal {
            write!(f, "; highest own signal {value}")?;
        }
        for (count, what) in
            [(exported_copies, "exported by copy"), (exported_references, "exported by reference"), (reimports, "re-imported")]
        {
            if *count != 0 {
                write!(f, "; {what}: {count}")?;
            }
        }
        Ok(())
    }
}

/// Where a semaphore comes from, as far as its state goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// Made here: not signalled, and nobody else's.
    Created,
    /// Imported by copy: nobody else's. It is signalled where that is known.
    Copied { signaled: bool },
    /// Imported by reference, or made by somebody else: nothing is known.
    Unknown,
}

/// Commands that may still be to be done and are remembered. Forgetting one finds less, and never what is not there.
const COMMANDS: usize = 64;

#[derive(Debug, Default)]
struct State {
    stats: Stats,
    /// Signals less waits of a binary semaphore, where that is known.
    balance: Option<i32>,
    /// Nobody else can signal it or wait for it.
    is_ours: bool,
    /// A sync file was imported, and its payload is still there.
    unconsumed: bool,
    pending: Vec<Event>,
}

/// The state of one semaphore, if it is followed.
#[derive(Clone, Debug)]
pub(super) struct Tracker {
    row: Option<&'static HandleType>,
    exclusive: bool,
    state: Option<Arc<Mutex<State>>>,
}

impl Tracker {
    pub(super) fn new(row: Option<&'static HandleType>, beginning: Beginning, tracking: Tracking) -> Self {
        let balance = match (tracking, beginning) {
            (Tracking::Exclusive(Initially::Signaled), _) => Some(1),
            (Tracking::Exclusive(Initially::Unsignaled), _) | (_, Beginning::Created) => Some(0),
            (_, Beginning::Copied { signaled: true }) => Some(1),
            (_, Beginning::Copied { signaled: false } | Beginning::Unknown) => None,
        };
        let is_ours = beginning != Beginning::Unknown;
        let unconsumed = matches!(beginning, Beginning::Copied { .. });
        let state = State { balance, is_ours, unconsumed, ..State::default() };
        let exclusive = matches!(tracking, Tracking::Exclusive(_));
        Self { row, exclusive, state: (tracking != Tracking::Off).then(|| Arc::new(Mutex::new(state))) }
    }

    /// Whether the event of each command is wanted: where a re-import may come.
    #[inline]
    pub(super) fn wants_events(&self) -> bool {
        self.is_on() && self.row.is_some_and(|row| row.special_value.is_some())
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

    fn handle_type(&self) -> &'static str {
        self.row.map_or("a semaphore that was made from no handle", |row| row.name)
    }

    fn is_fence(&self) -> bool {
        self.row.is_some_and(|row| row.payload == Payload::Fence)
    }

    /// Whether a signal, a wait or an export by copy may be made. `before` is how many of the same come first in the same call.
    pub(super) fn judge(&self, direction: Direction, before: i32) -> Result<(), Misuse> {
        let Some(state) = self.locked() else { return Ok(()) };
        let handle_type = self.handle_type();
        let Some(balance) = state.balance else { return Ok(()) };
        if self.is_fence() || !(state.is_ours || self.exclusive) {
            return Ok(());
        }
        match direction {
            Direction::Signal if balance + before >= 1 => Err(Misuse::SignaledTwice { handle_type }),
            Direction::Wait if self.exclusive && balance - before <= 0 => Err(Misuse::NeverSignaled { handle_type }),
            Direction::Wait if balance - before < 0 => Err(Misuse::WaitedTwice { handle_type }),
            _ => Ok(()),
        }
    }

    /// The platform took a signal or wait.
    pub(super) fn made(&self, direction: Direction, value: Option<u64>, event: Option<&Event>) {
        let Some(mut state) = self.locked() else { return };
        let fence = value.filter(|_| self.is_fence());
        match direction {
            Direction::Signal => {
                state.stats.signals += 1;
                state.stats.highest_signal = state.stats.highest_signal.max(fence);
                // Of a semaphore whose state was unknown, a signal leaves one.
                state.balance = Some(state.balance.map_or(1, |balance| balance.saturating_add(1)));
            }
            Direction::Wait => {
                state.stats.waits += 1;
                state.stats.highest_wait = state.stats.highest_wait.max(fence);
                state.consumed();
            }
        }
        if let Some(event) = event {
            state.keep(event);
        }
    }

    /// The payload was exported, by copy or by reference.
    pub(super) fn exported(&self, by_copy: bool) {
        let Some(mut state) = self.locked() else { return };
        if by_copy {
            state.stats.exported_copies += 1;
            state.consumed();
        } else {
            state.stats.exported_references += 1;
            state.is_ours = false;
        }
    }

    /// Somebody else may signal it or wait for it from now on.
    pub(super) fn given_out(&self) {
        if let Some(mut state) = self.locked() {
            state.is_ours = false;
        }
    }

    /// Whether another sync file may be imported.
    #[cfg_attr(not(unix), allow(dead_code, reason = "sync files are of Linux"))]
    pub(super) fn judge_reimport(&self) -> Result<(), Misuse> {
        let mut state = self.locked().ok_or(Misuse::NotFollowed)?;
        state.forget_what_is_done();
        match state.pending.len() {
            0 if state.unconsumed && (state.is_ours || self.exclusive) => Err(Misuse::NotConsumed),
            0 => Ok(()),
            commands => Err(Misuse::Pending { commands }),
        }
    }

    /// Another sync file was imported; it is signalled where that is known. `None` where the platform refused: what is there now is unknown.
    #[cfg_attr(not(unix), allow(dead_code, reason = "sync files are of Linux"))]
    pub(super) fn reimported(&self, signaled: Option<bool>) {
        let Some(mut state) = self.locked() else { return };
        state.balance = (signaled == Some(true)).then_some(1);
        if signaled.is_some() {
            state.stats.reimports += 1;
            state.unconsumed = true;
        }
    }

    /// The semaphore is released.
    pub(super) fn ended(&self) {
        if let Some(stats) = self.stats() {
            trace::destroyed(self.handle_type(), &stats);
        }
    }
}

impl State {
    /// A wait, or what has its effect. Of a semaphore whose state was unknown, a wait leaves nothing.
    fn consumed(&mut self) {
        self.unconsumed = false;
        self.balance = Some(self.balance.map_or(0, |balance| balance.saturating_sub(1)));
    }

    fn keep(&mut self, event: &Event) {
        self.forget_what_is_done();
        if self.pending.len() == COMMANDS {
            self.pending.remove(0);
        }
        self.pending.push(event.clone());
    }

    /// An event that cannot be asked for is taken for one that is done.
    fn forget_what_is_done(&mut self) {
        self.pending.retain(|event| matches!(event.progress(), Ok(Progress::Pending(_))));
    }
}
