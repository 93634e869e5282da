//! A raw property list in words: in, a slice and the table of what it may hold; out, each property with its values, and every fault.

use std::fmt;

use clcu_sys::{
    opencl::{self, cl_external_memory_handle_type_khr, cl_external_semaphore_handle_type_khr, cl_semaphore_type_khr},
    rules::{Entry, Malformed, PropertyList, PropertyTable, Shape},
};

use crate::opencl::kind::{self, Form};

/// A property of a list.
///
/// Source: the tables of properties that are generated from the OpenCL API specification, as
/// [`clcu_sys::opencl::PROPERTIES_OF_cl_mem_properties`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Which word of the list its key is. The first is 0.
    pub at: usize,
    /// Its key.
    pub key: u64,
    /// Upstream's name.
    pub name: &'static str,
    /// The C type of a value, as upstream names it; empty where it does not say.
    pub value_type: &'static str,
    /// Its value, or its values without what ends them.
    pub values: Vec<u64>,
    /// Whether the values are a list, with an end of its own.
    pub is_list: bool,
}

/// What is wrong with a list.
///
/// Source: the tables of properties that are generated from the OpenCL API specification, as
/// [`clcu_sys::opencl::PROPERTIES_OF_cl_mem_properties`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It cannot be read further: an end is missing, or a value, or nobody knows the property.
    Malformed {
        /// How, and where.
        malformed: Malformed,
        /// The table and name under which another list has the property, where it is not known in this one.
        elsewhere: Option<(&'static str, &'static str)>,
    },
    /// A property stands there again.
    Repeated {
        /// Its key.
        key: u64,
        /// Its name.
        name: &'static str,
        /// Which words its keys are: the first time, and this time.
        at: (usize, usize),
    },
    /// Words follow after the end.
    Trailing {
        /// The first of them.
        at: usize,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { malformed, elsewhere: None } => malformed.fmt(f),
            Self::Malformed { malformed, elsewhere: Some((table, name)) } => write!(f, "{malformed}; it is {name} of {table}"),
            Self::Repeated { key, name, at: (first, again) } => {
                write!(f, "property {key:#06X} ({name}) stands at word {first} and again at word {again}")
            }
            Self::Trailing { at } => write!(f, "the list ended before word {at}; nobody reads what follows"),
        }
    }
}

/// A list in words.
///
/// Source: the tables of properties that are generated from the OpenCL API specification, as
/// [`clcu_sys::opencl::PROPERTIES_OF_cl_mem_properties`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The type of the list's elements: `cl_semaphore_properties_khr`.
    pub of: &'static str,
    /// Its properties, as far as it can be read.
    pub properties: Vec<Described>,
    /// What is wrong with it; nothing where it is well formed.
    pub faults: Vec<Fault>,
}

/// Reads a list by a table such as `PROPERTIES_OF_cl_semaphore_properties_khr`. Never reads past the end of the slice.
///
/// ```
/// use clcu::{opencl::properties::explain, sys::{opencl::PROPERTIES_OF_cl_semaphore_properties_khr, rules::PropertyList}};
/// let words: [u64; 5] = [0x203D, 1, 0x203F, 0x2058, 0x2055];
/// let explained = explain(PropertyList::new(&words), &PROPERTIES_OF_cl_semaphore_properties_khr);
/// assert!(explained.to_string().contains("list property 0x203F"));
/// ```
///
/// Source: the tables of properties that are generated from the OpenCL API specification, as
/// [`clcu_sys::opencl::PROPERTIES_OF_cl_mem_properties`].
#[must_use]
pub fn explain(list: PropertyList<'_>, table: &PropertyTable) -> Explanation {
    let mut explanation = Explanation { of: table.name, properties: Vec::new(), faults: Vec::new() };
    let mut after = 0;
    let mut ended = true;
    for entry in list.entries(table) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(malformed) => {
                ended = false;
                explanation.faults.push(Fault::Malformed { malformed, elsewhere: None });
                continue;
            }
        };
        if let Some(described) = described(&entry) {
            after = entry.at + 1 + entry.values.len() + usize::from(described.is_list);
            explanation.add(described);
        } else {
            ended = false;
            explanation.unknown(&entry);
        }
    }
    if ended && after + 1 < list.len() {
        explanation.faults.push(Fault::Trailing { at: after + 1 });
    }
    explanation
}

fn described(entry: &Entry<'_>) -> Option<Described> {
    let property = entry.property?;
    let is_list = matches!(property.shape, Shape::List { .. });
    let values = entry.values.iter().collect();
    Some(Described { at: entry.at, key: entry.key, name: property.name, value_type: property.value_type, values, is_list })
}

impl Explanation {
    fn add(&mut self, described: Described) {
        let Described { at, key, name, .. } = described;
        if let Some(first) = self.properties.iter().find(|other| other.key == key) {
            self.faults.push(Fault::Repeated { key, name, at: (first.at, at) });
        }
        self.properties.push(described);
    }

    fn unknown(&mut self, entry: &Entry<'_>) {
        use clcu_sys::rules::MalformedKind;
        let tables: [&PropertyTable; 4] = [
            &opencl::PROPERTIES_OF_cl_mem_properties,
            &opencl::PROPERTIES_OF_cl_semaphore_properties_khr,
            &opencl::PROPERTIES_OF_cl_context_properties,
            &opencl::PROPERTIES_OF_cl_queue_properties,
        ];
        let elsewhere = tables.into_iter().find_map(|table| Some((table.name, table.find(entry.key)?.name)));
        let malformed = Malformed { at: entry.at, kind: MalformedKind::Unknown { key: entry.key } };
        self.faults.push(Fault::Malformed { malformed, elsewhere });
    }

    /// Whether nothing is wrong with the list's form.
    #[must_use]
    pub fn is_well_formed(&self) -> bool {
        self.faults.is_empty()
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.of)?;
        if self.properties.is_empty() {
            f.write_str(" no properties")?;
        }
        for property in &self.properties {
            write!(f, "\n  word {}: {} ({:#06X}) = ", property.at, property.name, property.key)?;
            if property.is_list {
                write!(f, "a list of {}", property.values.len())?;
            }
            for (index, value) in property.values.iter().enumerate() {
                f.write_str(if index > 0 {
                    ", "
                } else if property.is_list {
                    ": "
                } else {
                    ""
                })?;
                show(f, property, *value)?;
            }
        }
        self.faults.iter().try_for_each(|fault| write!(f, "\n  wrong: {fault}"))
    }
}

/// A value by its name, where its type has names; a file descriptor as a number; else as upstream writes numbers.
fn show(f: &mut fmt::Formatter<'_>, property: &Described, value: u64) -> fmt::Result {
    let number = u32::try_from(value).ok();
    let name = match property.value_type {
        "cl_semaphore_type_khr" => number.and_then(|value| cl_semaphore_type_khr(value).name()),
        "cl_external_semaphore_handle_type_khr" => number.and_then(|value| cl_external_semaphore_handle_type_khr(value).name()),
        "cl_external_memory_handle_type_khr" => number.and_then(|value| cl_external_memory_handle_type_khr(value).name()),
        _ => None,
    };
    let row = kind::of_semaphore_property(property.key).or_else(|| kind::of_memory_property(property.key));
    match (name, row.map(kind::form)) {
        (Some(name), _) => write!(f, "{name} ({value:#X})"),
        (None, Some(Form::Fd)) => write!(f, "file descriptor {}", value.cast_signed()),
        _ => write!(f, "{value:#X}"),
    }
}
