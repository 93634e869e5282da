//! What rustdoc says about an item, in our words and from facts alone.
//!
//! In: a lifetime, an API, a Doxygen group. Out: short sentences with their full stop, and the address of upstream's page. No sentence of
//! upstream's enters here, and so nothing that rustdoc could take for a link, a tag or a test.

use super::types::literal;
use crate::model::{Api, Change, Command, Lifetime, Model, Version};

/// What the texts of one API have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Docs {
    api: Api,
    /// The oldest release that was read: what it has, an older one may have had too.
    oldest: Option<Version>,
}

impl Docs {
    pub(super) fn new(model: &Model) -> Self {
        let oldest = model.releases.first().and_then(|release| {
            let mut parts = release.split('.');
            Some(Version::new(parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
        });
        // OpenCL's registry says of each item which version brought it.
        Self { api: model.api, oldest: oldest.filter(|_| model.api == Api::Cuda) }
    }

    /// Since and until when, as a sentence: `Since CUDA 11.7 or earlier, until 12.9.`
    fn lifetime(self, lifetime: &Lifetime) -> String {
        let api = self.api;
        let mut parts = Vec::new();
        if let Some(since) = lifetime.since {
            let earlier = if self.oldest == Some(since) { " or earlier" } else { "" };
            parts.push(format!("since {api} {since}{earlier}"));
        }
        if !lifetime.extensions.is_empty() {
            let names: Vec<String> = lifetime.extensions.iter().map(|name| format!("`{name}`")).collect();
            let or = if parts.is_empty() { "" } else { "or " };
            parts.push(format!("{or}with {}", names.join(" or ")));
        }
        if let Some(until) = lifetime.until {
            parts.push(format!("until {until}"));
        }
        if let Some(deprecated) = lifetime.deprecated {
            parts.push(format!("deprecated since {deprecated}"));
        }
        let mut text = if parts.is_empty() { format!("Part of {api}.") } else { capitalised(&format!("{}.", parts.join(", "))) };
        for change in &lifetime.changed {
            text.push(' ');
            text.push_str(&changed(change));
        }
        text
    }

    /// What stands on the row of an item that is no command: its sentence, and the API, whose page of types the macro `about!` knows.
    pub(super) fn item(self, lifetime: &Lifetime) -> String {
        format!("{} {}", literal(&self.lifetime(lifetime)), self.api.name())
    }

    /// What stands on the row of a command: its sentence, and its page, relative to where upstream keeps them.
    pub(super) fn command(self, command: &Command) -> String {
        format!("{} {}", self.item(&command.lifetime), literal(&self.command_page(command)))
    }

    /// What stands on the row of a leaf. One of which upstream says nothing has the lifetime of what it belongs to.
    pub(super) fn leaf(self, item: &Lifetime, leaf: &Lifetime) -> String {
        let silent = leaf.since.is_none() && leaf.extensions.is_empty();
        let (since, extensions) = if silent { (item.since, &item.extensions) } else { (leaf.since, &leaf.extensions) };
        literal(&self.lifetime(&Lifetime { since, extensions: extensions.clone(), ..leaf.clone() }))
    }

    /// CUDA: the page of its Doxygen group. OpenCL: its own page if it is of the core or a Khronos extension; vendors' extensions have
    /// no pages, so that the registry is the nearest.
    fn command_page(self, command: &Command) -> String {
        match (self.api, &command.group) {
            (Api::Cuda, Some(group)) => format!("group__{}.html", group.replace('_', "__")),
            (Api::Cuda, None) => "index.html".to_owned(),
            (Api::OpenCl, _) => {
                let lifetime = &command.lifetime;
                let khronos = lifetime.extensions.iter().any(|name| name.starts_with("cl_khr_"));
                if lifetime.since.is_some() || khronos {
                    format!("sdk/3.0/docs/man/html/{}.html", command.name)
                } else {
                    String::new()
                }
            }
        }
    }
}

/// What it was in older releases, as a sentence.
fn changed(change: &Change) -> String {
    let Change { aspect, was, until } = change;
    match aspect.as_str() {
        "member" => format!("Until {until} it had the member `{was}`."),
        _ => format!("Until {until} its {aspect} was `{was}`."),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::Docs;
    use crate::model::{Api, Lifetime, Model, Version};

    fn docs(api: Api, releases: &[&str]) -> Docs {
        let mut model = Model::empty(api);
        model.releases = releases.iter().map(|release| (*release).to_owned()).collect();
        Docs::new(&model)
    }

    #[test]
    fn the_oldest_release_read_may_not_be_the_first_to_have_it() {
        let docs = docs(Api::Cuda, &["11.7.99", "13.5.37"]);
        let since = |major, minor| Lifetime { since: Some(Version::new(major, minor)), ..Lifetime::default() };
        assert_eq!(docs.lifetime(&since(11, 7)), "Since CUDA 11.7 or earlier.");
        assert_eq!(docs.lifetime(&since(12, 0)), "Since CUDA 12.0.");
    }

    #[test]
    fn everything_that_limits_it_is_said() {
        let docs = docs(Api::OpenCl, &["3.1.1"]);
        let lifetime = Lifetime {
            since: Some(Version::new(3, 0)),
            until: Some("3.0.16".parse().unwrap()),
            deprecated: Some(Version::new(3, 1)),
            extensions: vec!["cl_khr_a".to_owned(), "cl_khr_b".to_owned()],
            changed: vec!["value 0x2051 until 3.0.15".parse().unwrap(), "member a: c_int at 4 until 3.0".parse().unwrap()],
        };
        assert_eq!(
            docs.lifetime(&lifetime),
            "Since OpenCL 3.0, or with `cl_khr_a` or `cl_khr_b`, until 3.0.16, deprecated since 3.1. Until 3.0.15 its value was `0x2051`. \
             Until 3.0 it had the member `a: c_int at 4`."
        );
        assert_eq!(docs.lifetime(&Lifetime::default()), "Part of OpenCL.");
    }

    #[test]
    fn a_leaf_of_which_nothing_is_said_came_with_its_item() {
        let docs = docs(Api::OpenCl, &["3.1.1"]);
        let item = Lifetime { extensions: vec!["cl_khr_a".to_owned()], ..Lifetime::default() };
        let ended = Lifetime { until: Some(Version::new(3, 0).into()), ..Lifetime::default() };
        assert_eq!(docs.leaf(&item, &ended), "\"With `cl_khr_a`, until 3.0.\"");
        let own = Lifetime { since: Some(Version::new(1, 2)), ..Lifetime::default() };
        assert_eq!(docs.leaf(&item, &own), "\"Since OpenCL 1.2.\"");
    }
}
