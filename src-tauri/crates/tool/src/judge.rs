//! Whether a call goes, asks a person, or is refused. A function of what is written, and of nothing else.

use crate::{Risk, Spec, arguments};
use model::ToolRefusal;
use serde_json::Value;

/// The tools' part of `gatehouse.yaml` that decides on calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// The tools that may be called; empty: all of them.
    pub allowlist: Vec<String>,
    /// The tools that may not, whatever the other list says.
    pub blocklist: Vec<String>,
    /// Whether a call of medium risk asks a person (`risk_policy.medium_requires_approval`).
    pub medium_requires_approval: bool,
}

/// One call as a step makes it.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// Which tool.
    pub name: &'a str,
    /// Its arguments, placeholders resolved.
    pub args: &'a Value,
    /// What the call itself says that it risks.
    pub risk: Option<Risk>,
    /// The gate that the call names.
    pub gate: Option<&'a str>,
    /// The step that makes it.
    pub step: &'a str,
}

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is made.
    Go,
    /// It is not made; nothing is wrong unless it was required.
    Refused(ToolRefusal),
    /// A person must approve it first, at this gate. A run waits for it also when the call is not required.
    NeedsApproval {
        /// The gate's name.
        gate: String,
    },
}

/// The verdict, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// What becomes of the call.
    pub verdict: Verdict,
    /// What it risks: the higher of the tool's word and the call's own, of an unknown tool low. A workflow can raise what the project
    /// says of a tool and never lower it.
    pub risk: Risk,
    /// The call says that it risks less than its tool does: that counts for nothing, and should be pointed out to the author.
    pub lowered: bool,
}

impl Call<'_> {
    /// The gate at which a person approves this call: the one it names, else `tool:<name>:<step>`.
    pub fn gate_name(&self) -> String {
        match self.named_gate() {
            Some(gate) => gate.to_owned(),
            None => format!("tool:{}:{}", self.name, self.step),
        }
    }

    fn named_gate(&self) -> Option<&str> {
        self.gate.map(str::trim).filter(|gate| !gate.is_empty())
    }
}

impl Verdict {
    /// Why the call is not made; `None` when it is.
    pub fn refusal(&self) -> Option<&ToolRefusal> {
        match self {
            Self::Go => None,
            Self::Refused(why) => Some(why),
            Self::NeedsApproval { .. } => Some(&ToolRefusal::Approval),
        }
    }
}

/// Judges a call: is there such a tool, do the lists allow it, do its arguments fit, and must a person be asked; the first that stands in
/// its way decides (oracle `stepspec/tools.json`). `spec`: the tool, if there is one. `approved`: whether a person has approved this
/// call at this gate.
pub fn judge(call: &Call<'_>, spec: Option<&Spec>, rules: &Rules, approved: impl FnOnce(&str) -> bool) -> Judgement {
    let own = spec.map_or(Risk::Low, |spec| spec.risk);
    let said = call.risk.unwrap_or(own);
    let risk = said.max(own);
    Judgement {
        verdict: verdict(call, risk, spec, rules, approved),
        risk,
        lowered: said < own,
    }
}

fn verdict(
    call: &Call<'_>,
    risk: Risk,
    spec: Option<&Spec>,
    rules: &Rules,
    approved: impl FnOnce(&str) -> bool,
) -> Verdict {
    let Some(spec) = spec else {
        return Verdict::Refused(ToolRefusal::Unknown);
    };
    let listed = |list: &[String]| list.iter().any(|name| name == call.name);
    if listed(&rules.blocklist) {
        return Verdict::Refused(ToolRefusal::Blocklisted);
    }
    if !rules.allowlist.is_empty() && !listed(&rules.allowlist) {
        return Verdict::Refused(ToolRefusal::NotListed);
    }
    if let Some(why) = arguments::refused(spec, call.args) {
        return Verdict::Refused(ToolRefusal::Other(why));
    }
    let asks = match risk {
        Risk::High => true,
        Risk::Medium => rules.medium_requires_approval,
        Risk::Low => false,
    };
    if asks || call.named_gate().is_some() {
        let gate = call.gate_name();
        if !approved(&gate) {
            return Verdict::NeedsApproval { gate };
        }
    }
    Verdict::Go
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A registry as a project may have it: something harmless, something that reads, writes, and cannot be undone.
    fn spec(name: &str) -> Option<Spec> {
        let (risk, required): (Risk, &[&str]) = match name {
            "look" => (Risk::Low, &[]),
            "read" => (Risk::Low, &["path"]),
            "write" => (Risk::Medium, &["path", "content"]),
            "deploy" => (Risk::High, &[]),
            _ => return None,
        };
        Some(Spec::new(
            name,
            "",
            risk,
            json!({"type": "object", "required": required}),
        ))
    }

    struct Row<'a> {
        name: &'a str,
        args: Value,
        risk: Option<Risk>,
        gate: Option<&'a str>,
        rules: Rules,
        approved: &'a [&'a str],
    }

    impl<'a> Row<'a> {
        fn of(name: &'a str) -> Self {
            Self {
                name,
                args: json!({"path": "a", "content": "b"}),
                risk: None,
                gate: None,
                rules: Rules::default(),
                approved: &[],
            }
        }

        fn judged(&self) -> Judgement {
            let call = Call {
                name: self.name,
                args: &self.args,
                risk: self.risk,
                gate: self.gate,
                step: "build",
            };
            judge(&call, spec(self.name).as_ref(), &self.rules, |gate| {
                self.approved.contains(&gate)
            })
        }

        fn verdict(&self) -> Verdict {
            self.judged().verdict
        }
    }

    fn asks(gate: &str) -> Verdict {
        Verdict::NeedsApproval { gate: gate.to_owned() }
    }

    fn refused(why: &str) -> Verdict {
        Verdict::Refused(ToolRefusal::Other(why.to_owned()))
    }

    fn list(names: &[&str]) -> Vec<String> {
        names.iter().map(|&n| n.to_owned()).collect()
    }

    #[test]
    fn what_is_harmless_goes() {
        assert_eq!(Row::of("look").verdict(), Verdict::Go);
        assert_eq!(Row::of("read").verdict(), Verdict::Go);
        assert_eq!(
            Row::of("write").verdict(),
            Verdict::Go,
            "medium risk asks only by policy"
        );
    }

    #[test]
    fn a_tool_that_nobody_has_is_skipped_before_all_else() {
        let mut row = Row::of("zap");
        row.risk = Some(Risk::High);
        row.gate = Some("release board");
        row.rules.blocklist = list(&["zap"]);
        row.rules.allowlist = list(&["look"]);
        assert_eq!(row.verdict(), Verdict::Refused(ToolRefusal::Unknown));
        assert_eq!(Row::of("zap").judged().risk, Risk::Low);
    }

    #[test]
    fn the_lists_come_before_the_arguments_and_the_blocklist_first() {
        let mut row = Row::of("write");
        row.args = json!({});
        row.rules.allowlist = list(&["write"]);
        row.rules.blocklist = list(&["write"]);
        assert_eq!(row.verdict(), Verdict::Refused(ToolRefusal::Blocklisted));
        row.rules = Rules {
            allowlist: list(&["look"]),
            ..Rules::default()
        };
        assert_eq!(row.verdict(), Verdict::Refused(ToolRefusal::NotListed));
        row.rules.allowlist = list(&["look", "write"]);
        assert_eq!(row.verdict(), refused("missing required args: path, content"));
    }

    #[test]
    fn arguments_come_before_the_question() {
        let mut row = Row::of("write");
        row.risk = Some(Risk::High);
        row.args = json!({"path": "a"});
        assert_eq!(row.verdict(), refused("missing required args: content"));
    }

    #[test]
    fn high_risk_always_asks_and_is_approved_at_its_own_gate() {
        let mut row = Row::of("deploy");
        assert_eq!(row.verdict(), asks("tool:deploy:build"));
        assert_eq!(row.verdict().refusal(), Some(&ToolRefusal::Approval));
        row.approved = &["tool:deploy:test", "tool:write:build"];
        assert_eq!(row.verdict(), asks("tool:deploy:build"), "other gates do not count");
        row.approved = &["tool:deploy:build"];
        assert_eq!(row.verdict(), Verdict::Go);
    }

    #[test]
    fn medium_risk_asks_where_the_policy_says_so() {
        let mut row = Row::of("write");
        row.rules.medium_requires_approval = true;
        assert_eq!(row.verdict(), asks("tool:write:build"));
        assert_eq!(row.judged().risk, Risk::Medium);
        row.name = "read";
        assert_eq!(row.verdict(), Verdict::Go, "low risk does not");
    }

    #[test]
    fn a_call_raises_the_risk_of_its_tool_and_never_lowers_it() {
        let mut raised = Row::of("look");
        raised.risk = Some(Risk::High);
        assert_eq!(raised.verdict(), asks("tool:look:build"));
        assert!(!raised.judged().lowered);
        let mut lowered = Row::of("deploy");
        lowered.risk = Some(Risk::Low);
        let judged = lowered.judged();
        assert_eq!(
            (judged.verdict, judged.risk, judged.lowered),
            (asks("tool:deploy:build"), Risk::High, true)
        );
        lowered.risk = Some(Risk::Medium);
        assert_eq!(lowered.verdict(), asks("tool:deploy:build"));
        assert!(lowered.judged().lowered);
        let mut medium = Row::of("write");
        medium.rules.medium_requires_approval = true;
        for said in [None, Some(Risk::Low), Some(Risk::Medium)] {
            medium.risk = said;
            assert_eq!(medium.judged().risk, Risk::Medium, "{said:?}");
        }
    }

    #[test]
    fn a_call_that_names_a_gate_always_asks_there() {
        let mut row = Row::of("look");
        row.gate = Some("release board");
        assert_eq!(row.verdict(), asks("release board"));
        row.approved = &["tool:look:build"];
        assert_eq!(row.verdict(), asks("release board"));
        row.approved = &["release board"];
        assert_eq!(row.verdict(), Verdict::Go);
        row.gate = Some("  ");
        assert_eq!(row.verdict(), Verdict::Go, "a gate without a name is none");
    }
}
