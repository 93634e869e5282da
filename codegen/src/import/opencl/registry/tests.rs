//! Import withstands what a registry never should be: each case is a fault, and no fault is a panic or goes without its place.

use super::{Registry, import};
use crate::finding::{Document, Findings, Severity, Strictness};

/// A registry with one of everything.
const WHOLE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<registry>
    <comment>Ours &amp; nobody else's.</comment>
    <types comment="types">
        <comment>scalars</comment>
        <type category="include" name="stdint">#include &lt;stdint.h&gt;</type>
        <type category="include" name="UINT" requires="stdint" comment="foreign"/>
        <type category="basetype" requires="stdint" name="void"/>
        <type category="define" requires="stdint">typedef <type>uint32_t</type> <name>cl_uint</name> __attribute__((aligned(4)));</type>
        <type category="define">typedef <type>int32_t</type> <name>cl_int</name>;</type>
        <type category="define">typedef struct _cl_thing * <name>cl_thing</name>;</type>
        <type category="define">typedef struct _cl_table <name>cl_table</name>;</type>
        <type category="define">#define <name>CL_MAKE</name>(a, b) \
    (((a) &lt;&lt; 3) | (b))</type>
        <type category="define" name="CL_TAG">
#if INTPTR_MAX == INT32_MAX
#define CL_TAG ((intptr_t)0x1)
#else
#define CL_TAG ((intptr_t)0x100000001)
#endif
        </type>
        <type category="struct" name="cl_desc">
            <member><type>cl_uint</type> <name>kind</name></member>
            <member><type>char</type> <name>label</name>[<enum>CL_LENGTH</enum>]</member>
            <member>union { cl_thing one; cl_thing other; }</member>
        </type>
    </types>
    <enums name="Constants" vendor="Us" comment="numbers">
        <enum value="8" name="CL_LENGTH"/>
        <enum comment="only a remark"/>
    </enums>
    <enums start="0" end="-9" name="ErrorCodes.0" vendor="Us">
        <comment>codes</comment>
        <enum value="-1" name="CL_BROKEN"/>
            <unused start="-2" end="-9" comment="free"/>
    </enums>
    <enums name="cl_flags" vendor="Us" type="bitmask">
        <enum bitpos="3" name="CL_FLAG"/>
    </enums>
    <commands>
        <command suffix="CL_API_SUFFIX__VERSION_1_0" prefix="CL_API_PREFIX" comment="old">
            <proto><type>cl_int</type> <name>clDo</name></proto>
            <param>const <type>cl_desc</type>* <name>desc</name></param>
            <param>void (CL_CALLBACK* <name>done</name>)(cl_thing thing, void* data)</param>
        </command>
    </commands>
    <feature api="opencl" name="CL_VERSION_1_0" number="1.0" comment="core">
        <require comment="things"><type name="cl_thing"/><enum name="CL_LENGTH"/><command name="clDo"/></require>
    </feature>
    <extensions>
        <extension name="cl_ext_more" revision="1.0.0" supported="opencl" ratified="opencl" depends="CL_VERSION_1_0" experimental="true">
            <require condition="defined(_WIN32)"><enum name="CL_FLAG"/></require>
        </extension>
    </extensions>
</registry>
"#;

fn read(text: &str, strictness: Strictness) -> Result<(Registry, Findings), Findings> {
    import(&Document::new("cl.xml", text), strictness)
}

/// The first error of strict import, with its place.
fn error(text: &str) -> String {
    let findings = read(text, Strictness::Strict).map(|_| ()).expect_err("an error");
    let first = findings.0.iter().find(|finding| finding.severity == Severity::Error).expect("an error among the findings");
    first.to_string()
}

#[test]
fn the_whole_registry_imports_without_a_finding() {
    let (registry, findings) = read(WHOLE, Strictness::Strict).unwrap_or_else(|findings| panic!("{findings}"));
    assert!(findings.0.is_empty(), "{findings}");
    assert_eq!((registry.types.len(), registry.blocks.len(), registry.commands.len()), (10, 3, 1));
}

/// Every start of an element or an attribute in [`WHOLE`], with its end: what the next test takes away.
fn parts() -> Vec<std::ops::Range<usize>> {
    let mut parts = Vec::new();
    let bytes = WHOLE.as_bytes();
    for (start, _) in WHOLE.match_indices('<').filter(|(at, _)| bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic)) {
        let tag_end = start + WHOLE[start..].find('>').expect("a tag ends") + 1;
        let tag = &WHOLE[start..tag_end];
        let name = tag[1..].split(|c: char| !c.is_ascii_alphanumeric()).next().expect("a name");
        let end = if tag.ends_with("/>") {
            tag_end
        } else {
            let close = format!("</{name}>");
            tag_end + WHOLE[tag_end..].find(&close).expect("an element ends") + close.len()
        };
        parts.push(start..end);
        for (equals, _) in tag.match_indices("=\"") {
            let from = start + tag[..equals].rfind(' ').expect("a space before an attribute");
            let to = start + equals + 2 + tag[equals + 2..].find('"').expect("a value ends") + 1;
            parts.push(from..to);
        }
    }
    parts
}

#[test]
fn taking_any_element_or_attribute_away_never_panics_and_every_error_has_its_place() {
    let parts = parts();
    assert!(parts.len() > 100, "{} parts", parts.len());
    for part in parts {
        let text = format!("{}{}", &WHOLE[..part.start], &WHOLE[part.end..]);
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            let findings = match read(&text, strictness) {
                Ok((_, findings)) | Err(findings) => findings,
            };
            for finding in findings.0 {
                let place =
                    finding.place.as_ref().unwrap_or_else(|| panic!("no place without `{}`: {finding}", &WHOLE[part.clone()]));
                assert!(place.line() >= 1 && place.column() >= 1);
            }
        }
    }
}

proptest::proptest! {
    #[test]
    fn writing_anything_over_it_never_panics_and_every_finding_has_its_place(at in 0..WHOLE.len(), length in 0..40_usize, text in "[<>/&;\"= a-z]{0,12}") {
        let boundary = |mut at: usize| {
            while !WHOLE.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (start, end) = (boundary(at), boundary((at + length).min(WHOLE.len())));
        let changed = format!("{}{text}{}", &WHOLE[..start], &WHOLE[end..]);
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            let findings = match read(&changed, strictness) {
                Ok((_, findings)) | Err(findings) => findings,
            };
            proptest::prop_assert!(findings.0.iter().all(|finding| finding.place.is_some()), "{findings}");
        }
    }
}

#[test]
fn cutting_it_off_anywhere_is_an_error_with_its_place() {
    let last = WHOLE.trim_end().len();
    for end in (0..last).filter(|end| WHOLE.is_char_boundary(*end)) {
        let findings = read(&WHOLE[..end], Strictness::Lenient).map(|_| ()).expect_err("a truncated document is no registry");
        assert!(findings.0.iter().all(|finding| finding.place.is_some()), "cut at {end}: {findings}");
    }
}

#[test]
fn a_truncated_document_names_the_element_that_is_open() {
    assert_eq!(
        error("<registry>\n  <types>\n    <type category=\"define\">"),
        "cl.xml:3:5: the document ends inside <type>; wanted </type>; the document is truncated: fetch it again"
    );
}

#[test]
fn a_bomb_of_nested_elements_costs_neither_stack_nor_time() {
    let bomb = "<registry>".repeat(4_000_000);
    assert!(error(&bomb).starts_with("cl.xml:1:161: <registry> is one element too many; found depth 17"), "{}", error(&bomb));
}

#[test]
fn an_overlarge_document_is_refused_before_it_is_read() {
    let large = " ".repeat((64 << 20) + 1);
    assert!(error(&large).contains("the document is too large for a registry"));
}

#[test]
fn an_entity_bomb_is_refused() {
    let bomb = "<!DOCTYPE r [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><registry><comment>&b;</comment></registry>";
    assert!(error(bomb).contains("a document type declaration"), "{}", error(bomb));
    assert!(error("<registry><comment>&b;</comment></registry>").contains("the entity `&b;` is not defined"));
}

#[test]
fn malformed_xml_is_an_error_at_its_place() {
    assert!(
        error("<registry>\n <types></type>\n</registry>").starts_with("cl.xml:2:"),
        "{}",
        error("<registry>\n <types></type>\n</registry>")
    );
    assert!(error("<registry>\n <types comment=x/>\n</registry>").starts_with("cl.xml:2:"));
    assert!(error("<registry/><registry/>").contains("second root element"));
    assert!(error("").contains("holds no element"));
    assert!(error("<html/>").contains("the document is no registry"));
}

#[test]
fn bytes_that_are_not_utf_8_are_an_error_at_their_place() {
    let finding = Document::from_bytes("cl.xml", b"<registry>\n\xff</registry>").expect_err("not UTF-8");
    assert_eq!(finding.place.map(|place| (place.line(), place.column())), Some((2, 1)));
}
