//! The declarations that comments repeat.
//!
//! In: the blocks between `\code` and `\endcode`, and the model. Out: findings where a block that shows a struct or an enumeration of the API
//! spells a member, or gives a value, in another way than the header declares it. Members that a block leaves out are no finding: upstream
//! shows only those that an application sets.

use crate::{
    finding::{Finding, Findings},
    model::Api,
    overlay::Question,
    rules::{
        cuda::{Text, interpret::Context},
        sentence::Code,
    },
};

/// Compares every block.
pub(super) fn compare(texts: &[Text<'_>], context: &Context<'_>, findings: &mut Findings) {
    for Text { comment, prose } in texts {
        for code in &prose.code {
            let (found, line) = match declares(&code.text) {
                Some(("struct" | "union", name)) => (members(code, name, context), code.line),
                Some(("enum", name)) => (values(code, name, context), code.line),
                _ => continue,
            };
            for (offset, what) in found {
                findings.push(Finding::error(what.0).at(comment.place_of_line(line + offset)).found(what.1).help(what.2));
            }
        }
    }
}

/// What kind of thing a block declares, and its name: the word between the last `}` and the `;`.
fn declares(text: &str) -> Option<(&str, &str)> {
    let kind = text.trim_start().strip_prefix("typedef ")?.split_whitespace().next()?;
    let name = text.rsplit('}').next()?.trim().trim_end_matches(';').trim();
    Some((kind, name))
}

/// A line of the block, and what to say of it: what, found, help.
type Difference = (usize, (String, String, String));

/// The members of a block that the record does not have.
fn members(code: &Code, name: &str, context: &Context<'_>) -> Vec<Difference> {
    if context.names.record(name).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (offset, path) in paths(&code.text) {
        let written = format!("{name}::{path}");
        if context.names.field(None, &written).is_some() {
            continue;
        }
        let settled = context
            .overlay
            .decide_text(Api::Cuda, Question::DocReference, &written)
            .is_some_and(|right| context.names.field(None, right).is_some());
        if !settled {
            found.push((
                offset,
                (
                    format!("a comment shows a member of `{name}` that it does not have"),
                    format!("`{path}`"),
                    format!("add an overlay entry `doc-reference` for `{written}` that names the right member"),
                ),
            ));
        }
    }
    found
}

/// The members of a block with the structs around them: `handle::win32::name`.
fn paths(text: &str) -> Vec<(usize, String)> {
    let mut open: Vec<usize> = Vec::new();
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    for (offset, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.ends_with('{') {
            open.push(found.len());
        } else if let Some(rest) = line.strip_prefix('}') {
            let name = rest.trim().trim_end_matches(';').trim();
            let Some(start) = open.pop() else { continue };
            if !open.is_empty() && !name.is_empty() {
                for (_, path) in &mut found[start..] {
                    path.insert(0, name.to_owned());
                }
            }
        } else if let Some(declaration) = line.strip_suffix(';') {
            let declarator = declaration.split('[').next().unwrap_or_default();
            let member = declarator.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').find(|word| !word.is_empty());
            found.extend(member.map(|member| (offset, vec![member.to_owned()])));
        }
    }
    found.into_iter().map(|(offset, path)| (offset, path.join("::"))).collect()
}

/// The values of a block that the enumeration has otherwise.
fn values(code: &Code, name: &str, context: &Context<'_>) -> Vec<Difference> {
    let Some(enumeration) = context.names.enumeration(name) else { return Vec::new() };
    let mut found = Vec::new();
    for (offset, line) in code.text.lines().enumerate() {
        let Some((value, number)) = line.split_once('=') else { continue };
        let (value, number) = (value.trim(), number.trim().trim_end_matches(','));
        let declared =
            enumeration.enumerators.iter().find(|candidate| candidate.name == value).and_then(|value| value.value.integer());
        let shown = number.strip_prefix("0x").map_or_else(|| number.parse().ok(), |digits| i128::from_str_radix(digits, 16).ok());
        if declared.is_none() || (shown.is_some() && declared != shown) {
            found.push((
                offset,
                (
                    format!("a comment gives a value of `{name}` that the header does not"),
                    format!("`{value}` = `{number}`"),
                    "read the comment again: the header is right, and what the comment says of the value may be of another release"
                        .to_owned(),
                ),
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{declares, paths};

    #[test]
    fn a_block_gives_its_members_with_the_structs_around_them() {
        let text = "typedef struct LAMP_st {\n  int kind;\n  union {\n    int fd;\n    struct {\n      void *a;\n      const void* b;\n    } w;\n  } u;\n  unsigned r[4];\n} LAMP;\n";
        assert_eq!(declares(text), Some(("struct", "LAMP")));
        let paths: Vec<_> = paths(text).into_iter().map(|(_, path)| path).collect();
        assert_eq!(paths, ["kind", "u::fd", "u::w::a", "u::w::b", "r"]);
    }

    #[test]
    fn code_that_declares_nothing_is_no_declaration() {
        assert_eq!(declares("cuLampOpen(&lamp);\n"), None);
    }
}
