//! Property lists: `key, value, key, value, …, 0`, where some values are lists of their own with a terminator of their own.
//!
//! In: a slice (or a pointer with a bound), and the table of what each property carries. Out: the entries, one after another, or where the
//! list is malformed and how. A walk never reads past the end that it was given, whatever the list says.
//!
//! Which value is a list only the table can tell, so a walk stops at a property that the table does not have: what follows it may be keys
//! or values, and a guess would be reported as if it were a fact.

use core::{fmt, marker::PhantomData};

/// What a property carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value.
    Scalar,
    /// Values up to a terminator of its own.
    List {
        /// What ends it.
        terminator: u64,
    },
}

/// A property: a row of a [`PropertyTable`].
#[derive(Clone, Copy, Debug)]
pub struct Property {
    /// Upstream's name: `CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR`.
    pub name: &'static str,
    /// Its key in the list.
    pub key: u64,
    /// One value, or a list.
    pub shape: Shape,
    /// The C type of a value, as upstream names it; empty where it does not say.
    pub value_type: &'static str,
    /// The commands that take it.
    pub allowed_in: &'static [&'static str],
}

/// The properties that a list may hold. Every list ends with a zero in the place of a key.
#[derive(Clone, Copy, Debug)]
pub struct PropertyTable {
    /// The type of the list's elements: `cl_semaphore_properties_khr`.
    pub name: &'static str,
    /// Its properties.
    pub properties: &'static [Property],
}

impl PropertyTable {
    /// The property with this key.
    #[must_use]
    #[inline]
    pub fn find(&self, key: u64) -> Option<&'static Property> {
        self.properties.iter().find(|property| property.key == key)
    }
}

/// An integer of which property lists are made.
///
/// # Safety
/// It is an integer of 32 or 64 bits, or a `repr(transparent)` newtype over one.
pub unsafe trait Word: Copy {}

// SAFETY: integers of 32 or 64 bits.
unsafe impl Word for u32 {}
// SAFETY: see above.
unsafe impl Word for i32 {}
// SAFETY: see above.
unsafe impl Word for u64 {}
// SAFETY: see above.
unsafe impl Word for i64 {}
// SAFETY: see above.
unsafe impl Word for usize {}
// SAFETY: see above.
unsafe impl Word for isize {}

/// A property list, or the values of one property, as a slice of words of either width. Null is not the same as empty.
#[derive(Clone, Copy)]
pub struct PropertyList<'a> {
    start: *const u8,
    len: usize,
    width: usize,
    words: PhantomData<&'a [u64]>,
}

// SAFETY: it is a shared slice of integers.
unsafe impl Send for PropertyList<'_> {}
// SAFETY: see above.
unsafe impl Sync for PropertyList<'_> {}

impl<'a> PropertyList<'a> {
    /// No list: the null pointer.
    pub const NULL: Self = Self { start: core::ptr::null(), len: 0, width: size_of::<u64>(), words: PhantomData };

    /// The list that `words` hold, terminator included.
    #[inline]
    #[must_use]
    pub const fn new<W: Word>(words: &'a [W]) -> Self {
        const { assert!(size_of::<W>() == 4 || size_of::<W>() == 8, "a property list is made of integers of 32 or 64 bits") };
        Self { start: words.as_ptr().cast(), len: words.len(), width: size_of::<W>(), words: PhantomData }
    }

    /// The list behind `start`, as far as it goes: up to its terminator where it has one, and never further than `bound` words.
    ///
    /// # Errors
    /// Where the list is malformed or does not end within `bound` words: it then has no end to make a slice of.
    ///
    /// # Safety
    /// `start` is null, or points to words that stay readable and unchanged for `'a`: as many as a walk by `table` reads, which is up
    /// to the terminator and at most `bound`.
    #[inline]
    pub unsafe fn from_raw<W: Word>(start: *const W, bound: usize, table: &PropertyTable) -> Result<Self, Malformed> {
        if start.is_null() {
            return Ok(Self::NULL);
        }
        let claimed = Self { start: start.cast(), len: bound, width: size_of::<W>(), words: PhantomData };
        let mut entries = claimed.entries(table);
        for entry in &mut entries {
            let entry = entry?;
            if entry.property.is_none() {
                return Err(Malformed { at: entry.at, kind: MalformedKind::Unknown { key: entry.key } });
            }
        }
        Ok(Self { len: entries.at, ..claimed })
    }

    /// Whether it is the null pointer.
    #[inline]
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.start.is_null()
    }

    /// How many words it has.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        self.len
    }

    /// Whether it has none.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The word at `at`, without its sign.
    #[must_use]
    #[inline]
    pub fn get(self, at: usize) -> Option<u64> {
        if at >= self.len {
            return None;
        }
        // SAFETY: `at` is within the words that `new` took from a slice of this width, or that the caller of `from_raw` vouched for.
        unsafe {
            let word = self.start.add(at * self.width);
            Some(if self.width == 8 { word.cast::<u64>().read_unaligned() } else { word.cast::<u32>().read_unaligned().into() })
        }
    }

    /// The first word.
    #[must_use]
    #[inline]
    pub fn first(self) -> Option<u64> {
        self.get(0)
    }

    /// Each word.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = u64> + 'a {
        (0..self.len).map_while(move |at| self.get(at))
    }

    /// The words from `at` on, `len` of them at most.
    #[inline]
    const fn part(self, at: usize, len: usize) -> Self {
        let at = if at < self.len { at } else { self.len };
        let len = if len < self.len - at { len } else { self.len - at };
        // SAFETY: `at` is at most the number of words.
        Self { start: unsafe { self.start.add(at * self.width) }, len, ..self }
    }

    /// Walks the list by `table`.
    #[must_use]
    #[inline]
    pub const fn entries(self, table: &PropertyTable) -> Entries<'a, '_> {
        Entries { list: self, table, at: 0, ended: self.start.is_null() }
    }

    /// The keys of its properties, as far as it can be read: with that of one whose value is malformed, or that the table does not have.
    #[inline]
    pub fn keys<'t>(self, table: &'t PropertyTable) -> impl Iterator<Item = u64> + use<'a, 't> {
        self.entries(table).map_while(|entry| entry.map_or_else(Malformed::key, |entry| Some(entry.key)))
    }

    /// The values of the first property with `key`; `None` where the list does not have it, or is malformed before it.
    #[must_use]
    #[inline]
    pub fn value_of(self, table: &PropertyTable, key: u64) -> Option<PropertyList<'a>> {
        self.entries(table).map_while(Result::ok).find(|entry| entry.key == key).map(|entry| entry.values)
    }
}

impl fmt::Debug for PropertyList<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_null() { f.write_str("NULL") } else { f.debug_list().entries(self.iter()).finish() }
    }
}

/// One property in a list.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Which word of the list its key is.
    pub at: usize,
    /// Its key.
    pub key: u64,
    /// What the table says of it; `None` for a key that the table does not have, after which the walk ends.
    pub property: Option<&'static Property>,
    /// Its value, or its values without their terminator. Empty where `property` is `None`.
    pub values: PropertyList<'a>,
}

/// How a list is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Which word of the list the fault begins at.
    pub at: usize,
    /// What it is.
    pub kind: MalformedKind,
}

/// A fault of a property list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MalformedKind {
    /// It ends without the zero that ends it.
    NotTerminated,
    /// It ends with the key of a property that has no value.
    NoValue {
        /// The property.
        key: u64,
        /// Its name.
        name: &'static str,
    },
    /// It ends within the list of values of a property.
    ListNotTerminated {
        /// The property.
        key: u64,
        /// Its name.
        name: &'static str,
    },
    /// No table has the property, so that nobody can say where its value ends.
    Unknown {
        /// Its key.
        key: u64,
    },
}

impl Malformed {
    /// The property that the fault is about, if it is about one.
    #[must_use]
    #[inline]
    pub const fn key(self) -> Option<u64> {
        match self.kind {
            MalformedKind::NotTerminated => None,
            MalformedKind::NoValue { key, .. } | MalformedKind::ListNotTerminated { key, .. } | MalformedKind::Unknown { key } => {
                Some(key)
            }
        }
    }
}

impl fmt::Display for Malformed {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            MalformedKind::NotTerminated => write!(f, "property list not terminated after {} words", self.at),
            MalformedKind::NoValue { key, name } => write!(f, "property {key:#06X} ({name}) at word {} has no value", self.at),
            MalformedKind::ListNotTerminated { key, name } => write!(f, "list property {key:#06X} ({name}) not terminated"),
            MalformedKind::Unknown { key } => write!(f, "unknown property {key:#06X} at word {}", self.at),
        }
    }
}

impl core::error::Error for Malformed {}

/// A walk over a property list.
#[derive(Clone, Debug)]
pub struct Entries<'a, 't> {
    list: PropertyList<'a>,
    table: &'t PropertyTable,
    at: usize,
    ended: bool,
}

impl<'a> Entries<'a, '_> {
    /// The values of `property`, whose key is at `at`, and the word after them.
    #[inline]
    fn values(&self, property: &Property, at: usize) -> Result<(PropertyList<'a>, usize), Malformed> {
        let (key, name, first) = (property.key, property.name, at + 1);
        match property.shape {
            Shape::Scalar if first < self.list.len => Ok((self.list.part(first, 1), first + 1)),
            Shape::Scalar => Err(Malformed { at, kind: MalformedKind::NoValue { key, name } }),
            Shape::List { terminator } => {
                let mut end = first;
                while let Some(word) = self.list.get(end) {
                    if word == terminator {
                        return Ok((self.list.part(first, end - first), end + 1));
                    }
                    end += 1;
                }
                Err(Malformed { at, kind: MalformedKind::ListNotTerminated { key, name } })
            }
        }
    }
}

impl<'a> Iterator for Entries<'a, '_> {
    type Item = Result<Entry<'a>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let at = self.at;
        let Some(key) = self.list.get(at) else {
            self.ended = true;
            return Some(Err(Malformed { at, kind: MalformedKind::NotTerminated }));
        };
        if key == 0 {
            self.ended = true;
            self.at = at + 1;
            return None;
        }
        let Some(property) = self.table.find(key) else {
            self.ended = true;
            return Some(Ok(Entry { at, key, property: None, values: self.list.part(at + 1, 0) }));
        };
        Some(match self.values(property, at) {
            Ok((values, after)) => {
                self.at = after;
                Ok(Entry { at, key, property: Some(property), values })
            }
            Err(malformed) => {
                self.ended = true;
                Err(malformed)
            }
        })
    }
}
