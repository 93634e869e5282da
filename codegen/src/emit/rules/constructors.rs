//! Writes, for each handle type, a constructor of its descriptor that takes what the type needs and leaves the rest zero; and a view of a
//! descriptor with one variant a handle type.
//!
//! In: a subject with handle types. Out: an `impl` block and an enum. What a type needs follows from its row (the members that carry the
//! handle) and from its rules: what they want to be zero is no parameter, flags that they want to be set are set, what is left is asked.

use super::{
    place::{Leaf, camel},
    row::Rows,
};
use crate::{
    emit::{
        page::Page,
        types::{identifier, literal},
    },
    finding::Finding,
    model::{Condition, HandleType, Owner, Predicate, Rule, Term, Test},
};

/// What a constructor does with a member.
enum Part<'s> {
    /// A parameter.
    Asked(&'s Leaf),
    /// A name of UTF-16 text, as a parameter.
    Name(&'s Leaf),
    /// Flags that must be set.
    Set(&'s Leaf, String),
}

impl<'s> Rows<'s, '_> {
    /// The constructors of all handle types, in the order of their values.
    pub(super) fn constructors(&self, page: &mut Page<'_>) -> Result<(), Finding> {
        let name = &self.subject.name;
        page.gap();
        if self.subject.windows() {
            page.line(0, "#[cfg(windows)]");
        }
        page.line(0, format_args!("impl {name} {{"));
        let mut first = true;
        for row in &self.subject.handle_types {
            for (alternative, suffix) in self.alternatives(row)? {
                if !first {
                    page.line(0, "");
                }
                first = false;
                self.constructor(page, row, &alternative, &suffix)?;
            }
        }
        page.line(0, "}");
        Ok(())
    }

    /// The ways to give the handle: each with the members that it uses, and what it adds to the constructor's name.
    fn alternatives(&self, row: &HandleType) -> Result<Vec<(Vec<&'s Leaf>, String)>, Finding> {
        let leaves = row.members.iter().map(|path| {
            self.subject.leaf(path).ok_or_else(|| {
                Finding::error(format!("`{}` is carried by `{path}`, which `{}` does not have", row.name, self.subject.name))
            })
        });
        let leaves: Vec<&Leaf> = leaves.collect::<Result<_, _>>()?;
        let one_of_them = self.rules_of(row).any(|rule| rule.predicate == Predicate::ExactlyOneNonNull);
        let must_be_null =
            |leaf: &Leaf| self.demands(row, leaf).any(|predicate| matches!(predicate, Predicate::Null | Predicate::Zero));
        let usable: Vec<&Leaf> = leaves.into_iter().filter(|leaf| !must_be_null(leaf)).collect();
        if !one_of_them {
            return Ok(vec![(usable, String::new())]);
        }
        let last = |leaf: &Leaf| leaf.path.rsplit('.').next().unwrap_or_default().to_owned();
        let alternative = |(at, leaf): (usize, &'s Leaf)| {
            let suffix = if at == 0 { String::new() } else { format!("_by_{}", last(leaf)) };
            (vec![leaf], suffix)
        };
        Ok(usable.into_iter().enumerate().map(alternative).collect())
    }

    /// The rules that apply to `row`, as far as its type decides.
    fn rules_of<'r>(&'r self, row: &'r HandleType) -> impl Iterator<Item = &'r Rule> {
        let discriminator = self.subject.discriminator.and_then(|at| self.subject.leaves.get(at));
        let number = |name: &str| self.words.value(name, row.enumeration.as_deref()).ok();
        let own = number(&row.name);
        self.subject.rules.iter().copied().filter(move |rule| {
            rule.when.iter().all(|condition| match condition {
                Condition::Test(Term::Field(path), test) if discriminator.is_some_and(|leaf| leaf.path == path.as_str()) => {
                    let among = |names: &[String]| names.iter().any(|name| number(name) == own);
                    match test {
                        Test::In(names) => among(names),
                        Test::NotIn(names) => !among(names),
                        _ => false,
                    }
                }
                _ => false,
            })
        })
    }

    /// What the rules of `row` demand of `leaf`, and of no other member with it.
    fn demands<'r>(&'r self, row: &'r HandleType, leaf: &'r Leaf) -> impl Iterator<Item = &'r Predicate> {
        self.rules_of(row)
            .filter(|rule| rule.fields.len() == 1 && rule.fields.iter().all(|field| field.as_str() == leaf.path))
            .map(|rule| &rule.predicate)
    }

    /// What a constructor of `row` does with a member beside the handle; `None` where it stays zero.
    fn part(&self, row: &HandleType, leaf: &'s Leaf) -> Option<Part<'s>> {
        let (mut allowed, mut required): (Option<&[String]>, Vec<&String>) = (None, Vec::new());
        for predicate in self.demands(row, leaf) {
            match predicate {
                Predicate::Zero | Predicate::Null => return None,
                Predicate::Equal(value) if value == "0" => return None,
                Predicate::OnlyFlags(names) => allowed = Some(names),
                Predicate::MustHaveFlags(names) => required.extend(names),
                _ => {}
            }
        }
        match allowed {
            Some([]) => None,
            Some(names) if !required.is_empty() && names.iter().all(|name| required.contains(&name)) => {
                let mask = self.words.mask(names, None).ok()?;
                Some(Part::Set(leaf, mask))
            }
            _ => Some(Part::Asked(leaf)),
        }
    }

    fn constructor(&self, page: &mut Page<'_>, row: &HandleType, handle: &[&'s Leaf], suffix: &str) -> Result<(), Finding> {
        let subject = self.subject;
        let (Some(at), Some(enumeration)) = (subject.discriminator, &row.enumeration) else {
            return Err(Finding::error(format!("no member of `{}` says that it holds a `{}`", subject.name, row.name)));
        };
        let of_handle = |leaf: &Leaf| {
            subject
                .handle_types
                .iter()
                .any(|row| row.members.iter().any(|path| subject.leaf(path).is_some_and(|other| other.overlaps(leaf))))
        };
        let beside = subject.leaves.iter().enumerate().filter(|(other, leaf)| *other != at && !of_handle(leaf));
        let text = |rule: &&Rule| rule.predicate == Predicate::Utf16NulTerminated;
        let is_name = |leaf: &Leaf| {
            subject.rules.iter().filter(|rule| text(rule)).any(|rule| rule.fields.iter().any(|field| field.as_str() == leaf.path))
        };
        let mut parts: Vec<Part<'_>> =
            handle.iter().map(|leaf| if is_name(leaf) { Part::Name(leaf) } else { Part::Asked(leaf) }).collect();
        parts.extend(beside.filter_map(|(_, leaf)| self.part(row, leaf)));
        let last = |leaf: &Leaf| identifier(leaf.path.rsplit('.').next().unwrap_or_default()).into_owned();
        let (mut parameters, mut steps, mut life) = (Vec::new(), Vec::new(), "'static");
        for part in &parts {
            match part {
                Part::Name(leaf) => {
                    life = "'_";
                    parameters.push(format!("{}: Utf16Name<'_>", last(leaf)));
                    steps.push(format!(".with_name(Self::{}, {})", leaf.constant, last(leaf)));
                }
                Part::Asked(leaf) if subject.is_guarded(leaf) => {
                    return Err(Finding::error(format!(
                        "a constructor for `{}` would set the followed pointer `{}`",
                        row.name, leaf.path
                    )));
                }
                Part::Asked(leaf) => {
                    parameters.push(format!("{}: {}", last(leaf), page.ctype(&leaf.ctype)));
                    steps.push(format!(".with(Self::{}, {})", leaf.constant, last(leaf)));
                }
                Part::Set(leaf, mask) => {
                    let ctype = page.ctype(&leaf.ctype);
                    steps.push(format!(".with(Self::{}, {mask} as {ctype})", leaf.constant));
                }
            }
        }
        page.name(enumeration);
        let (enumeration, name) = (identifier(enumeration), identifier(&row.name));
        page.line(1, format_args!("#[doc = {}]", literal(&documentation(row, &format!("{enumeration}::{name}")))));
        page.line(1, "#[inline]");
        page.line(1, "#[must_use]");
        let method = format!("{}{suffix}", row.short.to_ascii_lowercase());
        page.line(1, format_args!("pub const fn {}({}) -> Zeroed<{life}, Self> {{", identifier(&method), parameters.join(", ")));
        let constant = &subject.leaves[at].constant;
        page.line(2, format_args!("Zeroed::<Self>::new().with(Self::{constant}, {enumeration}::{name}){}", steps.concat()));
        page.line(1, "}");
        Ok(())
    }

    /// The enum with one variant a handle type.
    pub(super) fn view(&self, page: &mut Page<'_>) -> Result<(), Finding> {
        let subject = self.subject;
        let Some((at, enumeration)) =
            subject.discriminator.zip(subject.handle_types.iter().find_map(|row| row.enumeration.as_ref()))
        else {
            return Ok(());
        };
        let cfg = if subject.windows() { "#[cfg(windows)]\n" } else { "" };
        let (record, view) = (&subject.name, view_name(enumeration));
        let constant = &subject.leaves[at].constant;
        let enumeration = identifier(enumeration);
        let mut variants = Vec::new();
        let mut arms = Vec::new();
        for row in &subject.handle_types {
            let variant = camel(&row.short);
            let (mut members, mut values) = (Vec::new(), Vec::new());
            for path in &row.members {
                let leaf = subject.leaf(path).ok_or_else(|| Finding::error(format!("`{record}` has no member `{path}`")))?;
                let last = identifier(path.as_str().rsplit('.').next().unwrap_or_default()).into_owned();
                members.push(format!("/// `{path}`.\n        {last}: {},", page.ctype(&leaf.ctype)));
                values.push(format!("{last}: quick::value(bytes, {record}::{}),", leaf.constant));
            }
            variants.push(format!(
                "    /// [`{}`]({enumeration}::{}).\n    {variant} {{\n        {}\n    }},",
                row.name,
                row.name,
                members.join("\n        ")
            ));
            arms.push(format!(
                "                {enumeration}::{} => Self::{variant} {{ {} }},",
                identifier(&row.name),
                values.join(" ").trim_end_matches(',')
            ));
        }
        let (variants, arms) = (variants.join("\n"), arms.join("\n"));
        page.gap();
        page.line(0, format_args!(
            "{cfg}/// What a [`{record}`] holds, by its type.\n#[derive(Clone, Copy, Debug, PartialEq)]\n#[non_exhaustive]\npub enum {view} {{\n{variants}\n    \
             /// A type that this version of the crate does not know.\n    Unknown({enumeration}),\n}}"
        ));
        page.gap();
        page.line(0, format_args!(
            "{cfg}impl {view} {{\n    /// What `descriptor` holds.\n    #[inline]\n    #[must_use]\n    \
             pub fn of(descriptor: &Zeroed<'_, {record}>) -> Self {{\n        \
             // SAFETY: every byte of it is initialised.\n        unsafe {{ Self::of_raw(descriptor) }}\n    }}\n\n    \
             /// What `descriptor` holds.\n    ///\n    /// # Safety\n    /// The members that its type selects are initialised.\n    #[inline]\n    \
             #[must_use]\n    pub unsafe fn of_raw(descriptor: &{record}) -> Self {{\n        \
             // SAFETY: only what the type selects is read, which the caller promises to be initialised.\n        unsafe {{\n            \
             let bytes = crate::rules::Bytes::of(descriptor);\n            match quick::value(bytes, {record}::{constant}) {{\n{arms}\n                \
             other => Self::Unknown(other),\n            }}\n        }}\n    }}\n}}"
        ));
        Ok(())
    }
}

/// `CUexternalSemaphoreHandleType` as `ExternalSemaphoreHandle`.
pub(super) fn view_name(enumeration: &str) -> String {
    let name = enumeration.trim_start_matches("CU").trim_start_matches("cl_");
    let name = name.strip_suffix("Type").or_else(|| name.strip_suffix("_type_khr")).unwrap_or(name);
    name.split('_')
        .map(|word| {
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            first.to_ascii_uppercase() + rest
        })
        .collect()
}

/// What rustdoc says of a constructor: for which type, and who owns the handle afterwards.
fn documentation(row: &HandleType, path: &str) -> String {
    let owner = |owner: Owner| match owner {
        Owner::Driver => "the driver's",
        Owner::Caller => "the caller's",
        Owner::None => "nobody's, being a number that holds no reference",
        Owner::Unspecified => "left open by upstream",
    };
    format!(
        "A descriptor for [`{}`]({path}). The handle is {} after a successful import, and {} after a failed one.",
        row.name,
        owner(row.owner_on_success),
        owner(row.owner_on_failure)
    )
}
