//! That each form is read as what it says, that a changed word is not, and what comes of the specification itself.

mod each_form;
mod handles;
mod lists;
mod sentences;
mod upstream;

use super::{Vocabulary, vocabulary::Types};

fn owned<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

/// A command of ours, with a parameter of each sort.
fn vocabulary() -> Vocabulary {
    let parameters = [
        ("count", "cl_uint"),
        ("list", "cl_lens"),
        ("other", "cl_lens"),
        ("size", "size_t"),
        ("alignment", "size_t"),
        ("flags", "cl_lens_flags"),
        ("lens_props", "cl_lens_properties"),
        ("param_name", "cl_lens_info"),
        ("param_value", "void"),
        ("handle_type", "cl_lens_handle_type"),
        ("desc", "cl_lens_desc"),
        ("fd", "int"),
    ];
    Vocabulary {
        commands: [("clPolish".to_owned(), parameters.map(|(name, ctype)| (name.to_owned(), ctype.to_owned())).to_vec())].into(),
        members: [("cl_lens_desc".to_owned(), owned(["radius"]))].into(),
        values: [
            ("cl_lens_flags".to_owned(), owned(["CL_A", "CL_B"])),
            ("cl_lens_properties".to_owned(), owned(["CL_TINT"])),
            ("cl_lens_info".to_owned(), owned(["CL_LENS_SIZE"])),
        ]
        .into(),
        bits: owned(["cl_lens_flags"]).into_iter().collect(),
    }
}

fn types() -> Types {
    Types {
        memory: owned(["CL_MEMORY_FD", "CL_MEMORY_NT"]),
        semaphore: owned(["CL_SEMAPHORE_FD", "CL_SEMAPHORE_NT"]),
        payload: owned(["CL_SEMAPHORE_NT"]),
        tables: Vec::new(),
    }
}
