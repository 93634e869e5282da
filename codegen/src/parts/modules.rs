//! A file that declares modules, with some of them.
//!
//! In: `lib.rs` or the `mod.rs` of an API. Out: its declarations of the modules that a part has, and what it takes from them.

/// Those lines of `text` that declare modules that are `wanted`, or bring their items into scope, each with the attributes above it.
pub(super) fn declarations(text: &str, wanted: impl Fn(&str) -> bool) -> String {
    let mut kept = String::new();
    let mut attributes: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.starts_with("#[") {
            // A part has what it was asked for, and no features.
            if !line.starts_with("#[cfg(feature") {
                attributes.push(line);
            }
            continue;
        }
        if let Some((_, name)) = declared(line)
            && wanted(name)
        {
            for attribute in &attributes {
                kept.push_str(attribute);
                kept.push('\n');
            }
            kept.push_str(line);
            kept.push('\n');
        } else if line.is_empty() && !kept.is_empty() && !kept.ends_with("\n\n") {
            kept.push('\n');
        }
        attributes.clear();
    }
    kept.truncate(kept.trim_end().len());
    kept.push('\n');
    kept
}

/// What a line does with a module, and with which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    /// `mod x;`
    Module,
    /// `pub use x::…;`
    Use,
}

/// What `line` does with a module.
pub(super) fn declared(line: &str) -> Option<(Declared, &str)> {
    let rest = line.trim_start().strip_suffix(';')?;
    let public = rest.strip_prefix("pub ");
    if let Some(name) = public.unwrap_or(rest).strip_prefix("mod ") {
        return Some((Declared::Module, name));
    }
    let path = public?.strip_prefix("use ")?;
    let (name, _) = path.strip_prefix("self::").unwrap_or(path).split_once("::")?;
    Some((Declared::Use, name))
}

#[cfg(test)]
mod tests {
    use super::declarations;

    #[test]
    fn modules_keep_their_attributes_and_lose_their_features() {
        let text = "//! All.\n#![no_std]\n\nmod a;\n#[cfg(feature = \"x\")]\n#[macro_use]\npub mod b;\nmod c;\n\npub use a::{A, B};\npub use self::c::*;\n";
        assert_eq!(declarations(text, |name| name != "a"), "#[macro_use]\npub mod b;\nmod c;\n\npub use self::c::*;\n");
        assert_eq!(declarations(text, |name| name == "a"), "mod a;\n\npub use a::{A, B};\n");
    }
}
