//! Every call of `CloseHandle` that this program makes, by the standard library too.
//!
//! In: the table of imported functions that the system filled in when it loaded the program. Out: the handles that were closed by a thread
//! while it did something. The mock drivers are other modules with tables of their own: what they close is theirs, and not counted here.

use std::{
    cell::RefCell,
    ffi::c_void,
    ptr,
    sync::{
        Once,
        atomic::{AtomicUsize, Ordering},
    },
};

use windows_sys::{
    Win32::{
        Foundation::HANDLE,
        System::{
            Diagnostics::Debug::{IMAGE_DIRECTORY_ENTRY_IMPORT, IMAGE_NT_HEADERS64},
            LibraryLoader::{GetModuleHandleW, GetProcAddress},
            Memory::{PAGE_READWRITE, VirtualProtect},
            SystemServices::{IMAGE_DOS_HEADER, IMAGE_IMPORT_DESCRIPTOR},
        },
    },
    core::{BOOL, s, w},
};

type Close = unsafe extern "system" fn(HANDLE) -> BOOL;

/// The system's function.
static CLOSE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static CLOSED: RefCell<Option<Vec<HANDLE>>> = const { RefCell::new(None) };
}

/// What `work` gives, and every handle that this thread closed meanwhile, in order.
pub(crate) fn during<T>(work: impl FnOnce() -> T) -> (T, Vec<HANDLE>) {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(watch);
    CLOSED.set(Some(Vec::new()));
    let result = work();
    (result, CLOSED.take().expect("`during` is not used within `during`"))
}

unsafe extern "system" fn close(handle: HANDLE) -> BOOL {
    // A thread that ends closes handles when its variables are gone.
    let _ = CLOSED.try_with(|closed| closed.try_borrow_mut().map(|mut closed| closed.as_mut().map(|closed| closed.push(handle))));
    // SAFETY: the variable has been the system's function since before this function could be called.
    let system: Close = unsafe { std::mem::transmute::<usize, Close>(CLOSE.load(Ordering::Acquire)) };
    // SAFETY: as the caller promises.
    unsafe { system(handle) }
}

/// Puts [`close`] in the place of the system's function wherever this program imports it.
fn watch() {
    // SAFETY: both names are text that ends with a zero; the module is never unloaded.
    let system = unsafe { GetProcAddress(GetModuleHandleW(w!("kernel32.dll")), s!("CloseHandle")) };
    let system = system.expect("the system has it") as usize;
    CLOSE.store(system, Ordering::Release);
    let slots = slots(system);
    assert!(!slots.is_empty(), "this program imports CloseHandle");
    for slot in slots {
        let mut before = 0;
        // SAFETY: the slot is a pointer in the table of imports, which is this program's; other threads read it whole.
        unsafe {
            assert_ne!(VirtualProtect(slot.cast(), size_of::<usize>(), PAGE_READWRITE, &raw mut before), 0);
            slot.write_volatile(close as Close as usize);
        }
    }
}

/// Where the table of imports holds this function.
fn slots(function: usize) -> Vec<*mut usize> {
    let mut found = Vec::new();
    // SAFETY: null asks for the program itself, whose headers lie in memory as the system's types describe them, and whose tables end with
    // an entry of zeroes.
    unsafe {
        let program = GetModuleHandleW(ptr::null()).cast::<u8>();
        let within = |offset: u32| program.add(offset as usize).cast::<c_void>();
        let headers = program.cast::<IMAGE_DOS_HEADER>().read().e_lfanew;
        let headers = within(headers.cast_unsigned()).cast::<IMAGE_NT_HEADERS64>().read_unaligned();
        let table = headers.OptionalHeader.DataDirectory[usize::from(IMAGE_DIRECTORY_ENTRY_IMPORT)].VirtualAddress;
        let mut library = within(table).cast::<IMAGE_IMPORT_DESCRIPTOR>();
        while library.read_unaligned().FirstThunk != 0 {
            let mut slot = within(library.read_unaligned().FirstThunk).cast::<usize>();
            while slot.read() != 0 {
                if slot.read() == function {
                    found.push(slot);
                }
                slot = slot.add(1);
            }
            library = library.add(1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::os::windows::io::AsRawHandle as _;

    use crate::handles;

    #[test]
    fn a_handle_that_is_dropped_is_closed_once_and_seen() {
        let handle = handles::object();
        let number = handle.as_raw_handle();
        let ((), closed) = super::during(|| drop(handle));
        assert_eq!(closed, [number]);
    }
}
