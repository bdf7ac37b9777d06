//! The Inbox: what waits for a person, and what was decided lately.

use crate::command::Nothing;
use crate::gate::beside::Onlooker;
use crate::gate::decided::unread_run;
use crate::gate::view::{FirstTryView, GateCard, InboxView, UnreadRun};
use crate::gate::{people, present};
use crate::lock::lock;
use crate::run::cache::{Card, StepAsking};
use crate::run::history::History;
use crate::text::safe;
use crate::{ApiError, Studio, days, words};
use engine::{At, GateId, GateOpened, RunCreated, TookPart};
use model::Work;
use runtime::config::FirstTry;
use std::collections::HashSet;
use std::sync::Arc;
use store::{DecisionAt, RunFilter, UnreadRow, WaitingRow};

/// How many past decisions the Inbox shows.
const DECIDED: usize = 50;

/// So much of a question stands in the list, in characters: its page has all of it, and so has whatever a program reads.
const LONGEST_QUESTION: usize = 240;

/// What waits for people.
struct Waiting {
    /// Their questions, the longest waiting first.
    cards: Vec<Arc<GateCard>>,
    /// The runs that ask as well, but cannot be read.
    unread: Vec<UnreadRun>,
}

impl Studio {
    /// Decisions that wait and decisions made.
    pub(crate) async fn inbox(&self, _: Nothing) -> Result<InboxView, ApiError> {
        let Waiting { cards, mut unread } = self.waiting()?;
        let rows = self.0.store.decided(DECIDED)?.into_iter().map(|row| DecisionAt {
            run: row.run,
            title: row.title,
            gate: row.opened.gate,
            round: row.opened.round,
        });
        let rows: Vec<DecisionAt> = rows.collect();
        let mut decided = self.decided_cards(&rows, &mut unread)?;
        for card in &mut decided {
            card.question = safe::shortened(&card.question, LONGEST_QUESTION);
        }
        let shortened = |card: Arc<GateCard>| match safe::shortened(&card.question, LONGEST_QUESTION) {
            question if question == card.question => card,
            question => Arc::new(GateCard {
                question,
                ..GateCard::clone(&card)
            }),
        };
        Ok(InboxView {
            waiting: cards.into_iter().map(shortened).collect(),
            decided,
            unread,
            first_try: self.first_try()?,
        })
    }

    /// By when an answer to a question that waits is wanted, in words: `overdue: …` once that has passed; `None`: the project did not say.
    pub fn wanted(&self, card: &GateCard) -> Option<String> {
        let by = card.wanted_by.map(At)?;
        Some(days::wanted(by, crate::studio::now(), self.zone()))
    }

    /// What the project offers to begin with (`try` in gatehouse.yaml), while it has no run and the files are there.
    fn first_try(&self) -> Result<Option<FirstTryView>, ApiError> {
        let filter = RunFilter {
            limit: Some(1),
            ..RunFilter::default()
        };
        // Asked first: the Inbox is looked at often, and gatehouse.yaml is read for this only where nothing has happened yet.
        if !self.0.store.runs(&filter)?.is_empty() {
            return Ok(None);
        }
        let there = |chosen: &FirstTry| self.0.root.join(&chosen.scenario).is_file();
        let Some(chosen) = self.config().0.first_try.filter(there) else {
            return Ok(None);
        };
        Ok(self
            .document_if_there(&chosen.workflow)
            .ok()
            .map(|document| FirstTryView {
                title: document.workflow().title.clone(),
                path: chosen.workflow,
                scenario: chosen.scenario,
            }))
    }

    /// What waits for people.
    fn waiting(&self) -> Result<Waiting, ApiError> {
        let mut look = self.onlooker();
        let (waiting, damaged) = self.asked_now()?;
        let mut cards = Vec::with_capacity(waiting.len());
        let listed = |UnreadRow { run, title }: &UnreadRow| {
            let why = format!(
                "The list of questions says something of run {run} that cannot be read. `gatehouse rebuild {run}` mends it."
            );
            unread_run(run, title, &ApiError::new("corrupt", why))
        };
        let mut unread: Vec<UnreadRun> = damaged.iter().map(listed).collect();
        let gone_on = self.gone_on_from_those(&waiting);
        for row in waiting {
            let (run, title) = (row.run.clone(), row.title.clone());
            match self.card_of(row, &mut look) {
                Ok(card) => cards.push(match gone_on.get(&run) {
                    None => card,
                    Some(said) => Arc::new(GateCard {
                        gone_on_from: said.clone(),
                        ..GateCard::clone(&card)
                    }),
                }),
                Err(error) if error.passes() => return Err(error),
                // One run that cannot be read keeps nobody from what the others ask.
                Err(error) if unread.iter().all(|one| one.run_id != run.as_str()) => {
                    unread.push(unread_run(&run, &title, &error));
                }
                Err(_) => {}
            }
        }
        Ok(Waiting { cards, unread })
    }

    /// The questions that wait, the longest waiting first, as the list has them, and those of which it does not say what is asked.
    pub(crate) fn asked_now(&self) -> Result<(Vec<WaitingRow>, Vec<UnreadRow>), ApiError> {
        let (rows, damaged) = self.0.store.waiting_rows()?;
        let mut known = lock(&self.0.runs.cards);
        // Only where there are more than wait some of them wait no longer.
        if known.len() > rows.len() {
            let asks: HashSet<_> = rows
                .iter()
                .map(|row| (&row.run, &row.opened.gate, row.opened.round))
                .collect();
            known.retain(|(run, gate, round), _| asks.contains(&(run, gate, *round)));
        }
        drop(known);
        let mut waiting = Vec::with_capacity(rows.len());
        for row in rows {
            if !self.is_left_behind(&row.run)? {
                waiting.push(row);
            }
        }
        Ok((waiting, damaged))
    }

    /// One of them, as whoever looks sees it. It is made again only where its run has gone on, or where somebody else has worked beside it, which
    /// changes who may approve in it: Inboxes are looked at often.
    pub(crate) fn card_of(&self, row: WaitingRow, look: &mut Onlooker) -> Result<Arc<GateCard>, ApiError> {
        let gate = (row.run, row.opened.gate.clone(), row.opened.round);
        let known = lock(&self.0.runs.cards).get(&gate).cloned();
        let (asking, made, opened) = match known {
            Some(known) => (
                known.asking,
                Some((known.seq, known.person, known.beside, known.card)),
                None,
            ),
            None => {
                let history = self.glance(gate.0.as_str())?;
                (step_asking(&history, &gate.1, gate.2)?, None, Some(history))
            }
        };
        let beside = match asking.has_others_beside {
            true => self.beside_in(look, &gate.0)?,
            false => Arc::default(),
        };
        let person = Arc::clone(&look.person);
        if let Some((seq, by, then, card)) = made
            && (seq, &by, &then) == (row.seq, &person, &beside)
        {
            return Ok(card);
        }
        let another = asking.four_eyes && {
            let history = match opened {
                Some(history) => history,
                None => self.history(gate.0.as_str())?,
            };
            self.takes_another(&history, &asking.asked.opened, &person.name, &beside)
        };
        let of = present::OfRun {
            run: gate.0.as_str(),
            title: &asking.title,
            started_by: &asking.started_by,
            subject: self.subject(&gate.0, row.seq),
            person: people::Reader {
                name: &person.name,
                roles: &person.roles,
            },
            another,
            rehearsal: asking.rehearsal,
            given_by: asking.given_by.as_deref(),
        };
        let card = Arc::new(present::card(asking.step.clone(), &of, &asking.asked, asking.wanted_by));
        let made = Card {
            seq: row.seq,
            person,
            beside,
            asking,
            card: Arc::clone(&card),
        };
        lock(&self.0.runs.cards).insert(gate, made);
        Ok(card)
    }

    /// Whether somebody of this name, who answers with the key of this program, has had a hand in a run that wants four eyes.
    fn takes_another(&self, history: &History, opened: &GateOpened, name: &str, beside: &[TookPart]) -> bool {
        let key = self.0.identity.public();
        let hand = engine::Hand {
            name,
            key_name: None,
            key: Some(&key),
            unseen: false,
        };
        present::takes_another(history.workflow(), &history.state(None), opened, hand, beside)
    }
}

/// What a round asks. The list says that there is one; what it shows can have been changed, and is not what an answer signs.
fn step_asking(history: &History, gate: &GateId, round: u32) -> Result<StepAsking, ApiError> {
    let asked = history.round(gate, round)?;
    let created = history.created();
    let step = &asked.opened.instance.step;
    let given_by = created.and_then(|created| people::given_by(created, history.workflow(), step));
    let four_eyes = created.is_some_and(|created| created.policy.four_eyes && !created.is_rehearsal());
    let is_inside = created.is_some_and(|created| created.parent.is_some());
    let mut steps = history.workflow().steps().iter();
    Ok(StepAsking {
        step: words::step_at(history.workflow(), history.created(), &asked.opened.instance),
        rehearsal: created.is_some_and(RunCreated::is_rehearsal),
        given_by: given_by.map(str::to_owned),
        wanted_by: history.wanted_by(&asked),
        four_eyes,
        has_others_beside: four_eyes && (is_inside || steps.any(|step| matches!(step.work, Work::SubWorkflow { .. }))),
        title: created.map(|created| created.title.clone()).unwrap_or_default(),
        started_by: created.map(|created| created.by.clone()).unwrap_or_default(),
        asked,
    })
}
