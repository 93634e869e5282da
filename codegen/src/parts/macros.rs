//! The macros that rows are made of, those of them that a part needs.
//!
//! In: a formatted file of `macro_rules!`, each with documentation, examples and attributes above it. Out: the same file with some of them, each
//! with its first paragraph and no longer exported.

/// A file of macros.
pub(super) struct Macros<'t> {
    /// What the file says of itself.
    about: Vec<&'t str>,
    macros: Vec<Macro<'t>>,
}

/// One macro.
pub(super) struct Macro<'t> {
    pub(super) name: &'t str,
    /// The first paragraph of its documentation.
    about: Vec<&'t str>,
    /// From `macro_rules!` to its last brace.
    pub(super) text: &'t str,
}

impl<'t> Macros<'t> {
    /// Those in `text`: a macro begins and ends at the margin.
    pub(super) fn read(text: &'t str) -> Self {
        let about = text.lines().take_while(|line| line.starts_with("//!") && *line != "//!").collect();
        let (mut macros, mut docs, mut at) = (Vec::new(), Vec::new(), 0);
        let mut begun: Option<(&str, usize)> = None;
        for line in text.split_inclusive('\n') {
            let (from, bare) = (at, line.trim_end());
            at += line.len();
            if let Some((name, start)) = begun {
                if bare == "}" {
                    let about = docs.drain(..).take_while(|doc| *doc != "///").collect();
                    macros.push(Macro { name, about, text: &text[start..at] });
                    begun = None;
                }
            } else if let Some(name) = bare.strip_prefix("macro_rules! ").and_then(|rest| rest.strip_suffix(" {")) {
                begun = Some((name, from));
            } else if bare.starts_with("///") {
                docs.push(bare);
            }
        }
        Self { about, macros }
    }

    /// The macro called `name`.
    pub(super) fn get(&self, name: &str) -> Option<&Macro<'t>> {
        self.macros.iter().find(|one| one.name == name)
    }

    /// The file with those macros that are `wanted`.
    pub(super) fn text(&self, wanted: impl Fn(&str) -> bool) -> String {
        let mut text = self.about.join("\n");
        text.push('\n');
        for one in self.macros.iter().filter(|one| wanted(one.name)) {
            text.push('\n');
            for line in &one.about {
                text.push_str(line);
                text.push('\n');
            }
            text.push_str(one.text);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Macros;

    const TEXT: &str = "//! Macros.\n//!\n//! More.\n\n/// One.\n///\n/// ```\n/// one! {\n/// }\n/// ```\n#[doc(hidden)]\n#[macro_export]\n\
                        macro_rules! one {\n    () => {\n    };\n}\n\n/// Two.\n#[macro_export]\nmacro_rules! two {\n    () => {};\n}\n";

    #[test]
    fn a_macro_is_cut_out_with_its_first_paragraph() {
        let macros = Macros::read(TEXT);
        assert_eq!(macros.text(|name| name == "one"), "//! Macros.\n\n/// One.\nmacro_rules! one {\n    () => {\n    };\n}\n");
        assert_eq!(macros.text(|_| false), "//! Macros.\n");
        assert!(macros.get("two").is_some() && macros.get("three").is_none());
    }
}
