//! Who decided what, when and on what: the answers of the whole project, narrowed by whoever asks, and the same as a table to be saved.

use crate::command::{DecisionsOf, Nothing};
use crate::gate::decision_view::RoundView;
use crate::gate::view::{DecidedCard, DecisionsByView, DecisionsView, GivenBy, UnreadRun};
use crate::gate::{asking, decisions, people};
use crate::lock::lock;
use crate::report::view::SavedView;
use crate::run::cache::Decided;
use crate::settings::keys::Keys;
use crate::text::{csv, safe};
use crate::{ApiError, Studio, days, words};
use chrono_tz::Tz;
use engine::{Decision, RunCreated, RunId};
use store::{DecisionAt, DecisionFilter};

/// How many are shown when nothing else is asked for, and how many at most: each is read from the log of its run.
const SHOWN: u32 = 100;
const MOST: u32 = 5_000;

const NAME: &str = "decisions.csv";
const HEAD: [&str; 21] = [
    "when",
    "asked at",
    "who",
    "given by",
    "role asked",
    "answer",
    "comment",
    "question",
    "workflow",
    "step",
    "instance",
    "run is about",
    "real or rehearsal",
    "key",
    "signature",
    "whose key",
    "remark",
    "run",
    "gate",
    "round",
    "not shown",
];

/// A run of which something is missing in a list, and why.
pub(crate) fn unread_run(run: &RunId, title: &str, error: &ApiError) -> UnreadRun {
    UnreadRun {
        run_id: run.to_string(),
        words: format!(
            "What “{}” asks, and what was answered in it, is missing here. {}",
            safe::in_quotes(title),
            error.message
        ),
    }
}

fn given_by(decision: &Decision) -> GivenBy {
    match decision {
        scripted if scripted.is_scripted() => GivenBy::Script,
        unseen if unseen.is_unseen() => GivenBy::Yes,
        _ => GivenBy::Person,
    }
}

impl Studio {
    /// The decisions that fit, latest first.
    ///
    /// # Errors
    /// `bad_date`, and what the store reports.
    pub async fn decisions(&self, of: DecisionsOf) -> Result<DecisionsView, ApiError> {
        let (since, until) = days::span(self.zone(), of.since.as_deref(), of.until.as_deref())?;
        let words = of.words.unwrap_or_default();
        let most = of.most.unwrap_or(SHOWN).min(MOST);
        let found = self.0.store.decisions(&DecisionFilter {
            since,
            until,
            by: of.by,
            answer: of.answer,
            workflow: of.workflow,
            words: words.split_whitespace().map(str::to_owned).collect(),
            rehearsals: of.rehearsals,
            limit: Some(most as usize),
        })?;
        let mut unread = Vec::new();
        Ok(DecisionsView {
            decisions: self.decided_cards(&found.rows, &mut unread)?,
            total: u32::try_from(found.total).unwrap_or(u32::MAX),
            rehearsals: u32::try_from(found.left_out).unwrap_or(u32::MAX),
            unread,
        })
    }

    /// By whom and in which workflows something was decided.
    pub(crate) fn decisions_by(&self, _: Nothing) -> Result<DecisionsByView, ApiError> {
        Ok(DecisionsByView {
            people: self.0.store.deciders()?,
            workflows: self.0.store.decided_workflows()?,
        })
    }

    /// Writes all decisions that fit into a new file of the project's folder of reports.
    pub(crate) async fn save_decisions(&self, of: DecisionsOf) -> Result<SavedView, ApiError> {
        let view = self.decisions(DecisionsOf { most: Some(MOST), ..of }).await?;
        if view.total > MOST {
            let what = format!(
                "{} decisions fit; a table of them holds {MOST} at most, and none was written.",
                view.total
            );
            return Err(ApiError::new("refused:too_many", what).hint("Choose fewer days."));
        }
        self.save_table(NAME, &table(&view, self.zone()))
    }

    /// Decisions as their logs have them; the runs that cannot be read are added to `unread`.
    pub(crate) fn decided_cards(
        &self,
        rows: &[DecisionAt],
        unread: &mut Vec<UnreadRun>,
    ) -> Result<Vec<DecidedCard>, ApiError> {
        let keys = self.0.identity.keys();
        // Run by run: thousands of decisions lie in few runs, in any order, and each log is read once.
        let mut by_run: Vec<(usize, &DecisionAt)> = rows.iter().enumerate().collect();
        by_run.sort_by(|(_, a), (_, b)| a.run.cmp(&b.run));
        let mut cards = Vec::with_capacity(rows.len());
        for (place, row) in by_run {
            if unread.iter().any(|one| one.run_id == row.run.as_str()) {
                continue;
            }
            match self.decided_card(row, &keys) {
                Ok(card) => cards.push((place, card)),
                Err(error) if error.passes() => return Err(error),
                Err(error) => unread.push(unread_run(&row.run, &row.title, &error)),
            }
        }
        cards.sort_by_key(|(place, _)| *place);
        Ok(cards.into_iter().map(|(_, card)| card).collect())
    }

    /// One of them. Its log is read for it once: what was decided stays so, and only what is known of its key may change.
    fn decided_card(&self, at: &DecisionAt, keys: &Keys) -> Result<DecidedCard, ApiError> {
        let key = (at.run.clone(), at.gate.clone(), at.round);
        let known = {
            let mut known = lock(&self.0.runs.decided);
            if known.keys != *keys {
                *known = Decided {
                    keys: keys.clone(),
                    ..Decided::default()
                };
            }
            known.cards.get(&key).cloned()
        };
        let mut card = match known {
            Some(card) => card,
            None => {
                let card = self.read_decided(at, keys)?;
                lock(&self.0.runs.decided).cards.insert(key, card.clone());
                card
            }
        };
        // That may become known later, by what the run makes.
        card.subject = self.subject(&at.run, u64::MAX);
        Ok(card)
    }

    /// The list says that there was one; what it was stands in the log.
    fn read_decided(&self, at: &DecisionAt, keys: &Keys) -> Result<DecidedCard, ApiError> {
        let history = self.history(at.run.as_str())?;
        let round = history.round(&at.gate, at.round)?;
        let Some((decision, _)) = &round.answer else {
            let why = format!(
                "The list of decisions shows one of run {} that its log does not have. `gatehouse verify {}` says what differs.",
                at.run, at.run
            );
            return Err(ApiError::new("corrupt", why));
        };
        let (opened, created) = (&round.opened, history.created());
        let workflow = history.workflow();
        let remarks = people::of_answered(workflow, &history.state(None), &round);
        let role = people::role(opened);
        let for_role = role.as_ref().map(|role| people::answered_for(&decision.by, role));
        let besides = remarks.iter().filter(|said| Some(*said) != for_role.as_ref());
        let besides: Vec<&str> = besides.map(String::as_str).collect();
        Ok(DecidedCard {
            run_id: at.run.to_string(),
            gate: opened.gate.to_string(),
            round: opened.round,
            purpose: asking::purpose(&opened.purpose),
            is_question: asking::is_question(&opened.purpose),
            question: opened.question.clone(),
            workflow_title: created.map_or_else(|| at.title.clone(), |created| created.title.clone()),
            subject: None,
            role,
            rehearsal: created.is_some_and(RunCreated::is_rehearsal),
            given_by: given_by(decision),
            step: words::step_ref(workflow, &opened.instance.step),
            instance: asking::instance(&opened.instance.path),
            besides: (!besides.is_empty()).then(|| besides.join(" ")),
            decision: RoundView {
                remark: (!remarks.is_empty()).then(|| remarks.join(" ")),
                ..decisions::round_view(workflow, &round, &|d| history.signed(d, keys))
            },
        })
    }
}

/// What is missing stands at the end: a table that lacks something does not look like a whole one.
fn table(view: &DecisionsView, zone: Option<Tz>) -> String {
    let head = csv::row(&HEAD.map(str::to_owned));
    let rows = view.decisions.iter().map(|one| csv::row(&row(one, zone)));
    let missing = view.unread.iter().map(|one| {
        let of = |column: &str| match column {
            "remark" => one.words.clone(),
            "run" => one.run_id.clone(),
            _ => String::new(),
        };
        csv::row(&HEAD.map(of))
    });
    std::iter::once(head).chain(rows).chain(missing).collect()
}

fn row(one: &DecidedCard, zone: Option<Tz>) -> [String; HEAD.len()] {
    let said = &one.decision;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    [
        said.answered_at.map(|at| days::second(at, zone)).unwrap_or_default(),
        days::second(said.opened_at, zone),
        text(&said.by),
        match one.given_by {
            GivenBy::Person => "a person",
            GivenBy::Script => "a script",
            GivenBy::Yes => "--yes",
        }
        .to_owned(),
        text(&one.role),
        text(&said.words),
        text(&said.comment),
        one.question.clone(),
        one.workflow_title.clone(),
        one.step.name.clone(),
        text(&one.instance),
        text(&one.subject),
        if one.rehearsal { "rehearsal" } else { "real" }.to_owned(),
        text(&said.fingerprint),
        signature(said).to_owned(),
        said.whose.as_ref().map(|whose| whose.words.clone()).unwrap_or_default(),
        text(&said.remark),
        one.run_id.clone(),
        one.gate.clone(),
        one.round.to_string(),
        said.not_shown.join(", "),
    ]
}

fn signature(said: &RoundView) -> &'static str {
    match said.signature_valid {
        None => "not signed",
        Some(true) => "holds",
        Some(false) => "does not hold",
    }
}
