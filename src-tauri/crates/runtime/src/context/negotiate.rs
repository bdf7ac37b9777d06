//! How much of what was found is given: phase by phase, each in a larger tier.
//!
//! The first phase gives the best shards in the smallest tier, the next ones the same shards in larger tiers, best first, each as far as the
//! budget of its tier reaches. A phase that could tell nothing new is the last one not taken: there is none when no shard was good enough, or when
//! all that the next tier holds was said already.

use super::settings::Settings;
use super::split::{cut, cut_lines};
use super::tier::{Tier, tokens};
use serde::{Deserialize, Serialize};
use store::context::{Hit, Shard};

/// One phase of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Phase {
    /// 1, 2, …
    pub(super) phase: usize,
    /// `nano`, `micro` or `full`.
    pub(super) tier: String,
    /// The tier's budget.
    pub(super) budget: usize,
    /// What the texts of this phase cost, estimated.
    pub(super) tokens: usize,
    /// Shards for which there was no room.
    pub(super) left_out: usize,
    pub(super) shards: Vec<Given>,
}

impl Phase {
    /// Whether there was no room for all of it.
    fn is_short(&self) -> bool {
        self.left_out > 0 || self.shards.iter().any(|shard| shard.cut)
    }
}

/// A shard as it is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Given {
    path: String,
    language: String,
    kind: String,
    name: String,
    first_line: u32,
    last_line: u32,
    /// 0 to 1; see `store::context::Session::search`.
    score: f64,
    tokens: usize,
    /// SHA-256 of the whole piece of the file.
    digest: String,
    text: String,
    /// The text ends before the shard does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

/// The phases for what was found, best first.
pub(super) fn negotiate(hits: &[Hit], tiers: &[Tier], settings: &Settings) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::new();
    let mut told: Option<Tier> = None;
    for tier in tiers.iter().copied().filter(|tier| settings.budget(*tier) > 0) {
        let tells = |hit: &Hit| told.is_none_or(|told| tier.of(&hit.shard) != told.of(&hit.shard));
        let before = phases.last();
        let news = hits.iter().any(tells) || before.is_some_and(Phase::is_short);
        if hits.is_empty() || !news {
            break;
        }
        phases.push(phase(phases.len() + 1, hits, tier, settings.budget(tier)));
        told = Some(tier);
    }
    phases
}

fn phase(number: usize, hits: &[Hit], tier: Tier, budget: usize) -> Phase {
    let mut phase = Phase {
        phase: number,
        tier: tier.word().to_owned(),
        budget,
        tokens: 0,
        left_out: 0,
        shards: Vec::new(),
    };
    for hit in hits {
        let whole = tier.of(&hit.shard);
        let room = budget - phase.tokens;
        let text = match tokens(whole) <= room {
            true => whole,
            // Something of the best one is better than nothing.
            false if phase.shards.is_empty() => cut_lines(whole, room * 4),
            false => "",
        };
        if text.is_empty() && !whole.is_empty() {
            phase.left_out += 1;
            continue;
        }
        phase.tokens += tokens(text);
        phase
            .shards
            .push(given(&hit.shard, hit.score, text, text.len() < whole.len()));
    }
    phase
}

fn given(shard: &Shard, score: f64, text: &str, is_cut: bool) -> Given {
    Given {
        path: shard.path.clone(),
        language: shard.language.clone(),
        kind: shard.kind.clone(),
        name: cut(&shard.name, 200).to_owned(),
        first_line: shard.first_line,
        last_line: shard.last_line,
        score,
        tokens: tokens(text),
        digest: shard.digest.as_str().to_owned(),
        text: text.to_owned(),
        cut: is_cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::digest_of;

    fn hit(name: &str, nano: usize, micro: usize, full: usize, score: f64) -> Hit {
        let text = |letter: &str, tokens: usize| letter.repeat(tokens * 4);
        Hit {
            score,
            shard: Shard {
                path: "a.py".to_owned(),
                language: "python".to_owned(),
                kind: "function".to_owned(),
                name: name.to_owned(),
                first_line: 1,
                last_line: 2,
                nano: text("n", nano),
                micro: text("m", micro),
                full: text("f", full),
                digest: digest_of(name.as_bytes()),
            },
        }
    }

    fn said(hits: &[Hit], tiers: &[Tier], budgets: [usize; 3]) -> Vec<String> {
        let settings = Settings {
            budgets,
            ..Settings::default()
        };
        let phases = negotiate(hits, tiers, &settings);
        let say = |phase: &Phase| {
            let shards: Vec<String> = phase
                .shards
                .iter()
                .map(|s| format!("{}{}{}", s.name, s.tokens, if s.cut { "~" } else { "" }))
                .collect();
            format!("{}: {} -{}", phase.tier, shards.join(" "), phase.left_out)
        };
        phases.iter().map(say).collect()
    }

    #[test]
    fn each_phase_tells_more_of_the_best_as_far_as_its_budget_reaches() {
        let hits = [
            hit("a", 10, 40, 300, 1.0),
            hit("b", 10, 70, 100, 0.5),
            hit("c", 10, 40, 90, 0.4),
        ];
        assert_eq!(
            said(&hits, &Tier::ALL, [25, 100, 400]),
            ["nano: a10 b10 -1", "micro: a40 c40 -1", "full: a300 b100 -1"]
        );
        assert_eq!(
            said(&hits, &[Tier::Full, Tier::Nano], [25, 100, 400])[1],
            "nano: a10 b10 -1"
        );
        assert_eq!(
            said(&hits, &Tier::ALL, [25, 0, 400]),
            ["nano: a10 b10 -1", "full: a300 b100 -1"]
        );
    }

    #[test]
    fn the_best_is_cut_rather_than_left_out() {
        assert_eq!(
            said(&[hit("a", 10, 40, 300, 1.0)], &[Tier::Full], [25, 100, 50]),
            ["full: a50~ -0"]
        );
    }

    #[test]
    fn nothing_is_told_twice() {
        let mut small = hit("a", 10, 0, 0, 1.0);
        small.shard.micro.clone_from(&small.shard.nano);
        small.shard.full.clone_from(&small.shard.nano);
        assert_eq!(said(&[small.clone()], &Tier::ALL, [25, 100, 400]), ["nano: a10 -0"]);
        assert_eq!(
            said(&[small], &Tier::ALL, [5, 100, 400]),
            ["nano: a5~ -0", "micro: a10 -0"]
        );
        assert_eq!(said(&[], &Tier::ALL, [25, 100, 400]), [""; 0]);
    }
}
