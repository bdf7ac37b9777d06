//! What a script needs: the commands it runs, the files it reads and writes, the variables it uses.

use crate::text::{self, Bit};
use serde::{Deserialize, Serialize};

/// What is done with the thing a need names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "permission.gen.ts")]
pub enum Kind {
    /// A command is run.
    Run,
    /// A file is read.
    Read,
    /// A file is written, made, changed or removed.
    Write,
    /// A variable of the environment is used.
    Env,
}

/// One thing that a script needs. Two needs are the same when all fields are: a grant is for exactly one need.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "permission.gen.ts")]
pub struct Need {
    /// What is done with it.
    pub kind: Kind,
    /// What it is. `run`: the words of one simple command; `read` and `write`: one path or glob, relative to the project
    /// where it lies in it; both as a shell would quote them: what is known is plain or in single quotes, what the shell will put
    /// in stays `$NAME`, `$(…)` or `*`. `env`: the name of a variable, or a pattern of names (`*`: all of them).
    pub what: String,
    /// A command whose program or text, or a path whose place, is only known when it happens: `$CMD x`, `curl … | sh`,
    /// `$DIR/x`. No pattern allows it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unclear: bool,
    /// The digest of the whole script, where the need holds something that only the script's run fills in: what a person permits is
    /// this script, not another one in which the same words stand for something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub script: Option<String>,
}

/// What stands for the needs that are not told.
const REST: &str = "…";

/// Everything a script needs, in the order of the script, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "permission.gen.ts")]
pub struct Uses {
    /// The needs.
    pub needs: Vec<Need>,
}

/// A need that a person said yes to, once, for this session or for good: how long is for whoever keeps it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "permission.gen.ts")]
pub struct Grant {
    /// What was granted.
    pub need: Need,
}

impl Need {
    /// A need that is known before the run.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            unclear: false,
            script: None,
        }
    }

    /// A need of one known file or program: whatever is in its name stands for itself.
    pub fn known(kind: Kind, name: &str) -> Self {
        let mut what = String::with_capacity(name.len() + 2);
        text::quote(name, &mut what);
        Self::new(kind, what)
    }

    /// A need that is only known when it happens.
    pub fn unclear(kind: Kind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            unclear: true,
            script: None,
        }
    }

    /// What is not read of a script that is too long: it may be anything of this kind.
    pub(crate) fn rest(kind: Kind) -> Self {
        Self::unclear(kind, REST)
    }

    /// Whether it is [`Need::rest`]. Nobody can say yes to what a deny rule may name in there: it stands in the script, and was not looked for.
    pub(crate) fn is_rest(&self) -> bool {
        self.unclear && self.what == REST
    }

    /// The need as a part of this script, if more than its own words decides what it will be.
    pub(crate) fn of_script(mut self, digest: &str) -> Self {
        let open = |what: &str| text::words(what).iter().flatten().any(|bit| *bit == Bit::Any);
        if self.unclear || self.kind != Kind::Env && open(&self.what) {
            self.script = Some(digest.to_owned());
        }
        self
    }

    /// The need as part of a sentence: "run `npm publish`", "use the variable `CI`". Where more than its words decides what it will
    /// be, the script is named by its digest: sentences are the same only for the same script. Control and direction characters are
    /// written out, so that the sentence looks like what happens.
    pub fn sentence(&self) -> String {
        let what = text::visible(&self.what);
        let sentence = match (self.kind, self.unclear) {
            (Kind::Run, false) => format!("run `{what}`"),
            (Kind::Run, true) => format!("run something that is only known then: `{what}`"),
            (Kind::Read, false) => format!("read `{what}`"),
            (Kind::Read, true) => format!("read a file that is only known then: `{what}`"),
            (Kind::Write, false) => format!("write `{what}`"),
            (Kind::Write, true) => format!("write a file that is only known then: `{what}`"),
            (Kind::Env, _) if what == "*" => "see all variables of the environment".to_owned(),
            (Kind::Env, _) if what.contains('*') => format!("use the variables `{what}`"),
            (Kind::Env, _) => format!("use the variable `{what}`"),
        };
        match &self.script {
            Some(digest) => format!("{sentence} (in the script {})", text::visible(digest)),
            None => sentence,
        }
    }
}

impl Uses {
    /// The needs of one kind.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Need> {
        self.needs.iter().filter(move |n| n.kind == kind)
    }
}
