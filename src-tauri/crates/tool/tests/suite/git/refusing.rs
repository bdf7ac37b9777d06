//! What is not shown, and the sentence that says why.

use super::*;
use std::sync::atomic::Ordering;
use tool::git::{Compared, History, Lines};

fn blame_of(repo: &Repo, path: &str) -> Result<Value, Error> {
    git::blame(&repo.view(), &Lines { path, lines: None })
}

fn diff_of(repo: &Repo, path: &str) -> Result<Value, Error> {
    git::diff(
        &repo.view(),
        &Compared {
            path: Some(path),
            ..Compared::default()
        },
    )
}

fn log_of(repo: &Repo, path: &str) -> Result<Value, Error> {
    git::log(
        &repo.view(),
        &History {
            path: Some(path),
            limit: None,
        },
    )
}

#[test]
fn without_a_repository_or_a_commit() {
    let none = Repo::bare_folder();
    assert_eq!(git::status(&none.view()), Err(Error::NoRepository));
    fs::create_dir(none.root.join(".git")).unwrap();
    assert_eq!(
        git::status(&none.view()),
        Err(Error::NoRepository),
        "an empty folder is none"
    );
    let fresh = Repo::empty();
    assert_eq!(git::log(&fresh.view(), &History::default()), Err(Error::NoCommits));
    assert_eq!(blame_of(&fresh, "a"), Err(Error::NoCommits));
    let against = Compared {
        against: Some("HEAD"),
        ..Compared::default()
    };
    assert_eq!(git::diff(&fresh.view(), &against), Err(Error::NoCommits));
    let bare = Repo::bare_folder();
    bare.git("init -q --bare .git");
    assert_eq!(git::status(&bare.view()), Err(Error::Bare));
}

#[test]
fn paths_outside_and_secrets() {
    let repo = Repo::empty();
    repo.write(".env", "PASSWORD=hunter2\n");
    repo.write("keys/deploy.pem", "hunter2\n");
    repo.write("plain.txt", "open\n");
    repo.commit(0, "begin");
    repo.write(".env", "PASSWORD=hunter3\n");
    repo.write("plain.txt", "opened\n");
    for path in ["../x", "/etc/passwd", "a/../../x", "C:\\x\\..\\..\\y", "C:/x"] {
        if path.contains('\\') && !cfg!(windows) {
            continue;
        }
        for result in [blame_of(&repo, path), diff_of(&repo, path), log_of(&repo, path)] {
            assert_eq!(result, Err(Error::Outside(path.to_owned())));
        }
    }
    for path in [".env", "./.env", "keys/../.env", "keys/deploy.pem"] {
        for result in [blame_of(&repo, path), diff_of(&repo, path), log_of(&repo, path)] {
            let Err(Error::Denied { path: said, by }) = result else {
                panic!("{path} is not denied: {result:?}");
            };
            assert_eq!(said, path);
            assert!(by.starts_with("secrets are kept from commands"), "{by}");
        }
    }
    let all = repo.diff(&Compared::default());
    assert!(all["files"][0]["withheld"].as_str().unwrap().contains(".env"), "{all}");
    assert!(!all.to_string().contains("hunter"), "{all}");
    assert!(all["diff"].as_str().unwrap().contains("+opened"));
}

#[test]
fn a_secret_that_was_renamed_stays_one() {
    let repo = Repo::empty();
    let text: String = (0..20).map(|i| format!("KEY_{i}=hunter{i}\n")).collect();
    repo.write(".env", &text);
    repo.commit(0, "begin");
    repo.git("mv .env open.txt");
    repo.write("open.txt", text.replace("KEY_7=", "OTHER="));
    repo.git("add -A");
    let staged = repo.diff(&Compared {
        staged: true,
        ..Compared::default()
    });
    assert_eq!(staged["files"][0]["change"], "renamed");
    assert!(!staged.to_string().contains("hunter"), "{staged}");
}

#[test]
fn rules_of_the_project_count() {
    let mut repo = Repo::empty();
    repo.write("private/plan.md", "hush\n");
    repo.commit(0, "begin");
    repo.write("private/plan.md", "hush hush\n");
    repo.policy.read.deny.push("private/**".to_owned());
    let Err(Error::Denied { by, .. }) = blame_of(&repo, "private/plan.md") else {
        panic!("not denied");
    };
    assert_eq!(by, "deny rule `private/**`");
    assert!(!repo.diff(&Compared::default()).to_string().contains("hush"));
}

#[test]
fn what_has_no_lines() {
    let repo = Repo::empty();
    repo.write("picture", b"\x89PNG\0");
    repo.write("folder/a.txt", "1\n");
    repo.write("empty.txt", "");
    repo.write("large.txt", "a line\n".repeat(400_000));
    std::os::unix::fs::symlink("folder/a.txt", repo.root.join("link")).unwrap();
    repo.commit(0, "begin");
    assert_eq!(blame_of(&repo, "picture"), Err(Error::Binary("picture".to_owned())));
    assert_eq!(blame_of(&repo, "folder"), Err(Error::NoFile("folder".to_owned())));
    assert_eq!(blame_of(&repo, "link"), Err(Error::NoFile("link".to_owned())));
    assert_eq!(
        blame_of(&repo, "nowhere.txt"),
        Err(Error::Unknown("nowhere.txt".to_owned()))
    );
    assert_eq!(
        log_of(&repo, "nowhere.txt"),
        Err(Error::Unknown("nowhere.txt".to_owned()))
    );
    let path = "large.txt".to_owned();
    assert_eq!(
        blame_of(&repo, "large.txt"),
        Err(Error::TooLarge { path, bytes: 2_800_000 })
    );
    assert_eq!(blame_of(&repo, "empty.txt").unwrap()["hunks"], serde_json::json!([]));
    for lines in [(0, 1), (2, 1), (1, 2)] {
        let what = Lines {
            path: "folder/a.txt",
            lines: Some(lines),
        };
        assert!(matches!(
            git::blame(&repo.view(), &what),
            Err(Error::NoSuchLines { has: 1, .. })
        ));
    }
}

#[test]
fn versions_that_are_none() {
    let repo = Repo::empty();
    repo.write("a", "1");
    repo.commit(0, "begin");
    for version in [
        "nowhere",
        "--output=x",
        "-p",
        "",
        ":/begin",
        "HEAD^{/begin}",
        "main...main",
        "..",
        "main..",
        "HEAD~7",
    ] {
        let what = Compared {
            against: Some(version),
            ..Compared::default()
        };
        assert!(
            matches!(git::diff(&repo.view(), &what), Err(Error::NoVersion(_))),
            "{version}"
        );
    }
}

#[test]
fn whoever_does_not_wait_any_more_stops_it() {
    let repo = Repo::empty();
    repo.write("a", "1");
    repo.commit(0, "begin");
    let view = repo.view();
    view.stop.store(true, Ordering::Relaxed);
    assert_eq!(git::status(&view), Err(Error::Stopped));
    assert_eq!(git::log(&view, &History::default()), Err(Error::Stopped));
}
