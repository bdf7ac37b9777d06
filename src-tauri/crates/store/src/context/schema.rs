//! The tables of the index. It is derived: a change of them raises [`VERSION`], and older files are made anew.

/// Of the tables and of what is put into them by this crate.
pub(super) const VERSION: i64 = 1;

/// `words` reads its columns from `shards`; the triggers keep it so. Its tokens are English word stems, without accents.
pub(super) const TABLES: &str = "
CREATE TABLE about (maker INTEGER NOT NULL) STRICT;
CREATE TABLE files (
    path   TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL,
    stamp  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE shards (
    id       INTEGER PRIMARY KEY,
    path     TEXT    NOT NULL,
    ordinal  INTEGER NOT NULL,
    language TEXT    NOT NULL,
    kind     TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    first    INTEGER NOT NULL,
    last     INTEGER NOT NULL,
    nano     TEXT    NOT NULL,
    micro    TEXT    NOT NULL,
    full     TEXT    NOT NULL,
    digest   TEXT    NOT NULL,
    terms    TEXT    NOT NULL,
    UNIQUE (path, ordinal)
) STRICT;
CREATE VIRTUAL TABLE words USING fts5 (
    name, path, terms, full,
    content = 'shards', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER shards_in AFTER INSERT ON shards BEGIN
    INSERT INTO words (rowid, name, path, terms, full) VALUES (new.id, new.name, new.path, new.terms, new.full);
END;
CREATE TRIGGER shards_out AFTER DELETE ON shards BEGIN
    INSERT INTO words (words, rowid, name, path, terms, full) VALUES ('delete', old.id, old.name, old.path, old.terms, old.full);
END;
CREATE TABLE answers (
    id     INTEGER PRIMARY KEY,
    key    TEXT NOT NULL UNIQUE,
    answer TEXT NOT NULL
) STRICT;
";
