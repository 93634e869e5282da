//! What is known of the context of a call, and which rules are waived.

use std::ffi::c_char;

use clcu_sys::rules::{Fact, Given, System};

use crate::{
    boundary::{Outcome, answer, answer_or, array, exclusive, text, write},
    status::clcu_status,
    tables,
};

/// What is known of the context of a call: the facts that rules ask for, and the rules that are waived. What is not given is not known: a
/// rule that needs it comes back as not checked.
#[allow(non_camel_case_types)] // the name is C's
#[derive(Clone, Debug, Default)]
pub struct clcu_context {
    /// The facts that are numbers.
    numbers: Given<'static>,
    semaphore_export_types: Option<Vec<u64>>,
    import_types: Option<Vec<u64>>,
    export_types: Option<Vec<u64>>,
    extensions: Option<Vec<String>>,
    waived: Vec<String>,
}

impl clcu_context {
    /// Hands the facts and the waived rules to `look`.
    pub(crate) fn with<R>(&self, look: impl FnOnce(&Given<'_>, &[&str]) -> R) -> R {
        let extensions: Option<Vec<&str>> = self.extensions.as_ref().map(|names| names.iter().map(String::as_str).collect());
        let waived: Vec<&str> = self.waived.iter().map(String::as_str).collect();
        let given = Given {
            semaphore_export_types: self.semaphore_export_types.as_deref(),
            import_types: self.import_types.as_deref(),
            export_types: self.export_types.as_deref(),
            extensions: extensions.as_deref(),
            ..self.numbers
        };
        look(&given, &waived)
    }

    fn number(&mut self, fact: Fact, value: u64) -> Outcome {
        let numbers = &mut self.numbers;
        match fact {
            Fact::SemaphoreHandleType => numbers.semaphore_handle_type = Some(value),
            Fact::SemaphoreType => numbers.semaphore_type = Some(value),
            Fact::SemaphoreImported => numbers.semaphore_imported = Some(value != 0),
            Fact::MemoryHandleType => numbers.memory_handle_type = Some(value),
            Fact::AllocationHandleTypes => numbers.allocation_handle_types = Some(value),
            Fact::ContextDeviceCount => {
                numbers.context_device_count = Some(u32::try_from(value).map_err(|_| clcu_status::CLCU_WRONG_KIND)?);
            }
            Fact::SemaphoreExportTypes
            | Fact::Extensions
            | Fact::ImportTypes
            | Fact::ExportTypes
            | Fact::Platform
            | Fact::ApiVersion => return Err(clcu_status::CLCU_WRONG_KIND),
        }
        Ok(())
    }

    fn set(&mut self, fact: Fact, values: &[u64]) -> Outcome {
        let place = match fact {
            Fact::SemaphoreExportTypes => &mut self.semaphore_export_types,
            Fact::ImportTypes => &mut self.import_types,
            Fact::ExportTypes => &mut self.export_types,
            _ => return Err(clcu_status::CLCU_WRONG_KIND),
        };
        *place = Some(values.to_vec());
        Ok(())
    }
}

/// The fact called `name`.
fn fact(name: &str) -> Result<Fact, clcu_status> {
    Fact::ALL.into_iter().find(|fact| fact.name() == name).ok_or(clcu_status::CLCU_UNKNOWN_NAME)
}

/// Makes a context of which nothing is known. The caller owns what is written to `context`, and frees it with `clcu_context_free`.
///
/// # Safety
/// `context` is null, or points to room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_context_new(context: *mut *mut clcu_context) -> clcu_status {
    answer(|| {
        if context.is_null() {
            return Err(clcu_status::CLCU_NULL_ARGUMENT);
        }
        // SAFETY: promised by the caller.
        unsafe { write(context, Box::into_raw(Box::default())) }
    })
}

/// Ends a context. Null does nothing.
///
/// # Safety
/// `context` is null, or came from `clcu_context_new`, was not freed, and is in use nowhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_context_free(context: *mut clcu_context) {
    answer_or((), || {
        if !context.is_null() {
            // SAFETY: promised by the caller.
            drop(unsafe { Box::from_raw(context) });
        }
    });
}

/// Gives a fact that is one number, by its name: `semaphore_handle_type`, `semaphore_type`, `semaphore_imported` (0 or 1), `memory_handle_type`,
/// `allocation_handle_types` (flags), `context_device_count`.
///
/// # Safety
/// `context` is a context that nobody else uses meanwhile, `name` a zero-terminated text; each may be null, which is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_context_number(context: *mut clcu_context, name: *const c_char, value: u64) -> clcu_status {
    answer(|| {
        // SAFETY: promised by the caller.
        let (context, name) = unsafe { (exclusive(context)?, text(name)?) };
        context.number(fact(name)?, value)
    })
}

/// Gives a fact that is a set of numbers, by its name: `semaphore_export_types`, `import_types`, `export_types`. It takes the place of what
/// was given before. A count of 0 says that there are none, which is not the same as not to know.
///
/// # Safety
/// As for `clcu_context_number`; `values` points to `count` numbers, and may be null if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_context_set(
    context: *mut clcu_context,
    name: *const c_char,
    values: *const u64,
    count: usize,
) -> clcu_status {
    answer(|| {
        // SAFETY: promised by the caller.
        let (context, name, values) = unsafe { (exclusive(context)?, text(name)?, array(values, count)?) };
        context.set(fact(name)?, values)
    })
}

/// Gives the extensions that the platform or device offers, by name. It takes the place of what was given before.
///
/// # Safety
/// `context` is a context that nobody else uses meanwhile; `names` points to `count` zero-terminated texts, and may be null if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_context_extensions(
    context: *mut clcu_context,
    names: *const *const c_char,
    count: usize,
) -> clcu_status {
    answer(|| {
        // SAFETY: promised by the caller.
        let (context, names) = unsafe { (exclusive(context)?, array(names, count)?) };
        // SAFETY: promised by the caller, for each.
        let names = names.iter().map(|name| unsafe { text(*name) }.map(str::to_owned)).collect::<Result<_, _>>()?;
        context.extensions = Some(names);
        Ok(())
    })
}

/// Gives the operating system: `linux` or `windows`.
///
/// # Safety
/// As for `clcu_context_number`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_context_platform(context: *mut clcu_context, name: *const c_char) -> clcu_status {
    answer(|| {
        // SAFETY: promised by the caller.
        let (context, name) = unsafe { (exclusive(context)?, text(name)?) };
        let system = [System::Linux, System::Windows].into_iter().find(|system| system.name() == name);
        context.numbers.platform = Some(system.ok_or(clcu_status::CLCU_UNKNOWN_NAME)?);
        Ok(())
    })
}

/// Gives the version of the API that the driver or device supports: 13 and 5 of CUDA 13.5.
///
/// # Safety
/// `context` is null or a context that nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_context_version(context: *mut clcu_context, major: u16, minor: u16) -> clcu_status {
    answer(|| {
        // SAFETY: promised by the caller.
        unsafe { exclusive(context)? }.numbers.api_version = Some((major, minor));
        Ok(())
    })
}

/// Waives the rule with this id for checks with this context: where a driver is known to accept more than its specification says. An id that no
/// rule has is `CLCU_UNKNOWN_NAME`, so that a slip does not pass for a waiver.
///
/// # Safety
/// As for `clcu_context_number`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clcu_context_waive(context: *mut clcu_context, rule: *const c_char) -> clcu_status {
    answer(|| {
        // SAFETY: promised by the caller.
        let (context, rule) = unsafe { (exclusive(context)?, text(rule)?) };
        tables::position(rule).ok_or(clcu_status::CLCU_UNKNOWN_NAME)?;
        context.waived.push(rule.to_owned());
        Ok(())
    })
}
