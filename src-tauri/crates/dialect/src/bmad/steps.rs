//! The steps in a text of instructions: what of it is a step, what is asked and made in it, and what no run carries out.

use super::tags::{self, Kind, Piece, Tag, shortened};
use crate::fields::is_of_people;
use crate::text::Span;
use std::collections::BTreeMap;

/// The most steps of a workflow: each is told what stands around all of them.
const MOST_STEPS: usize = 1_000;
/// Tags lie no deeper in each other.
const DEEPEST: usize = 64;
/// The most names that a note lists.
const MOST_NAMES: usize = 12;

/// A step as it stands.
#[derive(Debug)]
pub(super) struct Written {
    /// The tag that opens it.
    pub(super) tag: Tag,
    /// What stands between its tags.
    pub(super) body: Span,
    /// With its tags.
    pub(super) whole: Span,
    pub(super) asks: Vec<Inside>,
    pub(super) outputs: Vec<Inside>,
}

/// A tag inside of a step, with what stands in it.
#[derive(Debug)]
pub(super) struct Inside {
    pub(super) tag: Tag,
    pub(super) body: Span,
}

/// What is wrong at a tag.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) code: &'static str,
    /// In which step.
    pub(super) step: Option<usize>,
    pub(super) at: Span,
    pub(super) said: String,
    pub(super) help: &'static str,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) steps: Vec<Written>,
    /// The text around the steps.
    pub(super) around: Vec<Span>,
    pub(super) faults: Vec<Fault>,
    /// Tags that mean nothing here, each with where it stands first.
    pub(super) strange: BTreeMap<String, Span>,
}

/// Tags that are there for whoever does the step.
const TEXT: [&str; 8] = [
    "action", "critical", "note", "output", "mandate", "substep", "anchor", "example",
];
/// Tags that this reader looks into.
const LOOKED_INTO: [&str; 4] = ["workflow", "step", "ask", "template-output"];
/// Attributes of a step that are known.
const OF_STEPS: [&str; 7] = ["n", "goal", "title", "name", "optional", "critical", "tag"];

pub(super) const TAG_HELP: &str = "Write each `<step n=\"…\" goal=\"…\">` with its `</step>`, one after the other, and all that is to be done inside of them";
const HELP: &str = "This workflow does not start. Write what is to be done as steps, one after the other, or remove it";
const NAME_HELP: &str = "Number the steps 1, 2, 3 … in the order of the file";

/// What would follow if a tag were passed over.
fn follows(name: &str) -> Option<&'static str> {
    Some(match name {
        "goto" | "next" | "jump" => "the steps run in the order of the file",
        "approval" | "approve" | "confirm" | "confirmation" | "gate" | "human-gate" | "human-approval"
        | "human-review" | "user-input" | "wait-for-user" | "sign-off" => "nobody would be asked because of it",
        "wait" | "pause" => "the run would not stop for it",
        "skip" => "what it stands for would be done all the same",
        "check" | "if" | "elif" | "else" | "switch" | "case" | "branch" => {
            "what stands in it would be told to the agent whether it holds or not"
        }
        "repeat" | "loop" | "for-each" | "foreach" | "iterate" | "while" => "what stands in it would be done once",
        "parallel" | "fork" | "join" => "nothing would run beside anything else",
        "invoke-workflow" | "invoke" => "the other workflow would not run",
        "invoke-task" | "invoke-protocol" | "elicit-required" => "what it calls would not be done",
        "halt" | "exit" | "stop" => "the run would go on",
        name if is_of_people(&name.replace('-', "_")) => "nobody would be asked because of it",
        _ => return None,
    })
}

/// What would follow if an attribute were passed over.
fn follows_attribute(name: &str) -> Option<&'static str> {
    Some(match name {
        "if" | "when" | "unless" | "condition" => "it would be done whether that holds or not",
        "repeat" | "for-each" | "foreach" | "while" | "until" => "it would be done once",
        "goto" | "next" | "depends-on" | "after" => "the steps run in the order of the file",
        "human-gate" | "gate" | "approval" | "approvers" | "requires-approval" | "approval-required"
        | "requires-review" | "requires-human" | "require-human" | "human-review" | "human-approval" | "confirm"
        | "manual" | "gate-asks" | "gate-question" | "sign-off" => "nobody would be asked because of it",
        "wait" | "pause" => "the run would not stop for it",
        "skip" | "skip-if" | "disabled" | "enabled" | "active" | "only-if" | "run-if" => {
            "it would be done all the same"
        }
        "parallel" => "nothing would run beside anything else",
        "agent" | "agents" => "it would be done by whoever the workflow names",
        "on-error" | "on-failure" | "retries" | "retry" => "a failure would be met as if it were not there",
        _ => return None,
    })
}

/// A name with dashes between its words.
fn plain(name: &str) -> String {
    name.replace('_', "-")
}

/// Whether the value of an attribute says no. One without a value says yes.
fn says_no(value: &str) -> bool {
    matches!(
        value.trim().to_lowercase().as_str(),
        "false" | "no" | "none" | "off" | "never" | "n/a" | "0"
    )
}

/// Whether the value of an attribute asks for what it is there for. A condition that says no is one that never holds.
fn asks_for(attribute: &str, value: &str) -> bool {
    match attribute {
        "if" | "when" | "condition" | "only-if" | "run-if" => !value.trim().eq_ignore_ascii_case("true"),
        "enabled" | "active" => says_no(value),
        _ => !says_no(value),
    }
}

/// Finds the steps of `text[within]`.
pub(super) fn find(text: &str, within: Span) -> Found {
    let mut search = Search {
        text,
        base: within.start,
        open: Vec::new(),
        found: Found::default(),
        asks: Vec::new(),
        outputs: Vec::new(),
        around: within.start,
        end: within.end,
    };
    for piece in tags::pieces(&text[within.start..within.end]) {
        if !search.piece(piece) {
            // What is not read is told to nobody.
            search.around = within.end;
            break;
        }
    }
    search.finish()
}

struct Search<'a> {
    text: &'a str,
    /// Where the instructions begin.
    base: usize,
    end: usize,
    open: Vec<Tag>,
    found: Found,
    /// Of the step that is open.
    asks: Vec<Inside>,
    outputs: Vec<Inside>,
    /// Up to here the text around the steps is taken.
    around: usize,
}

impl Search<'_> {
    /// Whether there is more to look at.
    fn piece(&mut self, piece: Piece) -> bool {
        match piece {
            Piece::Comment(span) => {
                if self.step().is_none() {
                    self.cut(self.here(span));
                }
            }
            Piece::Endless(at, what) => {
                let at = self.base + at;
                let said = format!("{what} begins here and never ends");
                let end = at + tags::beginning(&self.text[at..self.end], 1).len();
                self.fault("GH0421", Span { start: at, end }, said, TAG_HELP);
                // What it hides is not called missing besides.
                self.open.clear();
            }
            Piece::Tag(mut tag) => {
                tag.at = self.here(tag.at);
                return self.tag(tag);
            }
        }
        true
    }

    fn here(&self, span: Span) -> Span {
        Span {
            start: span.start + self.base,
            end: span.end + self.base,
        }
    }

    /// The step that is open.
    fn step(&self) -> Option<usize> {
        let is_open = self.open.iter().any(|open| open.name == "step");
        is_open.then_some(self.found.steps.len())
    }

    fn fault(&mut self, code: &'static str, at: Span, said: String, help: &'static str) {
        let step = self.step();
        self.found.faults.push(Fault {
            code,
            step,
            at,
            said,
            help,
        });
    }

    /// Takes the text around the steps up to a span, and leaves that out.
    fn cut(&mut self, span: Span) {
        let (start, end) = (self.around, span.start);
        if start < end {
            self.found.around.push(Span { start, end });
        }
        self.around = span.end;
    }

    fn tag(&mut self, tag: Tag) -> bool {
        let name = tag.name.as_str();
        if tag.kind != Kind::Close {
            let shown = |attribute: &str| format!("`{attribute}` of `<{}>`", shortened(name));
            if let Some(follows) = follows(&plain(name)) {
                let said = format!("`<{name}>` is not carried out: {follows}");
                self.fault("GH0501", tag.at, said, HELP);
                return true;
            }
            for (attribute, value) in &tag.attributes {
                let asks = is_known(name) && asks_for(&plain(attribute), value);
                if let Some(follows) = follows_attribute(&plain(attribute)).filter(|_| asks) {
                    let said = format!("{} is not carried out: {follows}", shown(attribute));
                    self.fault("GH0501", tag.at, said, HELP);
                } else if name == "step" && !OF_STEPS.contains(&attribute.as_str()) {
                    self.strange(shown(attribute), tag.at);
                }
            }
        }
        if follows(&plain(name)).is_some() || TEXT.contains(&name) {
            return true;
        }
        if !LOOKED_INTO.contains(&name) {
            if tag.kind != Kind::Close {
                self.strange(format!("`<{}>`", shortened(name)), tag.at);
            }
            return true;
        }
        match tag.kind {
            Kind::Open => self.begin(tag),
            Kind::Close => {
                self.close(&tag);
                true
            }
            Kind::Alone => {
                let at = tag.at.end;
                let span = tag.at;
                if self.begin(tag) {
                    self.end(span, at);
                }
                true
            }
        }
    }

    fn strange(&mut self, name: String, at: Span) {
        let known = &mut self.found.strange;
        if known.len() < MOST_NAMES || known.contains_key(&name) {
            known.entry(name).or_insert(at);
        }
    }

    fn begin(&mut self, tag: Tag) -> bool {
        let inside = self.step().is_some();
        let is_step = tag.name == "step";
        if is_step && inside {
            let said = "A step begins inside of another one, or the one before it is not closed".to_owned();
            self.fault("GH0421", tag.at, said, TAG_HELP);
            // Read on as if the other one had ended, so that what follows is told as it stands.
            while self.step().is_some() {
                self.close_at(tag.at.start);
            }
        }
        if !inside && matches!(tag.name.as_str(), "ask" | "template-output") {
            let said = format!("`<{}>` stands in no step, so nobody would heed it", tag.name);
            self.fault("GH0421", tag.at, said, TAG_HELP);
        }
        if is_step && self.found.steps.len() >= MOST_STEPS {
            let said = format!("There are more than {MOST_STEPS} steps; the first {MOST_STEPS} are read");
            self.fault("GH0113", tag.at, said, "Split the workflow");
            self.open.clear();
            return false;
        }
        if self.open.len() >= DEEPEST {
            let said = "Tags lie too deep in each other here; nothing behind is read".to_owned();
            self.fault("GH0421", tag.at, said, TAG_HELP);
            self.open.clear();
            return false;
        }
        if is_step || tag.name == "workflow" && !inside {
            self.cut(tag.at);
        }
        self.open.push(tag);
        true
    }

    fn close(&mut self, tag: &Tag) {
        let Some(opened) = self.open.iter().rposition(|open| open.name == tag.name) else {
            let said = format!("`</{}>` closes nothing", tag.name);
            self.fault("GH0421", tag.at, said, TAG_HELP);
            if self.step().is_none() {
                self.cut(tag.at);
            }
            return;
        };
        while self.open.len() > opened + 1 {
            self.unclosed();
            self.close_at(tag.at.start);
        }
        self.end(tag.at, tag.at.start);
    }

    /// Ends the innermost tag although nothing closes it.
    fn close_at(&mut self, at: usize) {
        self.end(Span { start: at, end: at }, at);
    }

    fn unclosed(&mut self) {
        let Some(open) = self.open.last() else { return };
        let (at, said) = (open.at, format!("`<{}>` is opened here and not closed", open.name));
        self.fault("GH0421", at, said, TAG_HELP);
    }

    /// Ends the innermost tag. `closing`: what closes it; `body`: where what stands in it ends.
    fn end(&mut self, closing: Span, body: usize) {
        let Some(tag) = self.open.pop() else { return };
        let body = Span {
            start: tag.at.end.min(body),
            end: body,
        };
        let name = tag.name.as_str();
        match name {
            "step" => {
                self.around = closing.end.max(self.around);
                let asks = std::mem::take(&mut self.asks);
                let outputs = std::mem::take(&mut self.outputs);
                let step = Written {
                    whole: Span {
                        start: tag.at.start,
                        end: closing.end.max(tag.at.end),
                    },
                    tag,
                    body,
                    asks,
                    outputs,
                };
                self.found.steps.push(step);
            }
            "workflow" if self.step().is_none() => self.cut(closing),
            "ask" if self.step().is_some() => self.asks.push(Inside { tag, body }),
            "template-output" if self.step().is_some() => self.outputs.push(Inside { tag, body }),
            _ => {}
        }
    }

    fn finish(mut self) -> Found {
        while !self.open.is_empty() {
            self.unclosed();
            let end = self.end;
            self.close_at(end);
        }
        let end = self.end;
        self.cut(Span { start: end, end });
        self.numbers();
        self.found
    }

    /// BMAD carries the steps out by their numbers, a run in the order of the file: the two must agree.
    fn numbers(&mut self) {
        let mut faults = Vec::new();
        let mut before: Option<(Number, String)> = None;
        for (step, written) in self.found.steps.iter().enumerate() {
            let given = written.tag.get("n").unwrap_or_default().trim();
            let said = match Number::of(given) {
                None if given.is_empty() => Some("This step has no number (`n`)".to_owned()),
                None => Some(format!("`{}` is no number of a step", shortened(given))),
                Some(number) => {
                    let behind = before.as_ref().filter(|(before, _)| *before >= number);
                    let said = behind.map(|(before, shown)| match *before == number {
                        true => format!("There are two steps with the number {given}"),
                        false => format!("Step {given} stands behind step {shown}: which one is to be done first?"),
                    });
                    before = Some((number, given.to_owned()));
                    said
                }
            };
            if let Some(said) = said {
                faults.push(Fault {
                    code: "GH0422",
                    step: Some(step),
                    at: written.tag.at,
                    said,
                    help: NAME_HELP,
                });
            }
        }
        self.found.faults.extend(faults);
    }
}

/// The number of a step: `2`, `2.1`, `2a`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Number(Vec<(u32, String)>);

impl Number {
    fn of(text: &str) -> Option<Self> {
        if text.len() > 20 {
            return None;
        }
        let part = |part: &str| {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, rest) = part.split_at(digits);
            let is_plain = rest.len() <= 1 && rest.chars().all(|c| c.is_ascii_alphabetic());
            is_plain.then_some(())?;
            Some((number.parse().ok()?, rest.to_ascii_lowercase()))
        };
        text.split('.').map(part).collect::<Option<Vec<_>>>().map(Self)
    }
}

/// Whether the attributes of a tag mean something.
fn is_known(name: &str) -> bool {
    TEXT.contains(&name) || LOOKED_INTO.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Found {
        let end = text.len();
        find(text, Span { start: 0, end })
    }

    fn faults(text: &str) -> Vec<(&'static str, Option<usize>, String)> {
        let said = found(text).faults.into_iter();
        said.map(|fault| (fault.code, fault.step, fault.said)).collect()
    }

    #[test]
    fn steps_and_what_stands_around_them() {
        let text = "# T\n<workflow><!-- no -->be <critical>kind</critical>\n<step n=\"1\" goal=\"a\">x<ask>q</ask>\
                    <template-output file=\"f\">o</template-output></step>\n<step n=\"2a\"/>after</workflow>end";
        let found = found(text);
        assert!(found.faults.is_empty(), "{:?}", found.faults);
        let cut = |span: &Span| &text[span.start..span.end];
        let around: Vec<&str> = found.around.iter().map(cut).collect();
        assert_eq!(
            around,
            ["# T\n", "be <critical>kind</critical>\n", "\n", "after", "end"]
        );
        let [one, two] = found.steps.as_slice() else {
            panic!("{:?}", found.steps)
        };
        assert_eq!((one.tag.get("goal"), cut(&two.body)), (Some("a"), ""));
        assert!(cut(&one.body).starts_with("x<ask>") && cut(&one.body).ends_with("</template-output>"));
        assert_eq!((cut(&one.asks[0].body), cut(&one.outputs[0].body)), ("q", "o"));
        assert_eq!(one.outputs[0].tag.get("file"), Some("f"));
    }

    #[test]
    fn what_no_run_carries_out_is_told_where_it_stands() {
        for (inside, code, part) in [
            ("<goto step=\"1\"/>", "GH0501", "`<goto>`"),
            ("<GOTO step='1'>x</GOTO>", "GH0501", "`<goto>`"),
            ("<check if=\"x\">y</check>", "GH0501", "`<check>`"),
            ("<action if=\"x\">y</action>", "GH0501", "`if` of `<action>`"),
            ("<ask repeat=\"3\">y</ask>", "GH0501", "`repeat` of `<ask>`"),
            ("<invoke-workflow path=\"p\"/>", "GH0501", "`<invoke-workflow>`"),
            ("<ask>y", "GH0421", "`<ask>` is opened here and not closed"),
            ("y</ask>", "GH0421", "`</ask>` closes nothing"),
            ("```\n", "GH0421", "A block of code begins here and never ends"),
        ] {
            let said = faults(&format!("<workflow><step n=\"1\">{inside}</step></workflow>"));
            let [(found, step, said)] = said.as_slice() else {
                panic!("{inside}: {said:?}")
            };
            assert_eq!((*found, *step), (code, Some(0)), "{inside}");
            assert!(said.contains(part), "{inside}: {said}");
        }
        for (text, code, part) in [
            ("<step n=\"1\" if=\"x\"></step>", "GH0501", "`if` of `<step>`"),
            (
                "<step n=\"1\" for-each=\"x\"></step>",
                "GH0501",
                "`for-each` of `<step>`",
            ),
            (
                "<step n=\"1\" human_gate=\"required\"></step>",
                "GH0501",
                "nobody would be asked",
            ),
            (
                "<step n=\"1\" requires-approval></step>",
                "GH0501",
                "nobody would be asked",
            ),
            ("<step n=\"1\" skip=\"true\"></step>", "GH0501", "done all the same"),
            (
                "<step n=\"1\" parallel=\"true\"></step>",
                "GH0501",
                "beside anything else",
            ),
            (
                "<step n=\"1\"><approval>may we?</approval></step>",
                "GH0501",
                "nobody would be asked",
            ),
            ("<step n=\"1\"><user_input/></step>", "GH0501", "nobody would be asked"),
            ("<step n=\"1\"><wait/></step>", "GH0501", "would not stop"),
            ("<step n=\"1\"><skip/></step>", "GH0501", "done all the same"),
            ("<step n=\"1\"><next step=\"3\"/></step>", "GH0501", "order of the file"),
            ("<step></step>", "GH0422", "no number"),
            ("<step n=\"x y\"></step>", "GH0422", "`x y` is no number"),
            (
                "<step n=\"2\"/><step n=\"1\"/>",
                "GH0422",
                "Step 1 stands behind step 2",
            ),
            (
                "<step n=\"2\"/><step n=\"2\"/>",
                "GH0422",
                "two steps with the number 2",
            ),
            ("<ask>x</ask><step n=\"1\"/>", "GH0421", "stands in no step"),
            ("<step n=\"1\"><step n=\"2\"></step>", "GH0421", "inside of another one"),
            ("<step n=\"1\">", "GH0421", "not closed"),
        ] {
            let said = faults(text);
            let [(found, _, said)] = said.as_slice() else {
                panic!("{text}: {said:?}")
            };
            assert_eq!(*found, code, "{text}");
            assert!(said.contains(part), "{text}: {said}");
        }
        assert_eq!(
            faults("<step n=\"1\" skip=\"false\" human_gate=\"none\" optional=\"true\">a</step>"),
            []
        );
        assert_eq!(
            faults("<step n=\"0\"/><step n=\"1a\"/><step n=\"1b\"/><step n=\"2.5\"/><step n=\"10\"/>"),
            []
        );
    }

    #[test]
    fn what_means_nothing_is_named_once() {
        let found = found("<step n=\"1\" colour=\"red\">a<br>b<br/><kbd>c</kbd> <i if=\"x\"></step>");
        let names: Vec<&str> = found.strange.keys().map(String::as_str).collect();
        assert_eq!(names, ["`<br>`", "`<i>`", "`<kbd>`", "`colour` of `<step>`"]);
        assert!(found.faults.is_empty());
    }
}
