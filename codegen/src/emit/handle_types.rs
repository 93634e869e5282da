//! Emits `handle_types`: every kind of external handle with all its columns.
//!
//! In: the rows. Out: a constant row each, in the order of kind and value. A column that is unspecified is left out.

use super::{page::Page, types::literal};
use crate::model::{ExportedSize, HandleType, Model, Path};

/// The file of handle types.
pub(super) fn emit<'a>(model: &Model, mut page: Page<'a>) -> Page<'a> {
    if model.handle_types.is_empty() {
        return page;
    }
    page.needs(
        "crate::rules::{ExportedSize, HandleKind, HandleType, InitialState, Owner, Payload, Permanence, Platform, Transference}",
    );
    page.open();
    page.line(0, "/// Every kind of external handle that the API has, by kind and value.");
    page.line(0, "pub static HANDLE_TYPES: &[HandleType] = &[");
    for row in &model.handle_types {
        let about: Vec<&str> = [row.enumeration.as_deref(), row.record.as_deref(), Some(&row.name)].into_iter().flatten().collect();
        page.row(&about);
        page.line(1, "HandleType {");
        for (column, value) in columns(row) {
            page.line(2, format_args!("{column}: {value},"));
        }
        page.line(2, "..HandleType::UNSPECIFIED");
        page.line(1, "},");
    }
    page.close();
    page.line(0, "];");
    page
}

/// The columns of a row that say something.
fn columns(row: &HandleType) -> Vec<(&'static str, String)> {
    let texts = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| literal(text)).collect();
        (!texts.is_empty()).then(|| format!("&[{}]", texts.join(", ")))
    };
    let paths = |paths: &[Path]| texts(&paths.iter().map(ToString::to_string).collect::<Vec<_>>());
    let text = |text: &Option<String>| text.as_ref().map(|text| literal(text));
    let value = |value: Option<i128>| value.map(|number| format!("Some({number})"));
    let quoted = |release: Option<String>| release.map(|release| format!("\"{release}\""));
    let size = match row.exported_size {
        ExportedSize::Int => "INT".to_owned(),
        ExportedSize::Pointer => "POINTER".to_owned(),
        ExportedSize::U32 => "U32".to_owned(),
        ExportedSize::Bytes(count) => format!("Bytes({count})"),
        ExportedSize::Never => "Never".to_owned(),
        ExportedSize::Unspecified => "Unspecified".to_owned(),
    };
    let columns = [
        ("kind", Some(format!("HandleKind::{:?}", row.kind))),
        ("name", Some(literal(&row.name))),
        ("short", Some(literal(&row.short))),
        ("enumeration", text(&row.enumeration)),
        ("value", value(row.value.and_then(crate::model::Value::integer))),
        ("record", text(&row.record)),
        ("members", paths(&row.members)),
        ("signal", paths(&row.signal)),
        ("wait", paths(&row.wait)),
        ("platform", Some(format!("Platform::{:?}", row.platform))),
        ("transference", Some(format!("Transference::{:?}", row.transference))),
        ("permanence", Some(format!("Permanence::{:?}", row.permanence))),
        ("owner_on_success", Some(format!("Owner::{:?}", row.owner_on_success))),
        ("owner_on_failure", Some(format!("Owner::{:?}", row.owner_on_failure))),
        ("payload", Some(format!("Payload::{:?}", row.payload))),
        ("initial_state", Some(format!("InitialState::{:?}", row.initial_state))),
        ("required_flags", texts(&row.required_flags)),
        ("allowed_flags", texts(&row.allowed_flags)),
        ("exported_size", Some(format!("ExportedSize::{size}"))),
        ("capability_query", text(&row.capability_query)),
        ("extension", text(&row.extension)),
        ("special_value", value(row.special_value.and_then(crate::model::Value::integer))),
        ("vulkan", texts(&row.counterparts.vulkan)),
        ("d3d", texts(&row.counterparts.d3d)),
        ("cuda", texts(&row.counterparts.cuda)),
        ("opencl", texts(&row.counterparts.opencl)),
        ("since", quoted(row.lifetime.since.map(|version| version.to_string()))),
        ("until", quoted(row.lifetime.until.map(|release| release.to_string()))),
    ];
    columns.into_iter().filter_map(|(column, value)| Some((column, value?))).collect()
}
