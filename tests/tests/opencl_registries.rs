//! debug
use std::fs;
use clcu_codegen::{finding::{Document, Strictness, Severity}, import::opencl::registry, pass::opencl, overlay::Overlay, model::Api};
use clcu_tests::upstream;

#[test]
fn debug() {
    let text = fs::read_to_string(upstream::opencl_docs().unwrap().join("xml/cl.xml")).unwrap();
    let document = Document::new("cl.xml", &text);
    let (registry, _) = registry::import(&document, Strictness::Strict).unwrap_or_else(|e| panic!("{e}"));
    let overlay = Overlay::read(Document::new("overlay.toml", &fs::read_to_string("../spec/overlay.toml").unwrap())).unwrap();
    match opencl::model(&registry, &overlay, "main") {
        Err(f) => for x in f.0.iter().filter(|x| x.severity != Severity::Note) { println!("{:?} {x}", x.severity) },
        Ok((m, f)) => {
            for x in f.0.iter() { println!("{:?} {x}", x.severity) }
            println!("STALE {}", overlay.stale(Api::OpenCl));
            fs::write("/tmp/oclmodel.txt", format!("{m:#?}")).unwrap();
        for c in &m.constants { println!("CONST {}: {} = {}", c.name, c.ctype, c.value); }
        for e in &m.enumerations { println!("ENUM {} {} {:?} w={} {:?}", e.name, e.repr, e.kind, e.windows, e.lifetime.since); for x in &e.enumerators { println!("   {} = {} {:?} {:?}", x.name, x.value, x.alias_of, x.lifetime) } }
        for a in &m.aliases { println!("ALIAS {} = {} w={}", a.name, a.ctype, a.windows); }
        for a in &m.handles { println!("HANDLE {} {:?} w={}", a.name, a.threads, a.windows); }
        for r in &m.records { println!("RECORD {} {} {} w={}", r.name, r.size, r.align, r.windows); for x in &r.members { println!("   {}: {} @{}", x.name, x.ctype, x.offset) } }
        for c in &m.commands { println!("CMD {} {:?} w={} {:?} ({}) -> {}", c.name, c.error_channel, c.windows, c.lifetime, c.parameters.iter().map(|p| format!("{}: {}", p.name, p.ctype)).collect::<Vec<_>>().join(", "), c.returns); }
        for c in &m.macro_functions { println!("FN {}({:?}) {}", c.name, c.parameters, c.body); }
        println!("{} omitted", m.omitted.len());
        }
    }
}
