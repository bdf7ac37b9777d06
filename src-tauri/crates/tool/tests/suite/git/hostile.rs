//! A repository is somebody else's text.

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};
use tool::git::{Compared, History, Lines};

/// Everything the tools can do with it.
fn look(repo: &Repo) -> String {
    let view = repo.view();
    let version = |against| Compared {
        against,
        ..Compared::default()
    };
    let all = [
        git::status(&view),
        git::diff(&view, &Compared::default()),
        git::diff(
            &view,
            &Compared {
                staged: true,
                ..Compared::default()
            },
        ),
        git::diff(&view, &version(Some("HEAD"))),
        git::diff(&view, &version(Some("HEAD~1..HEAD"))),
        git::log(
            &view,
            &History {
                path: Some("a.txt"),
                limit: None,
            },
        ),
        git::blame(
            &view,
            &Lines {
                path: "a.txt",
                lines: None,
            },
        ),
    ];
    format!("{all:?}")
}

#[test]
fn no_program_that_a_repository_names_is_started() {
    let repo = Repo::empty();
    repo.write("a.txt", "1\n");
    repo.write("b.txt", "1\n");
    repo.commit(0, "begin");
    repo.write("a.txt", "2\n");
    repo.commit(1, "second");
    let canary = repo.root.join("canary");
    let script = repo.root.join(".git/evil.sh");
    let text = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", canary.display());
    crate::program(&script, &text);
    let script = script.display();
    let hooks = repo.root.join(".git/hooks");
    for hook in ["post-index-change", "fsmonitor-watchman", "post-checkout", "pre-commit"] {
        fs::copy(repo.root.join(".git/evil.sh"), hooks.join(hook)).unwrap();
    }
    let config = format!(
        "[core]\n\tfsmonitor = {script}\n\tsshCommand = {script}\n\tpager = {script}\n\teditor = {script}\n\talternateRefsCommand = {script}\n\
         \tgitProxy = {script}\n\taskPass = {script}\n\
         [filter \"evil\"]\n\tclean = {script}\n\tsmudge = {script}\n\trequired = true\n\
         [filter \"worse\"]\n\tprocess = {script}\n\trequired = true\n\
         [diff]\n\texternal = {script}\n[diff \"evil\"]\n\ttextconv = {script}\n\tcommand = {script}\n\tcachetextconv = true\n\
         [merge \"evil\"]\n\tdriver = {script}\n[credential]\n\thelper = {script}\n[gpg]\n\tprogram = {script}\n\
         [log]\n\tshowSignature = true\n[include]\n\tpath = more\n[remote \"origin\"]\n\tpromisor = true\n\turl = ext::{script}\n"
    );
    let known = fs::read_to_string(repo.root.join(".git/config")).unwrap();
    fs::write(repo.root.join(".git/config"), known + &config).unwrap();
    fs::write(
        repo.root.join(".git/more"),
        format!("[filter \"more\"]\n\tclean = {script}\n"),
    )
    .unwrap();
    repo.write(
        ".gitattributes",
        "a.txt filter=evil diff=evil merge=evil\nb.txt filter=worse\nc.txt filter=more\n",
    );
    repo.write("c.txt", "1\n");
    repo.write("a.txt", "3\n");
    repo.write("b.txt", "3\n");

    let seen = look(&repo);
    assert!(!canary.exists(), "{}", fs::read_to_string(&canary).unwrap());
    assert!(seen.contains("+3"), "it was read all the same: {seen}");
    // The bait is a real one: the program itself takes it.
    let _ = Command::new("git")
        .arg("diff")
        .current_dir(&repo.root)
        .stdin(Stdio::null())
        .output();
    assert!(canary.exists(), "git itself starts what this repository names");
}

/// A repository of somebody else with a secret in it.
fn neighbour() -> Repo {
    let other = Repo::empty();
    other.write("a.txt", "hunter2\n");
    other.commit(0, "hunter2");
    other.write("a.txt", "hunter2\nhunter3\n");
    other.commit(1, "hunter3");
    other
}

fn refused(repo: &Repo, what: &str) {
    let status = git::status(&repo.view());
    assert!(
        matches!(status, Err(Error::Elsewhere(_) | Error::Broken(_))),
        "{what}: {status:?}"
    );
    let seen = look(repo);
    assert!(!seen.contains("hunter"), "{what}: {seen}");
}

fn own() -> Repo {
    let repo = Repo::empty();
    repo.write("a.txt", "mine\n");
    repo.commit(0, "mine");
    repo
}

#[test]
fn the_repository_of_a_neighbour_is_not_shown() {
    let other = neighbour();
    let theirs = other.root.join(".git");

    let repo = Repo::bare_folder();
    repo.write(".git", format!("gitdir: {}\n", theirs.display()));
    refused(&repo, "a .git file");

    let repo = Repo::bare_folder();
    symlink(&theirs, repo.root.join(".git")).unwrap();
    refused(&repo, "a .git link");

    let repo = own();
    fs::write(repo.root.join(".git/commondir"), theirs.to_str().unwrap()).unwrap();
    refused(&repo, "a common folder");

    let repo = own();
    repo.git(&format!("config core.worktree '{}'", other.root.display()));
    refused(&repo, "a work folder");

    let repo = own();
    fs::write(
        repo.root.join(".git/objects/info/alternates"),
        theirs.join("objects").to_str().unwrap(),
    )
    .unwrap();
    refused(&repo, "alternates");

    let repo = own();
    let long = "# nothing\n".repeat(1_000);
    fs::write(repo.root.join(".git/objects/info/alternates"), long).unwrap();
    refused(&repo, "alternates that are no short text");

    for part in [
        "objects",
        "refs",
        "objects/pack",
        "refs/heads",
        "refs/heads/main",
        "HEAD",
        "index",
    ] {
        let repo = own();
        let place = repo.root.join(".git").join(part);
        match place.is_dir() {
            true => fs::remove_dir_all(&place).unwrap(),
            false => fs::remove_file(&place).unwrap(),
        }
        symlink(theirs.join(part), &place).unwrap();
        refused(&repo, part);
    }

    // A linked work tree that its repository does not know.
    other.git(&format!(
        "worktree add -q -b side '{}'",
        other.root.join("linked").display()
    ));
    let repo = Repo::bare_folder();
    repo.write(
        ".git",
        format!("gitdir: {}\n", theirs.join("worktrees/linked").display()),
    );
    refused(&repo, "somebody else's work tree");
}

#[test]
fn links_in_the_folder_are_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("b.txt"), "hunter2\n").unwrap();
    let repo = own();
    repo.write("folder/b.txt", "mine\n");
    repo.write("file.txt", "mine\n");
    repo.commit(1, "more");
    fs::remove_dir_all(repo.root.join("folder")).unwrap();
    symlink(outside.path(), repo.root.join("folder")).unwrap();
    fs::remove_file(repo.root.join("file.txt")).unwrap();
    symlink(outside.path().join("b.txt"), repo.root.join("file.txt")).unwrap();
    let seen = look(&repo);
    assert!(!seen.contains("hunter"), "{seen}");
    for path in ["folder/b.txt", "file.txt"] {
        let blame = git::blame(&repo.view(), &Lines { path, lines: None });
        assert!(!format!("{blame:?}").contains("hunter"), "{path}");
    }
    let diff = repo.diff(&Compared {
        path: Some("file.txt"),
        ..Compared::default()
    });
    assert_eq!(diff["files"][0]["change"], "type_changed", "{diff}");
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let repo = own();
    fs::remove_file(repo.root.join("a.txt")).unwrap();
    let made = Command::new("mkfifo").arg(repo.root.join("a.txt")).status().unwrap();
    assert!(made.success());
    let seen = look(&repo);
    assert!(seen.contains("a.txt"), "{seen}");
}

#[test]
fn what_unpacks_to_more_than_memory_is_refused() {
    let repo = own();
    repo.write("a.txt", vec![b'x'; 80 * 1024 * 1024]);
    repo.commit(1, "a bomb of a few bytes");
    repo.write("a.txt", "small again\n");
    let diff = repo.diff(&Compared::default());
    let why = diff["files"][0]["withheld"].as_str().unwrap();
    assert!(why.starts_with("it is too large to compare: 83886080"), "{why}");
    let blame = git::blame(
        &repo.view(),
        &Lines {
            path: "a.txt",
            lines: None,
        },
    );
    assert!(!matches!(blame, Err(Error::NoCommits)), "{blame:?}");
}

#[test]
fn what_is_broken_is_said_and_nothing_panics() {
    let commit = own();
    let tip = commit.git("rev-parse HEAD");
    let tip = tip.trim();
    for (part, bytes) in [
        ("HEAD", b"".as_slice()),
        ("HEAD", b"ref: refs/heads/../../../../etc/passwd\n"),
        ("index", b"DIRC\0\0\0\x02\xff\xff\xff\xff"),
        ("config", b"[core\n"),
        ("config", b"[core]\n\trepositoryformatversion = 99\n"),
        ("packed-refs", b"\xff\xfe"),
        ("refs/heads/main", b"zzzz"),
        ("refs/heads/main", b"0000000000000000000000000000000000000000\n"),
    ] {
        let repo = own();
        fs::write(repo.root.join(".git").join(part), bytes).unwrap();
        let seen = look(&repo);
        assert!(!seen.contains("root:"), "{part}: {seen}");
    }
    let object = format!(".git/objects/{}/{}", &tip[..2], &tip[2..]);
    let place = commit.root.join(object);
    fs::set_permissions(&place, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(place, b"x\x9c\x00").unwrap();
    assert!(matches!(
        git::log(&commit.view(), &History::default()),
        Err(Error::Broken(_))
    ));
}
