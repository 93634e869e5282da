//! Commands of one driver, found on first use and kept: in, a command and a way to look for it; out, its address, or why it is not
//! there.

use std::{
    collections::BTreeMap,
    ffi::c_void,
    ptr::NonNull,
    sync::{Arc, Mutex, PoisonError},
};

use clcu_sys::{Api, Command, CommandInfo};

use crate::{
    error::{Availability, Driver, Missing, Needs},
    slots::{Slots, State},
};

/// What an owner of slots knows beyond them.
pub(crate) trait LookUp {
    /// The API of the driver.
    const API: Api;

    /// Looks for the command. `Err` is what the driver or the system says about its absence.
    fn look_up(&self, command: &'static CommandInfo) -> Result<NonNull<c_void>, String>;
    /// What the command needs, for the message.
    fn needs(&self, command: &'static CommandInfo) -> Needs;
}

/// The slots of one driver, and what was said about the empty ones.
#[derive(Debug)]
pub(crate) struct Resolved {
    slots: Slots,
    /// By index. Asked on the way to an error only.
    reasons: Mutex<BTreeMap<u16, String>>,
    pub(crate) driver: Arc<Driver>,
}

impl Resolved {
    pub(crate) fn new(commands: usize, driver: Arc<Driver>) -> Self {
        Self { slots: Slots::new(commands), reasons: Mutex::default(), driver }
    }

    /// The command's function: from its slot, or looked for.
    ///
    /// # Safety
    /// These slots are filled by `look_up`'s driver alone, and what it finds for a command is that command's function.
    #[inline]
    pub(crate) unsafe fn get<F: Copy, L: LookUp>(&self, command: Command<F>, look_up: &L) -> Result<F, Missing> {
        let info = command.info();
        // An index means nothing without its API. Both are known where a command is named, so that this costs nothing at run time.
        let known = if info.api == L::API { self.slots.address(info.index) } else { None };
        let address = match known {
            Some(address) => address,
            None => self.resolve(info, look_up)?,
        };
        // SAFETY: it is the address of this command in a driver of its API, as the caller promises and the comparison above makes sure;
        // its row promises the type; drivers are never unloaded.
        Ok(unsafe { command.function(address) })
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn resolve<L: LookUp>(&self, command: &'static CommandInfo, look_up: &L) -> Result<NonNull<c_void>, Missing> {
        if command.api != L::API {
            let reason = format!("it is a driver for {}", name_of(L::API));
            return Err(Missing { command, needs: Needs::Api(command.api), driver: Arc::clone(&self.driver), reason });
        }
        if let State::Address(address) = self.slots.state(command.index) {
            return Ok(address);
        }
        let known = self.slots.state(command.index) == State::Missing;
        let reason = match known.then(|| self.reasons().get(&command.index).cloned()).flatten() {
            Some(reason) => reason,
            None => match look_up.look_up(command) {
                Ok(address) => {
                    self.slots.set(command.index, Some(address));
                    return Ok(address);
                }
                Err(reason) => {
                    self.reasons().insert(command.index, reason.clone());
                    self.slots.set(command.index, None);
                    reason
                }
            },
        };
        Err(Missing { command, needs: look_up.needs(command), driver: Arc::clone(&self.driver), reason })
    }

    fn reasons(&self) -> std::sync::MutexGuard<'_, BTreeMap<u16, String>> {
        // Every state of the map is a good one, so a thread that panicked while it held the lock left nothing half done.
        self.reasons.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for all of `commands`.
    pub(crate) fn availability(&self, commands: impl Iterator<Item = &'static CommandInfo>, look_up: &impl LookUp) -> Availability {
        let mut availability = Availability { present: 0, absent: Vec::new() };
        for command in commands {
            match self.resolve(command, look_up) {
                Ok(_) => availability.present += 1,
                Err(missing) => availability.absent.push(missing),
            }
        }
        availability
    }
}

pub(crate) fn name_of(api: Api) -> &'static str {
    match api {
        Api::Cuda => "CUDA",
        Api::OpenCl => "OpenCL",
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    static COMMANDS: [CommandInfo; 2] = [row(0, c"there"), row(1, c"absent")];

    const fn row(index: u16, symbol: &'static std::ffi::CStr) -> CommandInfo {
        CommandInfo { index, ..CommandInfo::cuda(symbol, 0, "", "") }
    }

    /// Has the first command and counts how often it is asked.
    struct Half(Cell<u32>);

    impl LookUp for Half {
        const API: Api = Api::Cuda;

        fn look_up(&self, command: &'static CommandInfo) -> Result<NonNull<c_void>, String> {
            self.0.set(self.0.get() + 1);
            if command.index == 0 { Ok(NonNull::<u64>::dangling().cast()) } else { Err("not here".to_owned()) }
        }

        fn needs(&self, _: &'static CommandInfo) -> Needs {
            Needs::Unknown
        }
    }

    fn resolved() -> Resolved {
        Resolved::new(2, Arc::new(Driver { path: "test.so".into(), version: None, platform: None }))
    }

    #[test]
    fn a_command_is_looked_for_once_whether_it_is_there_or_not() {
        let (resolved, half) = (resolved(), Half(Cell::new(0)));
        for _ in 0..3 {
            assert!(resolved.resolve(&COMMANDS[0], &half).is_ok());
            assert!(resolved.resolve(&COMMANDS[1], &half).is_err());
        }
        assert_eq!(half.0.get(), 2);
    }

    #[test]
    fn a_missing_command_says_why_every_time() {
        let (resolved, half) = (resolved(), Half(Cell::new(0)));
        for _ in 0..2 {
            let missing = resolved.resolve(&COMMANDS[1], &half).expect_err("the second command is absent");
            assert_eq!(missing.reason, "not here");
            assert_eq!(missing.command.symbol, c"absent");
        }
    }

    #[test]
    fn a_command_of_the_other_api_is_refused_whatever_lies_at_its_index() {
        static OTHER: CommandInfo = CommandInfo::opencl(c"clOther", "", "");
        // SAFETY: nothing calls it.
        let other = unsafe { Command::<unsafe extern "system" fn()>::new(&OTHER) };
        let (resolved, half) = (resolved(), Half(Cell::new(0)));
        assert!(resolved.resolve(&COMMANDS[0], &half).is_ok());
        // SAFETY: `Half` alone fills the slots; what it finds is not called.
        let missing = unsafe { resolved.get(other, &half) }.expect_err("the slot at 0 is that of a command of CUDA");
        assert_eq!(missing.needs, Needs::Api(Api::OpenCl));
    }

    #[test]
    fn availability_counts_and_lists() {
        let (resolved, half) = (resolved(), Half(Cell::new(0)));
        let availability = resolved.availability(COMMANDS.iter(), &half);
        assert_eq!(availability.present, 1);
        assert_eq!(availability.absent.len(), 1);
        assert_eq!(availability.absent[0].command.symbol, c"absent");
    }
}
