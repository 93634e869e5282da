//! The committed header is what cbindgen makes of the source.

use std::{env, fs, path::Path};

#[test]
fn the_header_is_made_of_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("the settings can be read");
    let bindings = cbindgen::Builder::new().with_crate(root).with_config(config).generate().expect("the source can be read");
    let mut made = Vec::new();
    bindings.write(&mut made);
    let made = String::from_utf8(made).expect("a text");
    let committed = root.join("include/clcu_check.h");
    if env::var_os("CLCU_BLESS").is_some() {
        fs::write(&committed, &made).expect("the header can be written");
    }
    let there = fs::read_to_string(&committed).unwrap_or_default();
    assert!(there == made, "include/clcu_check.h is not what cbindgen makes: CLCU_BLESS=1 cargo test -p clcu-check writes it anew");
}
