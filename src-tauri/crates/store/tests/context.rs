//! The index on real SQLite files.

use store::context::{File, Index, Query, Session, Shard};
use store::{Error, Store, digest_of};

fn shard(path: &str, language: &str, name: &str, first_line: u32, full: &str) -> Shard {
    Shard {
        path: path.to_owned(),
        language: language.to_owned(),
        kind: "function".to_owned(),
        name: name.to_owned(),
        first_line,
        last_line: first_line + 1,
        nano: name.to_owned(),
        micro: name.to_owned(),
        full: full.to_owned(),
        digest: digest_of(full.as_bytes()),
    }
}

fn file(path: &str, text: &str) -> File {
    File {
        path: path.to_owned(),
        digest: digest_of(text.as_bytes()),
        stamp: text.len().to_string(),
    }
}

fn put(session: &Session<'_>, path: &str, language: &str, shards: &[(&str, &str)]) {
    let text: String = shards.iter().map(|(_, text)| *text).collect();
    let made = || {
        let shards = shards.iter().zip(1..);
        shards
            .map(|((name, text), line)| shard(path, language, name, line, text))
            .collect()
    };
    session.replace(&file(path, &text), made).expect("replaced");
}

fn found(session: &Session<'_>, text: &str) -> Vec<(String, f64)> {
    let query = Query {
        text,
        language: None,
        limit: 10,
        min_score: 0.0,
    };
    let hits = session.search(&query).expect("searched");
    hits.into_iter().map(|hit| (hit.shard.name, hit.score)).collect()
}

fn names(session: &Session<'_>, text: &str) -> Vec<String> {
    found(session, text).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn shards_are_found_by_words_and_by_the_words_of_names() {
    let mut index = Index::open_memory().expect("an index");
    let session = index.begin(1).expect("a session");
    put(
        &session,
        "src/config.py",
        "python",
        &[
            ("parseConfigFile", "def parseConfigFile(path): open the thing"),
            ("write_config", "def write_config(path): save settings"),
            ("unrelated", "def unrelated(): pass"),
        ],
    );
    put(
        &session,
        "docs/Résumé.md",
        "markdown",
        &[("Installing", "How it is installed, and configured")],
    );
    assert_eq!(names(&session, "parse"), ["parseConfigFile"]);
    assert_eq!(names(&session, "config file")[0], "parseConfigFile");
    assert_eq!(names(&session, "install"), ["Installing"], "word stems");
    assert_eq!(
        names(&session, "resume"),
        ["Installing"],
        "accents do not matter, and paths count"
    );
    assert_eq!(names(&session, "nothing like it"), [""; 0]);
    assert_eq!(
        names(&session, "\" OR * NEAR( -x"),
        [""; 0],
        "a query is words and no language"
    );
}

#[test]
fn a_score_says_how_much_of_the_query_is_met() {
    let mut index = Index::open_memory().expect("an index");
    let session = index.begin(1).expect("a session");
    put(
        &session,
        "a.py",
        "python",
        &[
            ("both", "retry backoff"),
            ("one", "retry later"),
            ("other", "retry sooner"),
            ("none", "something else"),
        ],
    );
    let hits = found(&session, "the retry with backoff");
    assert_eq!(hits[0], ("both".to_owned(), 1.0));
    assert_eq!(hits.len(), 3);
    assert!(hits[1].1 < 0.5 && hits[1].1 > 0.0 && hits[1].1 >= hits[2].1, "{hits:?}");
    let missing = found(&session, "retry backoff zeppelin");
    assert!(missing[0].1 < 1.0, "a word that nothing holds is missing: {missing:?}");
}

#[test]
fn language_limit_and_least_score_hold() {
    let mut index = Index::open_memory().expect("an index");
    let session = index.begin(1).expect("a session");
    put(&session, "a.py", "python", &[("p", "alpha beta")]);
    put(&session, "b.md", "markdown", &[("m", "alpha"), ("n", "alpha")]);
    let ask = |language, limit, min_score| {
        let query = Query {
            text: "alpha beta",
            language,
            limit,
            min_score,
        };
        let hits = session.search(&query).expect("searched").into_iter();
        hits.map(|hit| hit.shard.name).collect::<Vec<_>>()
    };
    assert_eq!(ask(None, 10, 0.0), ["p", "m", "n"]);
    assert_eq!(ask(Some("markdown"), 10, 0.0), ["m", "n"]);
    assert_eq!(ask(None, 2, 0.0), ["p", "m"]);
    assert_eq!(ask(None, 10, 0.9), ["p"]);
    assert_eq!(ask(None, 0, 0.0), [""; 0]);
}

#[test]
fn a_file_is_replaced_when_it_changes_and_forgotten_when_it_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut index = Index::open(folder.path()).expect("an index");
    let session = index.begin(1).expect("a session");
    put(&session, "a.py", "python", &[("old", "alpha")]);
    put(&session, "b.py", "python", &[("kept", "alpha")]);
    let before = session.state().expect("a state");
    session
        .replace(&file("a.py", "alpha"), || panic!("its digest is known"))
        .expect("nothing to do");
    put(&session, "a.py", "python", &[("new", "beta"), ("newer", "beta")]);
    assert_eq!(names(&session, "alpha"), ["kept"]);
    assert_eq!(session.shards_of("a.py").expect("shards").len(), 2);
    session.remove("b.py").expect("removed");
    assert_eq!(names(&session, "alpha"), [""; 0]);
    assert_ne!(session.state().expect("a state"), before);
    session.commit().expect("committed");
    let mut again = Index::open(folder.path()).expect("the same index");
    let session = again.begin(1).expect("a session");
    assert_eq!(
        session.files().expect("files").into_keys().collect::<Vec<_>>(),
        ["a.py"]
    );
    assert_eq!(names(&session, "beta"), ["new", "newer"]);
}

#[test]
fn what_is_not_committed_was_not_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut index = Index::open(folder.path()).expect("an index");
    put(&index.begin(1).expect("a session"), "a.py", "python", &[("a", "alpha")]);
    assert_eq!(index.begin(1).expect("a session").files().expect("files").len(), 0);
}

#[test]
fn another_maker_or_version_begins_anew_and_damage_is_mended() {
    let folder = tempfile::tempdir().expect("a folder");
    let fill = |maker| {
        let mut index = Index::open(folder.path()).expect("an index");
        let session = index.begin(maker).expect("a session");
        let before = session.files().expect("files").len();
        put(&session, "a.py", "python", &[("a", "alpha")]);
        assert_eq!(names(&session, "alpha"), ["a"]);
        session.commit().expect("committed");
        before
    };
    assert_eq!((fill(1), fill(1), fill(2), fill(2)), (0, 1, 0, 1));
    let path = folder.path().join(".gatehouse/context.db");
    let other = rusqlite::Connection::open(&path).expect("it is there");
    other.pragma_update(None, "user_version", 99).expect("written");
    drop(other);
    assert_eq!((fill(2), fill(2)), (0, 1));
    Index::discard(folder.path()).expect("gone");
    Index::discard(folder.path()).expect("gone already");
    std::fs::write(&path, "this is no database at all, whatever its name says".repeat(99)).expect("written");
    assert_eq!((fill(2), fill(2)), (0, 1));
}

#[test]
fn answers_are_kept_the_newest_longest() {
    let mut index = Index::open_memory().expect("an index");
    let session = index.begin(1).expect("a session");
    for n in 0..300 {
        session.keep(&format!("k{n}"), &format!("v{n}")).expect("kept");
    }
    assert_eq!(session.kept("k0").expect("read"), None);
    assert_eq!(session.kept("k299").expect("read"), Some("v299".to_owned()));
    session.keep("k299", "other").expect("kept");
    assert_eq!(session.kept("k299").expect("read"), Some("other".to_owned()));
}

#[test]
fn it_is_no_part_of_the_history() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let before = store.data_version().expect("a number");
    let mut index = store.context().expect("an index");
    let session = index.begin(1).expect("a session");
    put(&session, "a.py", "python", &[("a", "alpha")]);
    session.commit().expect("committed");
    assert_eq!(store.data_version().expect("a number"), before);
    assert!(Store::open(folder.path()).is_ok());
}

#[test]
fn a_folder_that_cannot_be_written_to_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(".gatehouse"), "a file in its place").expect("written");
    assert!(matches!(
        Index::open(folder.path()),
        Err(Error::Io { .. } | Error::ReadOnly { .. })
    ));
}
