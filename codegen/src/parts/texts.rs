//! The text that parts are cut from: that of `clcu-sys`, by path below its root.
//!
//! In: what `clcu-sys` ships of itself; and in place of its generated files others, where a part is cut from another model. Out: each file, and the
//! indexes of the two APIs.

use std::{borrow::Cow, collections::BTreeMap};

use super::{error::Error, index::Index};

/// The modules of the two APIs, in the order in which everything lists them.
pub(super) const APIS: [&str; 2] = ["cuda", "opencl"];

/// Files by path, with `/` between directories.
#[derive(Clone, Debug)]
pub struct Texts(BTreeMap<Cow<'static, str>, Cow<'static, str>>);

impl Texts {
    /// Those of the `clcu-sys` that this was built with.
    #[must_use]
    pub fn shipped() -> Self {
        Self(clcu_sys::source::FILES.iter().map(|(path, text)| (Cow::Borrowed(*path), Cow::Borrowed(*text))).collect())
    }

    /// With what is generated replaced by `files`, by path below the crate's root: no generated file of before stays.
    #[must_use]
    pub fn with_generated(mut self, files: impl IntoIterator<Item = (String, String)>) -> Self {
        let generated = |path: &str| APIS.iter().any(|api| path.starts_with(&folder(api))) || path.starts_with("index/");
        self.0.retain(|path, _| !generated(path));
        self.0.extend(files.into_iter().map(|(path, text)| (path.into(), text.into())));
        self
    }

    /// The text at `path`.
    pub(super) fn get(&self, path: &str) -> Result<&str, Error> {
        self.0.get(path).map(AsRef::as_ref).ok_or_else(|| Error::Damaged(format!("{path} is missing")))
    }

    /// Every file below `folder`, by the rest of its path.
    pub(super) fn below<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.0.iter().filter_map(move |(path, text)| Some((path.strip_prefix(folder)?, text.as_ref())))
    }

    /// The index of each API.
    pub(super) fn indexes(&self) -> Result<[(&'static str, Index<'_>); 2], Error> {
        let read = |api: &'static str| {
            let path = format!("index/{api}.txt");
            let index = Index::read(self.get(&path)?);
            index.map(|index| (api, index)).map_err(|line| Error::Damaged(format!("{path}:{line} is no line of an index")))
        };
        let [cuda, opencl] = APIS.map(read);
        Ok([cuda?, opencl?])
    }
}

/// Where the generated files of an API are.
pub(super) fn folder(api: &str) -> String {
    format!("src/{api}/")
}
