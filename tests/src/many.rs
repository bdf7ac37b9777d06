//! Many runbooks of average size, for the benchmark of checking: each of ten steps and substeps, two to four kilobytes, of
//! every kind the format has. The same number always gives the same text.

/// Steps and substeps of each.
pub const STEPS: usize = 10;

/// The runbooks that some of them list: they are wanted beside each.
pub const LISTED: &[&str] = &["build.runbook.md", "verify.runbook.md"];

const SENTENCES: &[&str] = &[
    "Make sure that nobody else is working on this machine while the step runs.",
    "The command prints one line for every file it has looked at; the last one says how many there were.",
    "If the output names a host that you do not know, ask the person on call before you go on.",
    "It usually takes less than a minute, on the first Monday of a month a little longer.",
    "Compare the figures with those of the last run: they should not differ by more than one in a hundred.",
    "Write down the number of the ticket, the person who asked and the time.",
    "Nothing is changed by this step, so it can be repeated as often as you like.",
    "See the [page about releases](https://intranet.example/releases) for **what may go wrong** and `how` it is mended.",
    "Wenn die Prüfung fehlschlägt, bitte die Zuständigen in München anrufen → Nummer im Handbuch.",
];

const COMMANDS: &[&str] = &[
    "set -euo pipefail\nmake release VERSION=\"$VERSION\"\nsha256sum dist/*.tar.gz > dist/SHA256SUMS",
    "for host in web1 web2 web3; do\n  ssh \"$host\" systemctl is-active web || exit 1\ndone",
    "curl -fsS https://status.example/health | jq -e '.healthy and (.failing | length == 0)'",
    "psql -At -c 'select count(*) from orders where exported_at is null' | tee out/waiting.txt\ntest \"$(cat out/waiting.txt)\" -lt 100",
    "git fetch --tags origin\ngit describe --exact-match HEAD",
    "npm ci && npm run build -- --mode production\nnpm test -- --reporter=dot",
    "find backups -name '*.dump' -mtime +30 -print -delete | wc -l",
];

/// The text of one runbook; `n` decides what it is like.
pub fn runbook(n: usize) -> String {
    let mut draw = Draw(u64::try_from(n).unwrap_or(0).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let transitions_first = n % 3 == 1;
    let mut text = String::new();
    let steps = plan(n % 5);
    if n.is_multiple_of(2) {
        let first = steps
            .first()
            .map_or("1", |(heading, ..)| heading.trim_start_matches("## "));
        let first = first.split('.').next().unwrap_or(first);
        text.push_str(&format!(
            "---\nname: runbook-{n}\ndescription: Number {n} of many\nversion: 1.{}.0\nauthor: operations\ntags: [operations, nightly]\nagents:\n  \"{first}\": operator\n---\n",
            n % 7
        ));
    }
    text.push_str(&format!("# Runbook {n}\n\n{}\n\n", draw.prose(3)));
    for (heading, work, transitions) in steps {
        let body = match work {
            'c' => format!("{}\n\n```bash\n{}\n```\n", draw.prose(2), draw.of(COMMANDS)),
            'p' => format!("{}\n\n```bash prompt\n{}\n```\n", draw.prose(1), draw.of(COMMANDS)),
            'j' => format!(
                "{}\n\n```json\n{{\"retries\": {n}, \"hosts\": [\"web1\", \"web2\"]}}\n```\n",
                draw.prose(2)
            ),
            'r' => {
                let files: String = LISTED.iter().map(|file| format!("- {file}\n")).collect();
                format!("{}\n\n{files}", draw.prose(1))
            }
            'g' => format!("{}\n", draw.prose(1)),
            _ => format!("{}\n\n{}\n", draw.prose(2), draw.prose(2)),
        };
        let lines: String = transitions.iter().map(|line| format!("- {line}\n")).collect();
        let (first, second) = if transitions_first {
            (&lines, &body)
        } else {
            (&body, &lines)
        };
        text.push_str(heading);
        text.push('\n');
        for part in [first, second] {
            if !part.is_empty() {
                text.push_str(&format!("\n{part}"));
            }
        }
        text.push('\n');
    }
    text
}

/// Heading, kind of work and transitions of a unit.
type Unit = (&'static str, char, &'static [&'static str]);

/// The five kinds: straight on with recovery, containers, dynamic steps, a list of checks, runbooks inside runbooks.
fn plan(kind: usize) -> [Unit; STEPS] {
    match kind {
        0 => [
            ("## 1. Prepare", 'c', &["PASS: CONTINUE", "FAIL: STOP \"not prepared\""]),
            ("## 2. Back up", 'c', &["PASS: CONTINUE", "FAIL: RETRY 2 STOP"]),
            ("## 3. Announce", 't', &["YES: CONTINUE", "NO: STOP"]),
            ("## 4. Build", 'c', &["PASS: CONTINUE", "FAIL: GOTO Clean_up"]),
            ("## 5. Release", 'c', &["PASS: CONTINUE", "FAIL: RETRY 1 GOTO Rollback"]),
            ("## 6. Watch", 'c', &["PASS: GOTO 7", "FAIL: GOTO Rollback"]),
            ("## 7. Report", 't', &["PASS: COMPLETE \"released\"", "FAIL: STOP"]),
            ("## Rollback", 'c', &["PASS: GOTO Clean_up", "FAIL: GOTO Escalate"]),
            (
                "## Clean_up",
                'c',
                &["PASS: STOP \"taken back\"", "FAIL: GOTO Escalate"],
            ),
            ("## Escalate", 't', &["PASS: STOP \"handed over\"", "FAIL: STOP"]),
        ],
        1 => [
            (
                "## 1. Check the hosts",
                'g',
                &["PASS ALL: CONTINUE", "FAIL ANY: GOTO Mend"],
            ),
            ("### 1.1 Disks", 'c', &[]),
            ("### 1.2 Memory", 'c', &["PASS: CONTINUE"]),
            ("### 1.3 Clocks", 'p', &["FAIL: RETRY 2"]),
            (
                "## 2. Check the data",
                'g',
                &["PASS ANY: CONTINUE", "FAIL ALL: STOP \"no copy is whole\""],
            ),
            ("### 2.1 First copy", 'c', &[]),
            ("### 2.2 Second copy", 'c', &[]),
            ("## 3. Sign", 't', &["YES: COMPLETE", "NO: GOTO 1"]),
            ("## Mend", 'g', &["PASS ALL: GOTO 1", "FAIL ANY: STOP"]),
            ("### Mend.Restart Restart", 'c', &["PASS: CONTINUE", "FAIL: RETRY"]),
        ],
        2 => [
            (
                "## {N}. Customer",
                'g',
                &["PASS ALL: GOTO NEXT {N}", "FAIL ANY: STOP \"a customer is left\""],
            ),
            ("### {N}.1 Export", 'c', &["PASS: CONTINUE", "FAIL: RETRY 2"]),
            ("### {N}.2 Compare", 'j', &["PASS: CONTINUE"]),
            ("### {N}.3 Send", 'c', &["FAIL: GOTO {N}.4"]),
            (
                "### {N}.4 Is there another one?",
                't',
                &["YES: GOTO NEXT {N}", "NO: COMPLETE \"all sent\""],
            ),
            ("## Late", 'g', &["PASS ALL: STOP", "FAIL ANY: STOP"]),
            ("### Late.1 Call", 't', &["YES: CONTINUE", "NO: CONTINUE"]),
            ("### Late.2 Send again", 'c', &["FAIL: RETRY 3"]),
            ("### Late.3 Note", 't', &[]),
            ("## Cancel", 'c', &["PASS: STOP \"cancelled\"", "FAIL: STOP"]),
        ],
        3 => [
            ("## 1. Lights", 't', &["YES: CONTINUE", "NO: STOP"]),
            ("## 2. Doors", 't', &["YES: CONTINUE", "NO: STOP"]),
            ("## 3. Files", 'g', &["PASS ALL: CONTINUE", "FAIL ANY: GOTO 5"]),
            ("### 3.{n} File", 'c', &["PASS: GOTO NEXT 3.{n}", "FAIL: CONTINUE"]),
            ("## 4. Figures", 'j', &["YES: CONTINUE", "NO: GOTO 5"]),
            ("## 5. Corrections", 'c', &["PASS: CONTINUE", "FAIL: RETRY 2 CONTINUE"]),
            ("## 6. Copy", 'c', &["PASS: CONTINUE", "FAIL: RETRY"]),
            ("## 7. Compare", 'c', &["PASS: CONTINUE", "FAIL: GOTO 6"]),
            ("## 8. Alarm", 'p', &["YES: CONTINUE", "NO: RETRY 1 STOP"]),
            ("## 9. Lock", 't', &["YES: COMPLETE", "NO: STOP"]),
        ],
        _ => [
            ("## 1. Plan", 't', &["YES: CONTINUE", "NO: STOP \"not today\""]),
            (
                "## 2. Build and verify",
                'r',
                &["PASS ALL: CONTINUE", "FAIL ANY: GOTO Undo"],
            ),
            ("## 3. Roll out", 'g', &["PASS ALL: CONTINUE", "FAIL ANY: GOTO Undo"]),
            ("### 3.1 One host", 'c', &["PASS: CONTINUE", "FAIL: RETRY 1"]),
            ("### 3.2 Half of the hosts", 'c', &["PASS: CONTINUE"]),
            ("### 3.3 All hosts", 'c', &["PASS: CONTINUE"]),
            ("## 4. Measure", 'c', &["PASS: GOTO 5", "FAIL: GOTO Undo"]),
            (
                "## 5. Tell everybody",
                't',
                &["YES: COMPLETE \"rolled out\"", "NO: RETRY"],
            ),
            ("## Undo", 'r', &["PASS: STOP \"undone\"", "FAIL: GOTO Call"]),
            ("## Call", 't', &["YES: STOP", "NO: STOP"]),
        ],
    }
}

/// A sequence that looks like chance.
struct Draw(u64);

impl Draw {
    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        all[usize::try_from(self.0 >> 33).unwrap_or(0) % all.len()]
    }

    /// Sentences, one on each line.
    fn prose(&mut self, sentences: usize) -> String {
        let lines: Vec<&str> = (0..sentences).map(|_| self.of(SENTENCES)).collect();
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialect::Document;
    use model::Severity;

    #[test]
    fn they_are_of_average_size_and_without_errors() {
        for n in 0..50 {
            let text = runbook(n);
            assert!((2_000..4_500).contains(&text.len()), "{n}: {} bytes", text.len());
            let document = Document::parse("many.runbook.md", &text);
            assert_eq!(document.workflow().steps().len(), STEPS, "{n}");
            let errors: Vec<_> = document
                .diagnostics()
                .iter()
                .filter(|d| d.severity == Severity::Error)
                .collect();
            assert!(errors.is_empty(), "{n}: {errors:?}\n{text}");
        }
    }
}
