//! Context (TELIS): what is looked up in the project for a step before its agent begins (seed 000 "TELIS context").
//!
//! ```text
//! resolve(root, store, parameters, settings, policy, lsp) -> Option<Resolved>   // None: the step asks for nothing
//! ```
//!
//! 1. A language server is asked first where the step says so (`telis_method`, with a document and a place).
//! 2. Where it is not asked, knows nothing, or `telis_query` wants more, the project's files are searched: cut into *shards* ([`split`]), indexed
//!    in SQLite's full-text search ([`store::context`]), brought up to date at each call. Without a query the name at the place is looked
//!    for, else the document's own shards are given.
//! 3. What was found is given in phases, each in a larger tier, within the tiers' budgets ([`Tier`], `negotiate`).
//!
//! The result, `telis_context`:
//!
//! ```json
//! {"query": "parse config", "language": "python", "source": "shards", "lsp": null,
//!  "phases": [{"phase": 1, "tier": "nano", "budget": 200, "tokens": 31, "left_out": 0, "shards": [
//!    {"path": "src/a.py", "language": "python", "kind": "function", "name": "parse_config", "first_line": 3, "last_line": 9,
//!     "score": 0.93, "tokens": 9, "digest": "…", "text": "def parse_config(path)"}]}],
//!  "tokens": 31, "notes": []}
//! ```
//!
//! `source` is `lsp` when a language server answered, else `shards`. `lsp` is then `{method, path, line, character, answer}`. `query` is what was
//! searched for, null when nothing was. `notes` are sentences: what a server said instead of an answer, files that were left out. The same
//! inputs over the same files give the same bytes; whether they were put together anew or kept from before stands beside them
//! ([`Resolved::from_cache`]), not in them.

mod keys;
mod negotiate;
mod place;
mod scan;
mod settings;
mod split;
mod tier;

pub use keys::Method;
pub use settings::Settings;
pub use split::{Language, split};
pub use tier::{Tier, tokens};

use keys::Keys;
use negotiate::{Phase, negotiate};
use permission::Policy;
use place::{Document, document, name_at};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;
use store::context::{File, Hit, Index, Query, Session};
use store::{Store, digest_of};

/// Version of how files are cut and results put together: what was indexed or kept by another one is made anew.
const MAKER: u32 = split::VERSION;
/// How many shards are given where a step says nothing.
const SHARDS: usize = 8;
/// How well a shard must fit where a step says nothing.
const LEAST_SCORE: f64 = 0.2;

/// What is looked up for a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// `telis_context`, as described in this module.
    pub payload: Value,
    /// The shards were put together before from the same inputs and the same files.
    pub from_cache: bool,
}

/// A question to a language server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub method: Method,
    /// The language, where the step names one.
    pub language: Option<String>,
    /// The document, from the project's folder; it is inside it and may be read.
    pub path: Option<String>,
    /// The text of the document, where the step brings one.
    pub text: Option<String>,
    /// From 0.
    pub line: u32,
    /// From 0, in UTF-16 units.
    pub character: u32,
}

/// Asks a language server and waits for it: its answer, `None` when it knows nothing there, or a sentence why there is none.
pub type Ask<'a> = dyn FnMut(&Question) -> Result<Option<Value>, String> + 'a;

/// Looks up what a step's inputs ask for; `None` when they hold no `telis_` key. It blocks: it reads files and a database, and waits for `lsp`.
/// `root`: the project's folder. `lsp`: `None` when the project has no language servers.
///
/// # Errors
/// A sentence: a key of the wrong kind, a document that is refused, or a project that cannot be read.
pub fn resolve(
    root: &Path,
    store: &Store,
    parameters: &model::Fields,
    settings: &Settings,
    policy: &Policy,
    lsp: Option<&mut Ask<'_>>,
) -> Result<Option<Resolved>, String> {
    let Some(keys) = Keys::of(parameters)? else {
        return Ok(None);
    };
    let root = root
        .canonicalize()
        .map_err(|e| format!("the project's folder cannot be read: {e}"))?;
    let document = keys
        .document_path
        .as_deref()
        .map(|path| document(&root, path, policy))
        .transpose()?;
    let mut notes: Vec<String> = keys
        .unknown
        .iter()
        .map(|key| format!("`{key}` means nothing and was not used"))
        .collect();
    let answer = match keys.method {
        Some(method) => ask(method, &keys, document.as_ref(), lsp, &mut notes)?,
        None => None,
    };
    let text = keys
        .document_text
        .as_deref()
        .or_else(|| document.as_ref().and_then(|d| d.text.as_deref()));
    let language = language(&keys, document.as_ref(), &mut notes);
    let place = keys.line.zip(keys.character);
    let named = || {
        place
            .zip(text)
            .and_then(|((line, character), text)| name_at(text, line, character))
    };
    let query = match (&keys.query, &answer) {
        (Some(query), _) => Some(query.clone()),
        (None, Some(_)) => None,
        (None, None) => named().map(str::to_owned),
    };
    let mut from_cache = false;
    let phases = match (&query, text) {
        (Some(query), _) => {
            let search = Search {
                root: &root,
                query,
                language: language.map(Language::word),
                limit: keys.shard_limit.unwrap_or(SHARDS),
                min_score: keys.min_score.unwrap_or(LEAST_SCORE),
                tiers: keys.tiers(settings.max_phase),
                settings,
                policy,
            };
            // A language that no file is cut for has no shards.
            let is_searched = keys.language.is_none() || language.is_some();
            let (found, kept) = if is_searched {
                search.answer(store)?
            } else {
                (Found::default(), false)
            };
            from_cache = kept;
            notes.extend(found.notes);
            if found.phases.is_empty() {
                notes.push("nothing in the project fits the query well enough".to_owned());
            }
            found.phases
        }
        (None, Some(text)) if answer.is_none() => {
            let path = document.as_ref().map_or("", |d| d.path.as_str());
            own_shards(path, language, text, &keys, settings)
        }
        (None, _) => {
            if answer.is_none() {
                notes.push("there is nothing to look for: give `telis_query` or a document that exists".to_owned());
            }
            Vec::new()
        }
    };
    let payload = json!({
        "query": query,
        "language": language.map(Language::word).map(str::to_owned).or(keys.language),
        "source": if answer.is_some() { "lsp" } else { "shards" },
        "lsp": answer,
        "tokens": phases.iter().map(|phase| phase.tokens).sum::<usize>(),
        "phases": phases,
        "notes": notes,
    });
    Ok(Some(Resolved { payload, from_cache }))
}

/// The language of the step's own word, else of its document where that is named.
fn language(keys: &Keys, document: Option<&Document>, notes: &mut Vec<String>) -> Option<Language> {
    let Some(word) = &keys.language else {
        // A query alone means every language, also beside a document.
        let of_document = document.filter(|_| keys.query.is_none());
        return of_document.and_then(|document| Language::of_path(&document.path));
    };
    let language = Language::of_word(word);
    if language.is_none() {
        notes.push(format!(
            "no files are indexed for the language `{word}`; known are {}",
            Language::words()
        ));
    }
    language
}

/// What a language server answers, as part of the result; that it does not is a note.
fn ask(
    method: Method,
    keys: &Keys,
    document: Option<&Document>,
    lsp: Option<&mut Ask<'_>>,
    notes: &mut Vec<String>,
) -> Result<Option<Value>, String> {
    let question = Question {
        method,
        language: keys.language.clone(),
        path: document.map(|document| document.path.clone()),
        text: keys.document_text.clone(),
        line: keys.line.unwrap_or_default(),
        character: keys.character.unwrap_or_default(),
    };
    if let Some(document) = document.filter(|document| document.text.is_none() && question.text.is_none()) {
        return Err(format!(
            "`{}` does not exist, so nothing can be asked about it",
            document.path
        ));
    }
    let why = match lsp.map(|ask| ask(&question)) {
        Some(Ok(Some(answer))) => {
            return Ok(Some(json!({
                "method": method.word(),
                "path": question.path,
                "line": question.line,
                "character": question.character,
                "answer": answer,
            })));
        }
        Some(Ok(None)) => "the language server knows nothing about this place".to_owned(),
        Some(Err(why)) => format!("no language server answered: {why}"),
        None => "no language server was asked: this project has none (`language_servers` in gatehouse.yaml)".to_owned(),
    };
    notes.push(why);
    Ok(None)
}

/// The document's own shards, in its order.
fn own_shards(path: &str, language: Option<Language>, text: &str, keys: &Keys, settings: &Settings) -> Vec<Phase> {
    let shards = split(path, language.unwrap_or(Language::Markdown), text).into_iter();
    let hits: Vec<Hit> = shards
        .take(keys.shard_limit.unwrap_or(SHARDS))
        .map(|shard| Hit { shard, score: 1.0 })
        .collect();
    negotiate(&hits, &keys.tiers(settings.max_phase), settings)
}

/// What is looked for in the project.
struct Search<'s> {
    root: &'s Path,
    query: &'s str,
    language: Option<&'static str>,
    limit: usize,
    min_score: f64,
    tiers: Vec<Tier>,
    settings: &'s Settings,
    policy: &'s Policy,
}

/// What a search came to; kept in the index.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Found {
    phases: Vec<Phase>,
    notes: Vec<String>,
}

impl Search<'_> {
    /// Searches the project's index; where there can be none, one in memory. The second value: it was kept from before.
    fn answer(&self, store: &Store) -> Result<(Found, bool), String> {
        let on_disk = || self.within(store.context()?);
        let answer = match on_disk() {
            // The index is derived: damage costs time, nothing else.
            Err(store::Error::Corrupt { .. }) => {
                let discard = store.project().map(Index::discard).unwrap_or(Ok(()));
                discard.and_then(|()| on_disk())
            }
            other => other,
        };
        let answer = answer.or_else(|error| {
            tracing::warn!(%error, "the index of the project's texts is made in memory");
            self.within(Index::open_memory()?)
        });
        answer.map_err(|error| format!("the project's texts cannot be indexed: {error}"))
    }

    fn within(&self, mut index: Index) -> Result<(Found, bool), store::Error> {
        let scan = scan::scan(self.root, self.settings, self.policy);
        let session = index.begin(MAKER)?;
        update(&session, &scan.files)?;
        let key = self.key(&session, &scan.notes)?;
        let kept = session
            .kept(&key)?
            .and_then(|answer| serde_json::from_str(&answer).ok());
        let (found, is_kept) = match kept {
            Some(found) => (found, true),
            None => {
                let hits = session.search(&Query {
                    text: self.query,
                    language: self.language,
                    limit: self.limit,
                    min_score: self.min_score,
                })?;
                let found = Found {
                    phases: negotiate(&hits, &self.tiers, self.settings),
                    notes: scan.notes,
                };
                session.keep(&key, &serde_json::to_string(&found).expect("texts and numbers"))?;
                (found, false)
            }
        };
        session.commit()?;
        Ok((found, is_kept))
    }

    /// Everything that the answer follows from.
    fn key(&self, session: &Session<'_>, notes: &[String]) -> Result<String, store::Error> {
        let tiers: Vec<&str> = self.tiers.iter().map(|tier| tier.word()).collect();
        let state = session.state()?;
        let inputs = json!([
            self.query,
            self.language,
            self.limit,
            self.min_score,
            tiers,
            self.settings.budgets,
            state.as_str(),
            notes
        ]);
        Ok(digest_of(inputs.to_string().as_bytes()).as_str().to_owned())
    }
}

/// Brings the index up to date with the files.
fn update(session: &Session<'_>, files: &[scan::Seen]) -> Result<(), store::Error> {
    let mut known = session.files()?;
    for seen in files {
        let before = known.remove(&seen.path);
        if before
            .as_ref()
            .is_some_and(|before| !seen.stamp.is_empty() && before.stamp == seen.stamp)
        {
            continue;
        }
        let Some(text) = seen.read() else {
            if before.is_some() {
                session.remove(&seen.path)?;
            }
            continue;
        };
        let file = File {
            path: seen.path.clone(),
            digest: digest_of(text.as_bytes()),
            stamp: seen.stamp.clone(),
        };
        session.replace(&file, || split(&seen.path, seen.language, &text))?;
    }
    // What is left is gone, or may no longer be looked at.
    known.keys().try_for_each(|path| session.remove(path))
}
