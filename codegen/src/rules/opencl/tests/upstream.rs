//! Against the specification itself, where it is there.
use std::fs;
use crate::import::opencl::text::tests::upstream::Upstream;
use crate::rules::opencl::*;

#[test]
fn explore() {
    for upstream in Upstream::all("explore") {
        let (facts, _) = upstream.facts();
        let vocabulary = upstream.vocabulary();
        let started = std::time::Instant::now();
        let (reading, findings) = read(&facts, &vocabulary, &Release(upstream.name.clone()), Strictness::Lenient).unwrap();
        println!("{:?}", started.elapsed());
        println!("{findings}");
        let mut n = [0; 4];
        let mut e = [0; 4];
        let mut out = String::new();
        for c in reading.coverage.iter().filter(|c| !c.inherited && c.command == c.list) {
            n[c.class as usize] += 1;
            if c.external {
                e[c.class as usize] += 1;
            }
            if c.class == Class::Unread {
                out += &format!("UNREAD {} {:?} {} {}\n", c.command, c.code, c.place, c.place.document().text()[c.place.range()].split_whitespace().collect::<Vec<_>>().join(" "));
            }
        }
        println!("{}: {n:?} external {e:?} rules {} unique {}", upstream.name, reading.rules.len(), reading.rules.iter().map(|r| &r.id).collect::<std::collections::BTreeSet<_>>().len());
        for r in &reading.rules {
            out += &format!("{} | {} | when {} | {:?} {:?}\n", r.id, r.predicate, r.when.iter().map(|c| c.to_string()).collect::<Vec<_>>().join(" && "), r.lifetime.extensions, r.lifetime.since);
        }
        for p in &reading.properties {
            out += &format!("PROP {p:?}\n");
        }
        for h in &reading.handle_types {
            out += &format!("{h:#?}\n");
        }
        fs::write(format!("/tmp/rules_{}.txt", upstream.name), out).unwrap();
    }
}

#[test]
fn dbg() {
    let mut vocabulary = Vocabulary::default();
    vocabulary.commands.insert("clX".into(), vec![("sema_props".into(), "cl_semaphore_properties_khr".into())]);
    let types = super::super::vocabulary::Types::default();
    let scope = super::super::vocabulary::Scope::new(&vocabulary, vec!["clX"], &types);
    for t in ["if a property name in _sema_props_ is not a supported property name", "if the value specified for a supported property name is not valid", "if the same property name is specified more than once", "if a property name in _sema_props_ is not a supported property name, if the value specified for a supported property name is not valid", "if the value specified for a supported property name is not valid, or if the same property name is specified more than once"] {
        let p = crate::import::opencl::text::prose::Prose::read(t).0;
        println!("DBG {t}: {:?}", super::super::forms::read(&p.tokens, &scope));
    }
}
