use super::import;
use crate::import::cuda::{Headers, testing};

#[test]
fn scratch() {
    let Some(libclang) = testing::libclang("scratch") else { return };
    let headers = Headers::read(std::path::Path::new(&std::env::var("CLCU_CUDA_INCLUDE").unwrap())).unwrap();
    let start = std::time::Instant::now();
    let (f, findings) = match import(&headers, &libclang) {
        Ok(x) => x,
        Err(e) => {
            for l in e.0.iter().filter(|f| f.severity == crate::finding::Severity::Error) {
                println!("{l}");
            }
            return;
        }
    };
    println!("{:?}", start.elapsed());
    println!(
        "{} {} {} {} {} {} {}",
        f.number,
        f.records.len(),
        f.enumerations.len(),
        f.enumerations.iter().map(|e| e.enumerators.len()).sum::<usize>(),
        f.typedefs.len(),
        f.functions.len(),
        f.versions.len()
    );
    for l in findings.0.iter().filter(|f| f.severity >= crate::finding::Severity::Warning) {
        println!("{l}");
    }
    for t in &f.typedefs {
        println!("T {} = {} {} {}", t.name, t.ctype, t.opaque, t.plain_call);
    }
    for m in &f.macros {
        println!("M {} {:?}", m.name, m.meaning);
    }
    for r in &f.records {
        println!("R {} {} {} {:?}", r.name, r.size, r.align, r.parent);
        for m in &r.members {
            println!("    {}: {} @{} {}", m.name, m.ctype, m.offset, m.nameless);
        }
    }
    for e in &f.enumerations {
        println!("E {} {}", e.name, e.repr);
        for v in &e.enumerators {
            println!("    {} = {}", v.name, v.value);
        }
    }
    for c in &f.functions {
        println!(
            "F {} {} {:?} {:?} {}",
            c.symbol,
            c.spelled,
            c.per_thread,
            c.deprecated,
            crate::model::CType::Function(Box::new(c.signature.clone()))
        );
    }
}
