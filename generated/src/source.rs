//! The text of this crate, for those who cut a part out of it: `clcu generate --only`, and `clcu_codegen::Builder` in a build script.
//!
//! In: the files beside this one, and the indexes of what stands where in those that are generated. Out: their text. A part that is cut from it
//! has the names and layouts of this version, and needs nothing but this crate.

macro_rules! files {
    ($($path:literal)*) => {
        /// Every file by its path below the crate's root.
        pub const FILES: &[(&str, &str)] = &[$(($path, include_str!(concat!("../", $path)))),*];
    };
}

files! {
    "src/command.rs"
    "src/cuda/aliases.rs"
    "src/cuda/bits.rs"
    "src/cuda/callbacks.rs"
    "src/cuda/commands.rs"
    "src/cuda/constants.rs"
    "src/cuda/enums.rs"
    "src/cuda/errors.rs"
    "src/cuda/handle_types.rs"
    "src/cuda/handles.rs"
    "src/cuda/mod.rs"
    "src/cuda/records.rs"
    "src/cuda/rules.rs"
    "src/cuda/status.rs"
    "src/layout.rs"
    "src/lib.rs"
    "src/macros.rs"
    "src/names.rs"
    "src/opencl/aliases.rs"
    "src/opencl/bits.rs"
    "src/opencl/commands.rs"
    "src/opencl/constants.rs"
    "src/opencl/enums.rs"
    "src/opencl/errors.rs"
    "src/opencl/functions.rs"
    "src/opencl/handle_types.rs"
    "src/opencl/handles.rs"
    "src/opencl/mod.rs"
    "src/opencl/other_rules.rs"
    "src/opencl/properties.rs"
    "src/opencl/records.rs"
    "src/opencl/rules.rs"
    "src/opencl/status.rs"
    "src/rules/check.rs"
    "src/rules/condition.rs"
    "src/rules/errors.rs"
    "src/rules/field.rs"
    "src/rules/found.rs"
    "src/rules/given.rs"
    "src/rules/handle_type.rs"
    "src/rules/macros.rs"
    "src/rules/mod.rs"
    "src/rules/predicate.rs"
    "src/rules/property.rs"
    "src/rules/quick.rs"
    "src/rules/row.rs"
    "src/rules/utf16.rs"
    "src/rules/zeroed.rs"
    "index/cuda.txt"
    "index/opencl.txt"
}
