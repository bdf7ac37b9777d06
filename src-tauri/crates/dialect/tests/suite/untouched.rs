//! What a gesture has to leave as it is, byte for byte: every step that it neither names nor reaches by a reference that has to follow,
//! with the comments and the blank lines around it. Of a step that it reaches only what cannot stay.

use dialect::{Document, Made, Span};
use model::{FlowEdit, Format, Gesture, Place, Route, Routing, Spot, Step, StepId};
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// A step, or an edge of a graph, as it is written.
#[derive(Debug, Clone)]
struct Piece {
    /// What it is called; of an edge of a graph its ends.
    key: String,
    span: Span,
    is_edge: bool,
}

/// A file as the pieces in it and what stands between them.
struct Cut<'a> {
    text: &'a str,
    pieces: Vec<Piece>,
    is_runbook: bool,
}

impl<'a> Cut<'a> {
    fn of(document: &'a Document) -> Self {
        let text = document.text();
        let is_runbook = document.path().ends_with(".md");
        let line_end = |at: usize| text[at..].find(['\n', '\r']).map_or(text.len(), |n| at + n);
        let whole = |span: Span| {
            // The comment behind the last value of a step is part of it, and so are those below it that stand deeper.
            let line = text[..span.start].rfind('\n').map_or(0, |n| n + 1);
            let depth = text[line..].len() - text[line..].trim_start().len();
            let mut end = line_end(span.end);
            if !text[span.end..end].trim_start().starts_with('#') {
                end = if text[span.end..end].trim().is_empty() {
                    end
                } else {
                    return span;
                };
            }
            while let Some(below) = text[end..].strip_prefix('\n') {
                let own = below.lines().next().unwrap_or_default();
                let blank = own.len() - own.trim_start().len();
                if is_runbook || blank <= depth || !own.trim_start().starts_with('#') {
                    break;
                }
                end += 1 + own.len();
            }
            Span { end, ..span }
        };
        let step = |step: &Step| {
            let span = document.span(&Place::step(step.ordinal))?;
            let (key, is_edge) = (step.id.to_string(), false);
            Some(Piece {
                key,
                span: whole(span),
                is_edge,
            })
        };
        let mut pieces: Vec<Piece> = document.workflow().steps().iter().filter_map(step).collect();
        let place = Place::document().field("edges");
        let edges = document
            .value(&place)
            .filter(|_| document.workflow().format == Format::Stepwise);
        for (n, edge) in edges
            .iter()
            .flat_map(|edges| edges.as_array().into_iter().flatten())
            .enumerate()
        {
            let end = |key: &str| edge.get(key).map(Value::to_string).unwrap_or_default();
            let key = format!("{} to {}", end("from"), end("to"));
            let same = pieces.iter().filter(|piece| piece.key.starts_with(&key)).count();
            if let Some(span) = document.span(&place.clone().field(n.to_string())) {
                let key = format!("{key} {same}");
                pieces.push(Piece {
                    key,
                    span: whole(span),
                    is_edge: true,
                });
            }
        }
        pieces.sort_by_key(|piece| piece.span.start);
        // What holds others ends where they begin; blank lines at the end are what divides it from them.
        for n in 0..pieces.len() {
            let next = pieces.get(n + 1).map_or(text.len(), |next| next.span.start);
            let span = &mut pieces[n].span;
            span.end = span.end.min(next);
            span.end = span.start + text[span.start..span.end].trim_end().len();
        }
        pieces.dedup_by_key(|piece| piece.span.start);
        Self {
            text,
            pieces,
            is_runbook,
        }
    }

    fn own(&self, n: usize) -> &'a str {
        &self.text[self.pieces[n].span.start..self.pieces[n].span.end]
    }

    fn find(&self, key: &str) -> Option<usize> {
        self.pieces.iter().position(|piece| piece.key == key)
    }

    /// What stands before a piece, back to the one before it; of the one behind the last: the end of the file.
    fn above(&self, n: usize) -> &'a str {
        let start = n.checked_sub(1).map_or(0, |before| self.pieces[before].span.end);
        let end = self.pieces.get(n).map_or(self.text.len(), |piece| piece.span.start);
        &self.text[start..end]
    }
}

/// The lines directly above a piece that are comments, and how many blank ones stand above those.
fn lead(above: &str) -> (Vec<&str>, usize) {
    let mut lines: Vec<&str> = above.split('\n').collect();
    // Where the piece itself begins.
    lines.pop();
    let mut comments: Vec<&str> = Vec::new();
    while let Some(line) = lines.last().filter(|line| line.trim_start().starts_with('#')) {
        comments.push(line.trim());
        lines.pop();
    }
    comments.reverse();
    let blank = lines.iter().rev().take_while(|line| line.trim().is_empty()).count();
    // The first line is the end of the one before.
    (comments, blank - usize::from(blank == lines.len() && blank > 0))
}

/// Whether a text is another one in which nothing but ids follows.
fn follows(old: &str, new: &str, renamed: &[(String, String)]) -> bool {
    let (a, b) = (old.as_bytes(), new.as_bytes());
    let mut seen: HashSet<(usize, usize)> = HashSet::new();
    let mut open = vec![(0, 0)];
    while let Some((i, j)) = open.pop() {
        if (i, j) == (a.len(), b.len()) {
            return true;
        }
        if !seen.insert((i, j)) {
            continue;
        }
        for (was, is) in renamed {
            if a[i..].starts_with(was.as_bytes()) && b[j..].starts_with(is.as_bytes()) {
                open.push((i + was.len(), j + is.len()));
            }
        }
        if a.get(i).is_some_and(|c| b.get(j) == Some(c)) {
            open.push((i + 1, j + 1));
        }
    }
    false
}

/// Whether a text names an id.
fn is_named(text: &str, id: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut found = text.match_indices(id);
    found.any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + id.len()..].starts_with(is_part))
}

/// The steps that a gesture names.
fn named(document: &Document, gesture: &Gesture) -> BTreeSet<StepId> {
    let mut all = BTreeSet::new();
    match gesture {
        Gesture::Value(edit) => {
            let step = edit.place().step.and_then(|n| document.workflow().steps().get(n));
            all.extend(step.map(|step| step.id.clone()));
        }
        Gesture::Flow(edit) => {
            all.extend(edit.step().cloned());
            match edit {
                FlowEdit::Connect { to, .. } | FlowEdit::Disconnect { to, .. } => drop(all.insert(to.clone())),
                FlowEdit::Add {
                    at: Spot::Between { to, .. },
                    ..
                } => drop(all.insert(to.clone())),
                FlowEdit::Route { to, .. } => match to {
                    Route::Next { to } => drop(all.insert(to.clone())),
                    Route::End => {}
                    Route::Loop { back, next, .. } => all.extend(next.iter().chain([back]).cloned()),
                    Route::Branch { branches, next, .. } => {
                        all.extend(branches.iter().map(|(_, to)| to).chain(next).cloned());
                    }
                    Route::Fork { targets, join } => all.extend(targets.iter().chain(join).cloned()),
                },
                _ => {}
            }
        }
    }
    all
}

/// The steps that name each other, or lead to each other.
fn pairs(document: &Document) -> Vec<(StepId, StepId)> {
    let workflow = document.workflow();
    let flows = workflow.flows().into_iter();
    let mut all: Vec<(StepId, StepId)> = flows.map(|(from, to, _)| (from.id.clone(), to.id.clone())).collect();
    for step in workflow.steps() {
        let rejected = step.gate.as_ref().and_then(|gate| gate.on_reject.as_ref());
        let named = step.depends_on.iter().chain(rejected).chain(&step.parent);
        all.extend(named.map(|other| (step.id.clone(), other.clone())));
    }
    all
}

/// What a workflow says of its steps, whichever way it says it: each with what its ways and its waiting come to.
fn meaning(document: &Document) -> Vec<String> {
    let workflow = document.workflow();
    let one = |step: &Step| {
        let mut own = step.clone();
        own.ordinal = 0;
        own.number.clear();
        if matches!(
            own.routing,
            Routing::Sequence | Routing::Linear { .. } | Routing::Terminal
        ) {
            own.routing = Routing::Sequence;
        }
        // Whoever waits for a step waits for what that one waits for.
        let mut waits: BTreeSet<StepId> = BTreeSet::new();
        let mut open: Vec<&StepId> = step.depends_on.iter().collect();
        while let Some(id) = open.pop() {
            if waits.insert(id.clone()) {
                open.extend(workflow.step(id).into_iter().flat_map(|step| &step.depends_on));
            }
        }
        own.depends_on.clear();
        own.fields.shift_remove("depends_on");
        let waiting = !waits.is_empty();
        let flows = workflow
            .flows()
            .into_iter()
            .filter(|(from, ..)| from.ordinal == step.ordinal && !waiting);
        let flows = flows.filter(|(_, to, _)| to.depends_on.is_empty());
        let flows: Vec<String> = flows.map(|(_, to, flow)| format!("{} {flow:?}", to.id)).collect();
        format!("{own:?} {waits:?} {flows:?}")
    };
    let errors = document.diagnostics().iter();
    let errors = errors.map(|found| format!("{} {}", found.code, found.message));
    workflow.steps().iter().map(one).chain(errors).collect()
}

/// What a gesture changed that it has to leave as it is, a sentence each. `made`: what came of it on the document before.
pub(crate) fn touched(before: &Document, made: &Made, gesture: &Gesture) -> Vec<String> {
    let (after, renamed) = (&made.document, &made.renamed);
    let mut found = Vec::new();
    let ids: Vec<(String, String)> = renamed
        .iter()
        .filter_map(|(old, new)| Some((old.to_string(), new.as_ref()?.to_string())))
        .collect();
    let now = |id: &str| {
        ids.iter()
            .find(|(old, _)| old == id)
            .map_or(id.to_owned(), |(_, new)| new.clone())
    };
    let is_gone = |id: &StepId| {
        renamed.iter().any(|(old, new)| old == id && new.is_none())
            || after.workflow().step(&now(id.as_str()).as_str().into()).is_none()
    };
    let named = named(before, gesture);
    let old_ids: BTreeSet<StepId> = before.workflow().steps().iter().map(|step| step.id.clone()).collect();
    let kept: BTreeSet<StepId> = old_ids.iter().map(|id| now(id.as_str()).as_str().into()).collect();
    let new_ids = after
        .workflow()
        .steps()
        .iter()
        .map(|step| &step.id)
        .filter(|id| !kept.contains(*id));
    let gone = old_ids.iter().filter(|id| is_gone(id));
    // By the ids behind the gesture, which those that are gone keep.
    let mut centre: BTreeSet<StepId> = named.iter().map(|id| now(id.as_str()).as_str().into()).collect();
    centre.extend(new_ids.cloned());
    centre.extend(gone.cloned());
    let old_pairs = pairs(before).into_iter();
    let old_pairs = old_pairs.map(|(a, b)| (now(a.as_str()).as_str().into(), now(b.as_str()).as_str().into()));
    let mut reached = centre.clone();
    for (a, b) in old_pairs.chain(pairs(after)) {
        if centre.contains(&a) {
            reached.insert(b);
        } else if centre.contains(&b) {
            reached.insert(a);
        }
    }
    // Where steps are numbered they are named by their numbers, too.
    let mut spoken_of: BTreeSet<String> = centre.iter().map(ToString::to_string).collect();
    for step in before
        .workflow()
        .steps()
        .iter()
        .filter(|step| centre.contains(now(step.id.as_str()).as_str()))
    {
        let number = before.value(&Place::step(step.ordinal).field("step"));
        spoken_of.insert(step.id.to_string());
        spoken_of.extend(number.map(|number| number.to_string()));
    }
    for step in before.workflow().steps() {
        let span = before.span(&Place::step(step.ordinal));
        let own = span.map_or("", |span| &before.text()[span.start..span.end]);
        if spoken_of.iter().any(|id| is_named(own, id)) {
            reached.insert(now(step.id.as_str()).as_str().into());
        }
    }
    // By its place a new step follows the one before it, which may have to say that it does not.
    for pair in after
        .workflow()
        .steps()
        .windows(2)
        .filter(|pair| !kept.contains(&pair[1].id))
    {
        reached.insert(pair[0].id.clone());
    }
    // What it is said of.
    let subject: BTreeSet<StepId> = match gesture {
        Gesture::Value(_) => named.clone(),
        Gesture::Flow(FlowEdit::Add { .. } | FlowEdit::Duplicate { .. }) => BTreeSet::new(),
        Gesture::Flow(FlowEdit::Connect { from, to, .. } | FlowEdit::Disconnect { from, to, .. }) => {
            [from, to].into_iter().cloned().collect()
        }
        Gesture::Flow(edit) => edit.step().into_iter().cloned().collect(),
    };
    // What stands beside the steps is what is changed.
    let of_file = matches!(gesture, Gesture::Value(edit) if edit.place().step.is_none());
    let (old, new) = (Cut::of(before), Cut::of(after));
    let wanted = meaning(after);
    let mut same: Vec<Option<usize>> = Vec::with_capacity(old.pieces.len());
    for (n, piece) in old.pieces.iter().enumerate() {
        let at = match piece.is_edge {
            true => (0..new.pieces.len()).find(|at| {
                new.pieces[*at].is_edge && follows(old.own(n), new.own(*at), &ids) && !same.contains(&Some(*at))
            }),
            false
                if renamed
                    .iter()
                    .any(|(old, new)| old.as_str() == piece.key && new.is_none()) =>
            {
                None
            }
            false => new.find(&now(&piece.key)).filter(|at| !new.pieces[*at].is_edge),
        };
        same.push(at);
        let id: StepId = now(&piece.key).as_str().into();
        match at {
            None if piece.is_edge && !of_file => {
                let is_of = |id: &StepId| piece.key.contains(&format!("\"{id}\""));
                if !reached.iter().chain(&named).any(is_of) {
                    found.push(format!(
                        "an edge that the gesture does not concern is gone or changed: {}",
                        old.own(n)
                    ));
                }
            }
            None => {}
            Some(at) if follows(old.own(n), new.own(at), &ids) => {}
            Some(_) if subject.contains(piece.key.as_str()) => {}
            Some(at) if !reached.contains(&id) => {
                found.push(format!(
                    "`{id}`, which the gesture does not concern, is written otherwise:\n{}\n- now\n{}",
                    old.own(n),
                    new.own(at)
                ));
            }
            // What names a step that the gesture is about, or that goes, says what becomes of that.
            Some(_) if spoken_of.iter().any(|id| is_named(old.own(n), id)) => {}
            Some(at) => {
                let span = new.pieces[at].span;
                let back = format!("{}{}{}", &new.text[..span.start], old.own(n), &new.text[span.end..]);
                if meaning(&Document::parse(after.path(), &back)) == wanted {
                    found.push(format!(
                        "`{id}` is written otherwise without need:\n{}\n- now\n{}",
                        old.own(n),
                        new.own(at)
                    ));
                }
            }
        }
    }
    if !of_file {
        around(&old, &new, &same, &mut found, &ids);
    }
    found
}

/// Comments and blank lines around pieces.
fn around(old: &Cut<'_>, new: &Cut<'_>, same: &[Option<usize>], found: &mut Vec<String>, ids: &[(String, String)]) {
    let all: BTreeSet<usize> = (0..=old.pieces.len()).map(|n| lead(old.above(n)).1).collect();
    for n in 0..old.pieces.len() {
        let Some(at) = same[n] else { continue };
        let (was, is) = (old.above(n), new.above(at));
        let key = &old.pieces[n].key;
        let before = n.checked_sub(1).map(|before| same[before]);
        let stays = match before {
            None => at == 0,
            Some(None) => false,
            Some(Some(before)) => before + 1 == at,
        };
        if stays {
            if !follows(was, is, ids) && (n > 0 || !old.is_runbook) {
                found.push(format!("what stands above `{key}` was {was:?} and is {is:?}"));
            }
            continue;
        }
        let ((comments, _), (now, blank)) = (lead(was), lead(is));
        if comments != now {
            found.push(format!("above `{key}` stood {comments:?} and stands {now:?}"));
        }
        if !all.contains(&blank) {
            found.push(format!(
                "above `{key}` stand {blank} blank lines, where there are {all:?}"
            ));
        }
    }
    // The end of the file.
    let (was, is) = (old.above(old.pieces.len()), new.above(new.pieces.len()));
    let last = old.pieces.len().checked_sub(1).and_then(|last| same[last]);
    if last.is_some_and(|last| last + 1 == new.pieces.len()) && !follows(was, is, ids) {
        found.push(format!("the end of the file was {was:?} and is {is:?}"));
    }
}

/// The same file with comments, blank lines and both as a person may have put them there; as it is where it would say something else.
pub(crate) fn with_notes(path: &str, text: &str, seed: u64) -> String {
    let document = Document::parse(path, text);
    let cut = Cut::of(&document);
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut dice = move |sides: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % sides
    };
    let blank = "\n".repeat(usize::try_from(dice(3)).unwrap_or_default());
    let starts: Vec<usize> = cut.pieces.iter().map(|piece| piece.span.start).collect();
    let mut out = String::new();
    let mut at = 0;
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let begins = starts.iter().any(|start| (at..at + line.len()).contains(start));
        at += line.len();
        let ends = cut
            .pieces
            .iter()
            .any(|piece| (at - line.len()..at).contains(&piece.span.end));
        if begins && n > 0 {
            out.push_str(&blank);
            if !cut.is_runbook && dice(2) == 0 {
                out.push_str(&format!("{indent}# note {n}\n"));
            }
        }
        let plain = line.trim_end();
        let is_plain = plain.contains(": ") && !plain.ends_with(['|', '>', '-', '+']) && !plain.contains(" #");
        if !cut.is_runbook && is_plain && dice(3) == 0 {
            out.push_str(&format!("{plain} # end {n}\n"));
        } else {
            out.push_str(line);
        }
        if ends && !cut.is_runbook && dice(4) == 0 && line.ends_with('\n') {
            out.push_str(&format!("{indent}  # tail {n}\n"));
        }
    }
    let noted = Document::parse(path, &out);
    let is_same = noted.diagnostics().len() == document.diagnostics().len() && meaning(&noted) == meaning(&document);
    if is_same { out } else { text.to_owned() }
}
