//! Each step on a registry of a few lines. The golden cases of `clcu-tests` show the steps together.

use super::{
    availability::{self, Requirements},
    constants, external, layout,
    layout::Layouts,
    lines, model, model_as, threads,
    typedefs::Typedefs,
};
use crate::{
    finding::{Document, Findings, Severity, Strictness},
    import::opencl::registry::{self, ItemKind, Registry},
    model::{CType, Lifetime, PerTarget, Record, RecordKind, ThreadSafety, Value, Version},
    overlay::Overlay,
};

/// The registry whose root holds `text`.
fn registry(text: &str) -> Registry {
    let document = Document::new("cl.xml", &format!("<registry>\n{text}\n</registry>\n"));
    registry::import(&document, Strictness::Strict).unwrap_or_else(|findings| panic!("{findings}")).0
}

fn typedefs(lines: &[&str]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("<type category=\"define\">{line}</type>")).collect();
    format!("<types>\n{}\n</types>", lines.join("\n"))
}

const SCALARS: [&str; 4] = [
    "typedef <type>uint32_t</type> <name>cl_uint</name>;",
    "typedef <type>uint64_t</type> <name>cl_ulong</name> __attribute__((aligned(8)));",
    "typedef <type>cl_ulong</type> <name>cl_bitfield</name>;",
    "typedef struct _cl_mem * <name>cl_mem</name>;",
];

fn record(kind: RecordKind, members: &[(&str, CType)]) -> Record {
    Record {
        name: "cl_test".to_owned(),
        kind,
        size: PerTarget::same(0),
        align: PerTarget::same(0),
        parent: None,
        lifetime: Lifetime::default(),
        windows: false,
        members: members.iter().map(|(name, ctype)| layout::member(name, ctype.clone(), false, Lifetime::default())).collect(),
    }
}

/// Size and alignment of a record with `members`.
fn laid_out(kind: RecordKind, members: &[(&str, CType)]) -> (String, String) {
    let registry = registry(&typedefs(&SCALARS));
    let typedefs = Typedefs::new(&registry);
    let mut layouts = Layouts { typedefs: &typedefs, records: std::collections::BTreeMap::new() };
    let mut record = record(kind, members);
    layouts.lay_out(&mut record).expect("every member has a size");
    (record.size.to_string(), record.align.to_string())
}

#[test]
fn a_plain_number_of_64_bits_is_aligned_to_4_on_32_bit_linux_only() {
    let (size, align) = laid_out(RecordKind::Struct, &[("a", CType::named("u32")), ("b", CType::named("u64"))]);
    assert_eq!((size.as_str(), align.as_str()), ("16/16/12", "8/8/4"));
}

#[test]
fn an_alignment_that_a_typedef_demands_goes_through_other_typedefs() {
    let (size, align) = laid_out(RecordKind::Struct, &[("a", CType::named("cl_uint")), ("b", CType::named("cl_bitfield"))]);
    assert_eq!((size.as_str(), align.as_str()), ("16", "8"));
}

#[test]
fn a_union_is_as_large_as_its_largest_member() {
    let array = CType::Array { of: Box::new(CType::named("c_char")), length: 5 };
    let (size, align) = laid_out(RecordKind::Union, &[("a", CType::named("cl_mem")), ("b", array)]);
    assert_eq!((size.as_str(), align.as_str()), ("8", "8/4/4"));
}

#[test]
fn a_member_without_a_size_is_named() {
    let registry = registry(&typedefs(&SCALARS));
    let typedefs = Typedefs::new(&registry);
    let mut layouts = Layouts { typedefs: &typedefs, records: std::collections::BTreeMap::new() };
    assert_eq!(layouts.lay_out(&mut record(RecordKind::Struct, &[("ghost", CType::named("cl_ghost"))])), Err("ghost".to_owned()));
    let endless = CType::Array { of: Box::new(CType::named("u64")), length: u64::MAX };
    assert_eq!(layouts.lay_out(&mut record(RecordKind::Struct, &[("endless", endless)])), Err("endless".to_owned()));
    let half = CType::Array { of: Box::new(CType::named("c_char")), length: u64::MAX / 2 };
    let halves = [("one", half.clone()), ("other", half.clone()), ("last", half)];
    assert_eq!(layouts.lay_out(&mut record(RecordKind::Struct, &halves)), Err("other".to_owned()));
}

#[test]
fn what_others_stand_on_is_a_building_block_and_a_property_list_is_not() {
    let mut lines = SCALARS.to_vec();
    lines.push("typedef <type>intptr_t</type> <name>cl_context_properties</name>;");
    lines.push("typedef <type>cl_uint</type> <name>cl_kind</name>;");
    lines.push("typedef <type>cl_bitfield</type> <name>cl_flags</name>;");
    let registry = registry(&typedefs(&lines));
    let typedefs = Typedefs::new(&registry);
    for name in ["cl_uint", "cl_ulong", "cl_bitfield"] {
        assert!(typedefs.is_building_block(name), "{name}");
    }
    assert!(typedefs.can_be_enumeration("cl_context_properties") && typedefs.can_be_enumeration("cl_kind"));
    assert!(!typedefs.can_be_enumeration("cl_uint") && !typedefs.can_be_enumeration("cl_mem"));
    assert_eq!(typedefs.integer("cl_context_properties"), Some("isize"));
}

#[test]
fn a_circle_of_typedefs_ends() {
    let circle = ["typedef <type>cl_b</type> <name>cl_a</name>;", "typedef <type>cl_a</type> <name>cl_b</name>;"];
    let registry = registry(&typedefs(&circle));
    let typedefs = Typedefs::new(&registry);
    assert_eq!(typedefs.primitive("cl_a"), None);
    assert_eq!(typedefs.demanded_alignment("cl_a"), None);
}

#[test]
fn a_value_is_converted_as_c_does_and_refused_where_bits_would_be_lost() {
    let registry = registry(
        "<enums name=\"Constants\"><enum value=\"(0xAA &lt;&lt; 24)\" name=\"CL_SHIFTED\"/><enum value=\"-1\" name=\"CL_MINUS\"/>\
         <enum value=\"0x100000000\" name=\"CL_WIDE\"/></enums>",
    );
    let mut findings = Findings::default();
    let known = constants::evaluate(&registry, &Typedefs::new(&registry), &mut findings);
    assert_eq!(known["CL_SHIFTED"].in_type("u32"), Ok(Value::Hex(0xAA00_0000)));
    assert_eq!(known["CL_MINUS"].in_type("isize"), Ok(Value::Decimal(-1)));
    assert_eq!(known["CL_WIDE"].in_type("u32"), Err("4294967296 does not fit into `u32`".to_owned()));
    assert_eq!(known["CL_MINUS"].in_type("f32"), Err("`f32` is no integer type".to_owned()));
    assert!(findings.0.is_empty(), "{findings}");
}

#[test]
fn the_earliest_version_counts_and_every_extension() {
    let registry = registry(
        "<enums name=\"Constants\"><enum value=\"1\" name=\"CL_ONE\"/></enums>\
         <feature name=\"CL_VERSION_2_0\" number=\"2.0\"><require><enum name=\"CL_ONE\"/></require></feature>\
         <feature name=\"CL_VERSION_1_1\" number=\"1.1\"><require><enum name=\"CL_ONE\"/></require></feature>\
         <extensions><extension name=\"cl_b\"><require><enum name=\"CL_ONE\"/><enum name=\"CL_ONE\"/></require></extension>\
         <extension name=\"cl_a\"><require condition=\"!defined(CL_VERSION_2_0)\"><enum name=\"CL_ONE\"/></require></extension></extensions>",
    );
    let lifetime = Requirements::new(&registry).lifetime(ItemKind::Enum, "CL_ONE");
    assert_eq!(lifetime.since, Some(Version::new(1, 1)));
    assert_eq!(lifetime.extensions, ["cl_a", "cl_b"]);
}

#[test]
fn a_suffix_is_deprecated_by_the_next_version_that_there_is() {
    let registry = registry("<feature name=\"CL_VERSION_1_2\" number=\"1.2\"/><feature name=\"CL_VERSION_2_0\" number=\"2.0\"/>");
    let deprecated = |suffix| availability::deprecated_by(suffix, &registry);
    assert_eq!(deprecated("CL_API_SUFFIX__VERSION_1_2_DEPRECATED"), Some(Version::new(2, 0)));
    assert_eq!(deprecated("CL_API_SUFFIX__VERSION_1_2"), None);
    assert_eq!(deprecated("CL_API_SUFFIX__VERSION_2_0_DEPRECATED"), None, "nothing newer is known");
}

#[test]
fn an_item_is_of_windows_only_if_nothing_brings_it_elsewhere() {
    let registry = registry(
        "<types><type category=\"include\" name=\"d3d10.h\">#include &lt;d3d10.h&gt;</type></types>\
         <enums name=\"Constants\"><enum value=\"1\" name=\"CL_HERE\"/><enum value=\"2\" name=\"CL_BOTH\"/></enums>\
         <extensions><extension name=\"cl_d3d\"><require><type name=\"d3d10.h\"/><enum name=\"CL_HERE\"/><enum name=\"CL_BOTH\"/></require></extension>\
         <extension name=\"cl_any\"><require><enum name=\"CL_BOTH\"/></require></extension></extensions>",
    );
    let requirements = Requirements::new(&registry);
    assert!(requirements.is_windows(ItemKind::Enum, "CL_HERE"));
    assert!(!requirements.is_windows(ItemKind::Enum, "CL_BOTH"));
    assert!(external::mentions_windows(&CType::named("ID3D10Buffer").pointer_to_mut()));
}

#[test]
fn a_kernel_may_move_between_threads_and_not_be_shared() {
    assert_eq!(threads::promise("cl_kernel"), ThreadSafety::Send);
    assert_eq!(threads::promise("cl_context"), ThreadSafety::Any);
    assert_eq!(threads::promise("CLeglSyncKHR"), ThreadSafety::None);
}

#[test]
fn lines_are_those_of_the_declaration() {
    let registry = registry(
        "<enums name=\"Constants\">\n<enum value=\"1\" name=\"CL_ONE\"/>\n</enums>\n<commands><command>\n<proto><type>void</type> <name>clDo</name></proto>\n</command></commands>",
    );
    assert_eq!(lines(&registry), [("CL_ONE".to_owned(), 3, 3), ("clDo".to_owned(), 5, 7)]);
}

#[test]
fn taking_any_line_away_never_panics() {
    let whole = [
        "<types>",
        "<type category=\"define\">typedef <type>uint64_t</type> <name>cl_ulong</name> __attribute__((aligned(8)));</type>",
        "<type category=\"define\">typedef <type>cl_ulong</type> <name>cl_bitfield</name>;</type>",
        "<type category=\"define\">typedef <type>cl_bitfield</type> <name>cl_flags</name>;</type>",
        "<type category=\"define\">typedef struct _cl_mem * <name>cl_mem</name>;</type>",
        "<type category=\"define\">#define <name>CL_BOTH</name> (CL_A | CL_B)</type>",
        "<type category=\"define\">#define <name>CL_ADD</name>(a) ((a) + CL_LENGTH)</type>",
        "<type category=\"struct\" name=\"cl_desc\"><member><type>cl_flags</type> <name>flags</name></member>\
         <member><type>char</type> <name>label</name>[<enum>CL_LENGTH</enum>]</member>\
         <member>union { cl_mem one; cl_mem other; }</member></type>",
        "</types>",
        "<enums name=\"Constants\"><enum value=\"4\" name=\"CL_LENGTH\"/></enums>",
        "<enums name=\"cl_flags\" type=\"bitmask\"><enum bitpos=\"0\" name=\"CL_A\"/><enum bitpos=\"1\" name=\"CL_B\"/></enums>",
        "<enums name=\"ErrorCodes.0\" start=\"0\" end=\"-9\"><enum value=\"0\" name=\"CL_SUCCESS\"/></enums>",
        "<commands><command><proto><type>cl_mem</type> <name>clDo</name></proto><param>const <type>cl_desc</type>* <name>desc</name></param></command></commands>",
    ];
    let import = |lines: &[&str]| {
        let document = Document::new("cl.xml", &format!("<registry>\n{}\n</registry>\n", lines.join("\n")));
        registry::import(&document, Strictness::Lenient).ok()
    };
    let (registry, _) = import(&whole).expect("the whole imports");
    let (whole_model, _) = model(&registry, &Overlay::empty(), "test").unwrap_or_else(|findings| panic!("{findings}"));
    assert_eq!((whole_model.records.len(), whole_model.enumerations.len(), whole_model.commands.len()), (2, 2, 1));
    let mut refused = 0;
    for line in 0..whole.len() {
        let mut lines = whole.to_vec();
        lines.remove(line);
        let Some((registry, _)) = import(&lines) else { continue };
        refused += usize::from(model(&registry, &Overlay::empty(), "test").is_err());
    }
    assert!(refused >= 5, "{refused} of these registries lack something that the model needs");
}

/// A published state holds slips for good: what of it nobody can tell is listed, and the rest is read.
#[test]
fn lenient_reading_leaves_out_what_cannot_be_told_and_lists_it() {
    let command = |name: &str, ctype: &str| {
        format!(
            "<command><proto><type>cl_uint</type> <name>{name}</name></proto><param><type>{ctype}</type> <name>a</name></param></command>"
        )
    };
    let text = format!(
        "{}\n<enums name=\"Values\"><enum value=\"0x1\" name=\"CL_OF_WHAT\"/></enums>\n<commands>\n{}\n{}\n</commands>",
        typedefs(&SCALARS),
        command("clKnown", "cl_uint"),
        command("clUnknown", "DXGI_FORMAT"),
    );
    let registry = registry(&text);
    let strict = model(&registry, &Overlay::empty(), "3.0.8").expect_err("two things that nobody can tell");
    let errors: Vec<_> = strict.0.iter().filter(|found| found.severity == Severity::Error).map(|found| &found.what).collect();
    let told =
        ["which type `CL_OF_WHAT` belongs to cannot be told", "`clUnknown` uses the type `DXGI_FORMAT`, which nothing defines"];
    assert_eq!(errors, told);
    let (model, found) = model_as(&registry, &Overlay::empty(), "3.0.8", Strictness::Lenient).expect("lenient reading");
    let symbols: Vec<_> = model.commands.iter().map(|command| command.symbol.as_str()).collect();
    assert_eq!((symbols, model.constants.len()), (vec!["clKnown"], 0));
    let listed: Vec<_> = found.0.iter().filter(|found| found.softened).map(|found| found.what.as_str()).collect();
    assert_eq!(listed, told);
}
