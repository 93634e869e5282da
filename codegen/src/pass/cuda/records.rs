//! Structs and unions.
//!
//! In: facts with names and layouts. Out: the model's records, each with since when it exists and whether it is deprecated.

use super::{deprecated, lifetime};
use crate::{
    import::cuda::Facts,
    model::{Member, Model, Record},
};

/// Adds every record.
pub(super) fn add(model: &mut Model, facts: &Facts) {
    let deprecated = deprecated(facts);
    model.records.extend(facts.records.iter().map(|record| {
        let members = record.members.iter().map(|member| Member {
            name: member.name.clone(),
            ctype: member.ctype.clone(),
            narrow_type: member.narrow_type.clone(),
            offset: member.offset,
            nameless: member.nameless,
            lifetime: lifetime(facts, deprecated.contains(&(&record.name, Some(&member.name)))),
        });
        Record {
            name: record.name.clone(),
            kind: record.kind,
            size: record.size,
            align: record.align,
            parent: record.parent.clone(),
            lifetime: lifetime(facts, deprecated.contains(&(&record.name, None))),
            windows: record.windows,
            members: members.collect(),
        }
    }));
}
