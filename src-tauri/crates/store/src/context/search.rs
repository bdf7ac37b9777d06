//! Finding shards by words.

use super::files::Shard;
use super::open::Session;
use super::words;
use crate::Error;
use rusqlite::Transaction;
use std::collections::BTreeSet;

/// So many shards are weighed; what fits worse is not looked at more closely.
const CANDIDATES: u32 = 200;
/// What bm25 says of a word in the name, the path, the parts of names, and the text.
const RANK: &str = "bm25(words, 8.0, 4.0, 2.0, 1.0)";
/// Of a score, this share is for holding the words; the rest for how well they fit.
const SHARE_OF_WORDS: f64 = 0.6;

/// What is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Query<'q> {
    /// Words, or a sentence.
    pub text: &'q str,
    /// Only shards of this language.
    pub language: Option<&'q str>,
    /// At most so many.
    pub limit: usize,
    /// From 0 to 1: shards that fit worse are left out.
    pub min_score: f64,
}

/// A shard that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The shard.
    pub shard: Shard,
    /// From 0 to 1, four decimals. See [`Session::search`].
    pub score: f64,
}

impl Session<'_> {
    /// The shards that hold words of the query, best first; equal ones by path and line.
    ///
    /// The score is `c × (0.6 + 0.4 × r)`. `c` is the share of the query's words that the shard holds, where a word counts `ln(1 + n / k)`: the
    /// more, the fewer (`k`) of all `n` shards hold it; a word that none holds counts as if half a shard did. `r` is bm25 of the shard, divided by that
    /// of the shard where it is best. So 1 means: it holds every word, and none fits better; a shard that holds one rare word of two common
    /// ones comes before one with the two.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Sql`].
    pub fn search(&self, query: &Query<'_>) -> Result<Vec<Hit>, Error> {
        let words = words::of_query(query.text);
        if words.is_empty() || query.limit == 0 {
            return Ok(Vec::new());
        }
        let mut hits = self.sql(|t| hits(t, &words, query.language))?;
        hits.retain(|hit| hit.score >= query.min_score);
        hits.sort_by(|a, b| {
            let place = |hit: &Hit| (hit.shard.path.clone(), hit.shard.first_line, hit.shard.name.clone());
            b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
        });
        hits.truncate(query.limit);
        Ok(hits)
    }
}

fn hits(t: &Transaction<'_>, words: &[String], language: Option<&str>) -> rusqlite::Result<Vec<Hit>> {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    let sql = format!(
        "SELECT {}, shards.id, -{RANK} FROM words JOIN shards ON shards.id = words.rowid
         WHERE words MATCH ?1 AND (?2 IS NULL OR language = ?2)
         ORDER BY {RANK}, shards.path, ordinal LIMIT {CANDIDATES}",
        Shard::COLUMNS
    );
    let found: Vec<(Shard, i64, f64)> = t
        .prepare_cached(&sql)?
        .query_map((quoted.join(" OR "), language), |row| {
            Ok((Shard::of(row)?, row.get(10)?, row.get(11)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let all: u32 = t
        .prepare_cached("SELECT count(*) FROM shards")?
        .query_row([], |row| row.get(0))?;
    let ids: BTreeSet<i64> = found.iter().map(|(_, id, _)| *id).collect();
    let mut weighed: Vec<(f64, BTreeSet<i64>)> = Vec::with_capacity(words.len());
    for word in &quoted {
        let mut statement = t.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1")?;
        let holders = statement.query_map([word], |row| row.get::<_, i64>(0))?;
        let (mut count, mut here) = (0_u32, BTreeSet::new());
        for id in holders {
            let id = id?;
            count += 1;
            here.extend(ids.get(&id));
        }
        let weight = (1.0 + f64::from(all) / f64::from(count).max(0.5)).ln();
        weighed.push((weight, here));
    }
    let whole: f64 = weighed.iter().map(|(weight, _)| weight).sum();
    let best = found.iter().map(|(_, _, rank)| *rank).fold(0.0, f64::max);
    let score = |id: i64, rank: f64| {
        let held: f64 = weighed
            .iter()
            .filter(|(_, here)| here.contains(&id))
            .map(|(weight, _)| weight)
            .sum();
        let fits = if best > 0.0 { (rank / best).clamp(0.0, 1.0) } else { 1.0 };
        let score = held / whole * (SHARE_OF_WORDS + (1.0 - SHARE_OF_WORDS) * fits);
        (score.clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0
    };
    let hits = found.into_iter().map(|(shard, id, rank)| Hit {
        score: score(id, rank),
        shard,
    });
    Ok(hits.collect())
}
