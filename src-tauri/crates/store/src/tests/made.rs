//! What steps made in a run's folder, held against the log.

use super::folder::append;
use super::sample;
use crate::{FindingKind, Store, digest_of};
use engine::{Artifact, ExecutionStatus, StepResult};

#[test]
fn what_a_step_made_is_compared_and_put_back_only_where_it_is_gone() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let mut s = sample(&Store::open_memory().unwrap(), "run-1");
    let made = |path: &str, text: &str| Artifact {
        path: path.to_owned(),
        digest: digest_of(text.as_bytes()),
        bytes: text.len() as u64,
        was_there: false,
        executable: None,
    };
    let own = |name: &str, text: &str| made(&format!(".gatehouse/runs/run-1/{name}"), text);
    for (n, artifacts) in [
        vec![own("signal/check.md", "first")],
        vec![
            own("signal/check.md", "second"),
            own("signal/lost.bin", "not kept"),
            made("docs/a.md", "elsewhere"),
            made(".gatehouse/runs/run-12/b.md", "another run's"),
        ],
    ]
    .into_iter()
    .enumerate()
    {
        let result = StepResult {
            artifacts,
            ..StepResult::new(ExecutionStatus::Succeeded)
        };
        s.begin("s", 9, n as u32 + 1).end("s", 9, n as u32 + 1, result, None);
    }
    append(&store, &s, 0, s.batch.len());
    for text in ["first", "second", "elsewhere"] {
        store.put_blob(text.as_bytes()).unwrap();
    }
    let dir = store.run_dir(&s.run).unwrap();
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(dir.join("signal")).unwrap();
        std::fs::write(dir.join(name), text).unwrap();
    };
    let found = || {
        let (count, found) = store
            .verify_made(&s.run, &s.state, |step| format!("step {step}"))
            .unwrap();
        assert_eq!(count, 2, "one of each path, of this run's folder alone");
        assert!(
            found
                .iter()
                .all(|one| one.kind == FindingKind::Made && !one.kind.is_evidence())
        );
        found.into_iter().map(|one| one.message).collect::<Vec<_>>()
    };
    write("signal/check.md", "second");
    write("signal/lost.bin", "not kept");
    assert_eq!(found(), Vec::<String>::new());

    write("signal/check.md", "first");
    write("signal/lost.bin", "changed");
    let said = found().join("\n");
    assert!(
        said.contains("signal/check.md was changed since, by a later step or by somebody. The history keeps it"),
        "{said}"
    );
    assert!(
        said.ends_with("signal/lost.bin was changed since, by a later step or by somebody"),
        "{said}"
    );
    assert_eq!(store.put_back_made(&s.run, &s.state).unwrap(), Vec::<String>::new());
    assert_eq!(
        std::fs::read_to_string(dir.join("signal/check.md")).unwrap(),
        "first",
        "it may be work"
    );

    std::fs::remove_dir_all(dir.join("signal")).unwrap();
    let said = found().join("\n");
    assert!(said.contains("signal/check.md is gone. The history keeps it"), "{said}");
    assert_eq!(store.put_back_made(&s.run, &s.state).unwrap(), ["signal/check.md"]);
    assert_eq!(std::fs::read_to_string(dir.join("signal/check.md")).unwrap(), "second");
    let said = found().join("\n");
    assert!(said.ends_with("signal/lost.bin is gone"), "{said}");
    #[cfg(unix)]
    {
        std::fs::remove_file(dir.join("signal/check.md")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", dir.join("signal/check.md")).unwrap();
        let said = found().join("\n");
        assert!(said.contains("signal/check.md cannot be read"), "{said}");
    }
}
