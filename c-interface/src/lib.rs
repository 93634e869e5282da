//! The rule tables and the checker of `clcu-sys` for other languages.
//!
//! In: a record or property list as bytes, by name, and what is known of the context. Out: every rule that it breaks, one after another, as
//! texts. The header for C is `include/clcu_check.h`, made by cbindgen from what is here. It exists because the tables are worth as much to
//! a binding in C++, Python or Go, and because a record that was filled there is wrong in the same ways.

mod boundary;
mod checkable;
mod context;
mod examined;
mod records;
mod result;
mod status;
mod tables;
mod texts;

pub use context::{
    clcu_context, clcu_context_extensions, clcu_context_free, clcu_context_new, clcu_context_number, clcu_context_platform,
    clcu_context_set, clcu_context_version, clcu_context_waive,
};
pub use result::{
    clcu_check_property_list, clcu_check_record, clcu_result, clcu_result_free, clcu_result_message, clcu_result_not_checked,
    clcu_result_not_checked_count, clcu_result_violation, clcu_result_violation_count, clcu_undecided, clcu_violation,
};
pub use status::{clcu_status, clcu_status_text, clcu_version};
pub use tables::{
    clcu_handle_type, clcu_handle_type_at, clcu_handle_type_count, clcu_record, clcu_record_at, clcu_record_count, clcu_rule,
    clcu_rule_at, clcu_rule_count, clcu_rule_find,
};
