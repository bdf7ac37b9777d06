//! The committed TypeScript is what the Rust types say.

use std::path::Path;

#[test]
fn bindings_are_up_to_date() {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/lib/api");
    let fresh = tempfile::tempdir().expect("a temporary folder");
    studio::command::write_bindings(fresh.path()).expect("bindings are written");
    let mut files = 0;
    for entry in std::fs::read_dir(fresh.path()).expect("readable") {
        let entry = entry.expect("readable");
        let name = entry.file_name();
        let now = std::fs::read_to_string(entry.path()).expect("readable");
        let before = std::fs::read_to_string(committed.join(&name)).unwrap_or_default();
        assert!(
            now == before,
            "{} is out of date: run `npm run gen`",
            name.to_string_lossy()
        );
        files += 1;
    }
    assert_eq!(files, 5, "drawing, engine, model, studio, commands");
}
