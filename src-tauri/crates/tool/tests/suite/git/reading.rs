//! What is told is what `git` tells.

use super::*;
use serde_json::json;
use tool::git::{Compared, History, Lines};

/// A repository with every kind of change in it.
fn changed() -> Repo {
    let repo = Repo::empty();
    let poem = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n";
    for name in [
        "staged.txt",
        "edited.txt",
        "gone.txt",
        "moved.txt",
        "both.txt",
        "dropped.txt",
    ] {
        repo.write(name, format!("{name}\n{poem}"));
    }
    repo.write("deep/er/file.txt", "x\n");
    repo.write(".gitignore", "*.log\n");
    repo.commit(0, "begin");
    repo.write("staged.txt", format!("staged.txt\nnew\n{poem}"));
    repo.write("both.txt", format!("both.txt\n{poem}thirteen\n"));
    repo.write("fresh file.txt", "no line end");
    repo.git("mv moved.txt elsewhere.txt");
    repo.git("rm -q gone.txt");
    repo.git("add staged.txt both.txt 'fresh file.txt'");
    repo.write("both.txt", format!("both.txt, again\n{poem}thirteen\n"));
    repo.write("edited.txt", format!("edited.txt\n{}", poem.replace("six", "6")));
    fs::remove_file(repo.root.join("dropped.txt")).unwrap();
    repo.write("unknown.txt", "?");
    repo.write("other/a.txt", "?");
    repo.write("noise.log", "?");
    repo
}

#[test]
fn a_status_is_what_git_says() {
    let repo = changed();
    let before = fs::read(repo.root.join(".git/index")).unwrap();
    let status = repo.status();
    assert_eq!(
        fs::read(repo.root.join(".git/index")).unwrap(),
        before,
        "reading writes nothing"
    );
    assert_eq!(
        status,
        json!({
            "branch": "main",
            "head": repo.git("rev-parse HEAD").trim(),
            "clean": false,
            "staged": [
                {"path": "both.txt", "change": "modified"},
                {"path": "elsewhere.txt", "change": "renamed", "from": "moved.txt"},
                {"path": "fresh file.txt", "change": "added"},
                {"path": "gone.txt", "change": "removed"},
                {"path": "staged.txt", "change": "modified"},
            ],
            "unstaged": [
                {"path": "both.txt", "change": "modified"},
                {"path": "dropped.txt", "change": "removed"},
                {"path": "edited.txt", "change": "modified"},
            ],
            "untracked": ["other/", "unknown.txt"],
            "conflicts": [],
            "truncated": false,
        })
    );
    let porcelain = repo.git("status --porcelain");
    assert_eq!(
        porcelain.lines().count(),
        5 + 2 + 2,
        "both.txt is one line there: {porcelain}"
    );
    repo.commit(1, "all");
    assert_eq!(repo.status()["clean"], json!(true));
}

#[test]
fn before_the_first_commit_there_is_a_status() {
    let repo = Repo::empty();
    assert_eq!(repo.status()["clean"], json!(true));
    repo.write("a", "1");
    repo.git("add a");
    let status = repo.status();
    assert_eq!(status["head"], Value::Null);
    assert_eq!(status["branch"], json!("main"));
    assert_eq!(status["staged"], json!([{"path": "a", "change": "added"}]));
    assert!(
        repo.diff(&Compared {
            staged: true,
            ..Compared::default()
        })["diff"]
            .as_str()
            .unwrap()
            .contains("+1\n\\ No newline")
    );
}

#[test]
fn a_conflict_is_named() {
    let repo = Repo::empty();
    repo.write("a", "1\n");
    repo.commit(0, "one");
    repo.git("checkout -q -b side");
    repo.write("a", "2\n");
    repo.commit(1, "two");
    repo.git("checkout -q main");
    repo.write("a", "3\n");
    repo.commit(2, "three");
    let merge = Command::new("git")
        .args(["merge", "-q", "side"])
        .current_dir(&repo.root)
        .output()
        .unwrap();
    assert!(!merge.status.success());
    let status = repo.status();
    assert_eq!(status["conflicts"], json!(["a"]));
    assert_eq!((&status["staged"], &status["unstaged"]), (&json!([]), &json!([])));
    assert!(repo.diff(&Compared::default())["files"][0]["withheld"].is_string());
}

/// The text of a diff without what names objects, which is not shown here.
fn plain(diff: &str) -> String {
    let names_objects = |line: &&str| line.starts_with("index ") || line.starts_with("similarity index");
    // What Git says after the second @@ is the line before, for orientation.
    let line = |line: &str| match line.strip_prefix("@@ ").and_then(|rest| rest.split_once(" @@")) {
        Some((range, _)) => format!("@@ {range} @@\n"),
        None => format!("{line}\n"),
    };
    diff.lines().filter(|l| !names_objects(l)).map(line).collect()
}

#[test]
fn a_diff_is_what_git_says() {
    let repo = changed();
    repo.write("run.sh", "true\n");
    repo.git("add run.sh");
    repo.git("update-index --chmod=+x run.sh");
    let same = |what: Compared<'_>, line: &str| {
        let ours = repo.diff(&what);
        let theirs = plain(&repo.git(&format!("diff --no-color --diff-algorithm=histogram -M {line}")));
        assert_eq!(ours["diff"].as_str().unwrap(), theirs, "{line}");
        assert!(!theirs.is_empty(), "{line}");
        ours
    };
    let staged = Compared {
        staged: true,
        ..Compared::default()
    };
    let ours = same(staged.clone(), "--staged");
    assert_eq!((&ours["before"], &ours["after"]), (&json!("HEAD"), &json!("index")));
    repo.commit(1, "second");
    repo.write("edited.txt", "short\n");
    repo.write("run.sh", "false\n");
    let ours = same(Compared::default(), "");
    assert_eq!(
        ours["files"][0],
        json!({"path": "edited.txt", "change": "modified", "added": 1, "removed": 13, "binary": false})
    );
    same(
        Compared {
            against: Some("HEAD~1"),
            ..Compared::default()
        },
        "--no-renames HEAD~1",
    );
    same(
        Compared {
            against: Some("HEAD~1..HEAD"),
            ..Compared::default()
        },
        "HEAD~1..HEAD",
    );
    same(
        Compared {
            against: Some("HEAD~1"),
            staged: true,
            path: Some("./staged.txt"),
        },
        "--staged HEAD~1 -- staged.txt",
    );
}

#[test]
fn line_ends_are_compared_as_they_are_stored() {
    let repo = Repo::empty();
    repo.git("config core.autocrlf true");
    repo.write("a.txt", "one\r\ntwo\r\n");
    repo.commit(0, "begin");
    repo.write("a.txt", "one\r\nTWO\r\n");
    let diff = repo.diff(&Compared::default());
    assert_eq!(diff["files"][0]["added"], json!(1), "{diff}");
}

#[test]
fn names_and_bytes_of_every_kind_are_shown() {
    let repo = Repo::empty();
    repo.write("tab\tquote\".txt", "a\n");
    repo.write("latin.txt", b"caf\xe9\n");
    repo.write("picture", b"\x89PNG\0\0");
    repo.commit(0, "begin");
    repo.write("tab\tquote\".txt", "b\n");
    repo.write("latin.txt", b"caf\xe9s\n");
    repo.write("picture", b"\x89PNG\0\x01");
    let diff = repo.diff(&Compared::default());
    let text = diff["diff"].as_str().unwrap();
    assert!(text.contains("--- \"a/tab\\tquote\\\".txt\"\n"), "{text}");
    assert!(text.contains("+caf\u{fffd}s\n"), "{text}");
    assert!(text.contains("Binary files a/picture and b/picture differ\n"), "{text}");
    assert_eq!(diff["files"][1]["binary"], json!(true));
}

#[test]
fn a_long_diff_is_cut_between_files() {
    let repo = Repo::empty();
    let long: String = (0..20_000).map(|i| format!("line {i}\n")).collect();
    repo.write("a.txt", "small\n");
    repo.write("b.txt", "");
    repo.commit(0, "begin");
    repo.write("b.txt", &long);
    repo.write("c.txt", &long);
    repo.git("add -N c.txt");
    repo.write("a.txt", "smaller\n");
    let diff = repo.diff(&Compared::default());
    assert_eq!(diff["truncated"], json!(true));
    assert!(diff["diff"].as_str().unwrap().len() <= 256 * 1024);
    assert_eq!(diff["files"][1]["added"], json!(20_000), "{}", diff["files"]);
    assert!(diff["diff"].as_str().unwrap().contains("+smaller"));
}

/// A history with merges: branches that touch different files, one that is thrown away.
fn woven() -> Repo {
    let repo = Repo::empty();
    let mut hour = 0;
    let mut on = |branch: &str, path: &str, text: &str| {
        repo.git(&format!("checkout -q {branch}"));
        repo.write(path, text);
        hour += 1;
        repo.commit(hour, &format!("{branch}: {path}"));
    };
    on("-B main", "a.txt", "1\n");
    on("main", "b.txt", "1\n");
    on("-b side", "a.txt", "1\n2\n");
    on("side", "c/d.txt", "1\n");
    on("main", "b.txt", "2\n");
    repo.git("merge -q --no-ff -m 'merge side' side");
    on("-b lost", "a.txt", "lost\n");
    on("main", "c/d.txt", "1\n2\n");
    repo.git("merge -q -s ours -m 'merge lost, keeping nothing' lost");
    on("main", "b.txt", "3\n");
    repo
}

#[test]
fn a_log_is_what_git_says() {
    let repo = woven();
    for (path, line) in [
        (None, ""),
        (Some("a.txt"), "-- a.txt"),
        (Some("b.txt"), "-- b.txt"),
        (Some("c"), "-- c"),
        (Some("c/d.txt"), "-- c/d.txt"),
    ] {
        let ours = git::log(&repo.view(), &History { path, limit: None }).unwrap();
        let ids: Vec<&str> = ours["commits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| c["id"].as_str().unwrap())
            .collect();
        let theirs = repo.git(&format!("log --format=%H {line}"));
        // Commits of the same second stand in no order.
        let sorted = |mut ids: Vec<String>| {
            ids.sort();
            ids
        };
        let ours: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        assert_eq!(
            sorted(ours),
            sorted(theirs.lines().map(str::to_owned).collect()),
            "{line}"
        );
    }
    let two = git::log(
        &repo.view(),
        &History {
            path: None,
            limit: Some(2),
        },
    )
    .unwrap();
    assert_eq!(
        (two["commits"].as_array().unwrap().len(), &two["truncated"]),
        (2, &json!(true))
    );
}

#[test]
fn a_commit_is_told_in_full() {
    let repo = Repo::empty();
    repo.write("a", "1");
    let first = repo.commit(0, "begin");
    repo.write("a", "2");
    let second = repo.commit(1, "topic: what\n\nWhy it is so.\nAnd more.");
    let log = git::log(&repo.view(), &History::default()).unwrap();
    assert_eq!(
        log["commits"][0],
        json!({
            "id": second,
            "author": {"name": "Ada", "email": "ada@example.org"},
            "time": "2026-01-01T01:00:00+02:00",
            "subject": "topic: what",
            "body": "Why it is so.\nAnd more.",
            "parents": [first],
        })
    );
}

/// The commit of each line, as `git blame` tells; null: not committed.
fn blamed(repo: &Repo, path: &str) -> Vec<Value> {
    let porcelain = repo.git(&format!("blame --line-porcelain -- {path}"));
    let heads = porcelain.lines().filter(|l| {
        let first = l.split(' ').next().unwrap_or_default();
        first.len() == 40 && first.bytes().all(|b| b.is_ascii_hexdigit())
    });
    heads
        .map(|l| match l.split(' ').next().unwrap() {
            none if none.bytes().all(|b| b == b'0') => Value::Null,
            id => json!(id),
        })
        .collect()
}

fn by_line(blame: &Value) -> Vec<Value> {
    let mut lines = Vec::new();
    for hunk in blame["hunks"].as_array().unwrap() {
        let (first, last) = (hunk["first"].as_u64().unwrap(), hunk["last"].as_u64().unwrap());
        assert_eq!(first as usize, lines.len() + 1);
        assert_eq!(hunk["text"].as_str().unwrap().lines().count() as u64, last - first + 1);
        lines.extend((first..=last).map(|_| hunk["commit"].clone()));
    }
    lines
}

#[test]
fn blame_is_what_git_says() {
    let repo = woven();
    repo.write("long.txt", (1..=30).map(|i| format!("line {i}\n")).collect::<String>());
    repo.commit(40, "long");
    let text = fs::read_to_string(repo.root.join("long.txt")).unwrap();
    repo.write(
        "long.txt",
        text.replace("line 7\n", "line seven\nline seven and a half\n"),
    );
    let seventh = repo.commit(41, "seven");
    repo.git("mv long.txt longer.txt");
    repo.commit(42, "move");
    let text = fs::read_to_string(repo.root.join("longer.txt")).unwrap();
    repo.write(
        "longer.txt",
        text.replace("line 20\n", "").replace("line 25\n", "line twenty-five\n"),
    );
    for path in ["a.txt", "b.txt", "c/d.txt", "longer.txt"] {
        let ours = git::blame(&repo.view(), &Lines { path, lines: None }).unwrap();
        assert_eq!(by_line(&ours), blamed(&repo, path), "{path}");
    }
    let some = git::blame(
        &repo.view(),
        &Lines {
            path: "longer.txt",
            lines: Some((7, 8)),
        },
    )
    .unwrap();
    let hunks = some["hunks"].as_array().unwrap();
    assert_eq!(hunks.len(), 1, "{some}");
    assert_eq!((&hunks[0]["first"], &hunks[0]["last"]), (&json!(7), &json!(8)));
    assert_eq!(
        (&hunks[0]["commit"], &hunks[0]["subject"]),
        (&json!(seventh), &json!("seven"))
    );
    assert_eq!((&hunks[0]["path"], &some["lines"]), (&json!("long.txt"), &json!(30)));
    assert_eq!(hunks[0]["text"], json!("line seven\nline seven and a half\n"));
}

#[test]
fn a_project_in_a_part_of_a_repository_sees_that_part() {
    let repo = Repo::empty();
    repo.write("sub/a.txt", "1\n");
    repo.write("subway/b.txt", "1\n");
    repo.commit(0, "both");
    repo.write("subway/b.txt", "2\n");
    repo.commit(1, "other");
    repo.write("sub/a.txt", "2\n");
    repo.write("subway/b.txt", "3\n");
    repo.write("sub/new.txt", "?");
    repo.write("top.txt", "?");
    let sub = repo.root.join("sub");
    let view = repo.view_of(&sub);
    let status = git::status(&view).unwrap();
    assert_eq!(
        (&status["unstaged"], &status["untracked"]),
        (&json!([{"path": "a.txt", "change": "modified"}]), &json!(["new.txt"]))
    );
    let diff = git::diff(&view, &Compared::default()).unwrap();
    assert!(
        diff["diff"]
            .as_str()
            .unwrap()
            .starts_with("diff --git a/a.txt b/a.txt\n--- a/a.txt"),
        "{diff}"
    );
    assert_eq!(diff["files"].as_array().unwrap().len(), 1);
    let log = git::log(&view, &History::default()).unwrap();
    assert_eq!(log["commits"].as_array().unwrap().len(), 1, "{log}");
    assert_eq!(
        git::blame(
            &view,
            &Lines {
                path: "a.txt",
                lines: None
            }
        )
        .unwrap()["hunks"][0]["commit"],
        Value::Null
    );
    assert_eq!(
        git::blame(
            &view,
            &Lines {
                path: "../subway/b.txt",
                lines: None
            }
        ),
        Err(Error::Outside("../subway/b.txt".to_owned()))
    );
    fs::create_dir(repo.root.join("fresh")).unwrap();
    repo.write("fresh/x", "?");
    let fresh = repo.root.join("fresh");
    assert_eq!(
        git::status(&repo.view_of(&fresh)).unwrap()["untracked"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn linked_work_trees_and_submodules_are_repositories_too() {
    let repo = Repo::empty();
    repo.write("a.txt", "1\n");
    let head = repo.commit(0, "begin");
    let other = Repo::bare_folder();
    let linked = other.root.join("linked");
    repo.git(&format!("worktree add -q -b side '{}'", linked.display()));
    fs::write(linked.join("a.txt"), "2\n").unwrap();
    let view = other.view_of(&linked);
    let status = git::status(&view).unwrap();
    assert_eq!((&status["branch"], &status["head"]), (&json!("side"), &json!(head)));
    assert_eq!(status["unstaged"], json!([{"path": "a.txt", "change": "modified"}]));

    let whole = Repo::empty();
    whole.git(&format!(
        "-c protocol.file.allow=always submodule --quiet add '{}' part",
        repo.root.display()
    ));
    whole.commit(0, "with a part");
    assert_eq!(whole.status()["clean"], json!(true), "{}", whole.status());
    let part = whole.root.join("part");
    let status = git::status(&whole.view_of(&part)).unwrap();
    assert_eq!((&status["head"], &status["clean"]), (&json!(head), &json!(true)));
}

#[test]
fn the_tools_say_what_they_want_and_do_it() {
    let specs = git::tools();
    let names: Vec<&str> = specs.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["repoStatus", "repoDiff", "repoLog", "repoBlame"]);
    assert_eq!(specs[3].required_args, ["path"]);
    let repo = woven();
    assert_eq!(repo.call("repoStatus", json!({})).unwrap()["clean"], json!(true));
    assert_eq!(
        repo.call("repoDiff", json!({"against": "HEAD~1"})).unwrap()["files"][0]["path"],
        json!("b.txt")
    );
    assert_eq!(
        repo.call("repoLog", json!({"path": "b.txt", "limit": 1})).unwrap()["truncated"],
        json!(true)
    );
    assert_eq!(
        repo.call("repoBlame", json!({"path": "a.txt", "first": 2})).unwrap()["hunks"][0]["first"],
        json!(2)
    );
    assert!(git::call("repoPush", &repo.view(), &json!({})).is_none());
}

#[tokio::test]
async fn a_registry_calls_them() {
    let repo = woven();
    let context = tool::Context::new(&repo.root, repo.policy.clone(), "git-test");
    let registry = tool::Registry::built_in();
    let never = std::future::pending::<()>;
    let log = registry.call("repoLog", &json!({"limit": 1}), &context, never()).await;
    assert_eq!(log.output["truncated"], json!(true), "{log:?}");
    let refused = registry
        .call("repoBlame", &json!({"path": "../x"}), &context, never())
        .await;
    assert_eq!(refused.error, Error::Outside("../x".to_owned()).to_string());
    let odd = registry.call("repoLog", &json!({"limit": 0}), &context, never()).await;
    assert!(!odd.is_completed(), "{odd:?}");
}
