//! Runbooks take time that grows with their length, whatever stands in them.

use dialect::Document;
use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

fn numbered(piece: impl Fn(usize) -> String, size: usize) -> String {
    let mut text = String::with_capacity(size + 100);
    let mut n = 1;
    while text.len() < size {
        text.push_str(&piece(n));
        n += 1;
    }
    text
}

/// Processor time of this thread: how much else the machine has to do does not count.
fn now() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .expect("every thread has one")
        .into()
}

fn time(text: &str) -> Duration {
    let start = now();
    let document = Document::parse("x.runbook.md", text);
    let taken = now() - start;
    assert_eq!(document.text().len(), text.len());
    taken
}

/// Sixteen times the length takes sixteen times as long, some more where memory grows slower; time with the square of the
/// length would be 256 times. Another program on the machine slows some of the rounds; the fastest of each length tell.
fn grows_evenly(name: &str, text: impl Fn(usize) -> String) {
    const SHORT: usize = 20_000;
    const FACTOR: usize = 16;
    let (short, long) = (text(SHORT), text(SHORT * FACTOR));
    let mut fastest = (Duration::MAX, Duration::MAX);
    for _ in 0..12 {
        fastest = (fastest.0.min(time(&short)), fastest.1.min(time(&long)));
        if fastest.1.as_secs_f64() < 6.0 * FACTOR as f64 * fastest.0.as_secs_f64().max(1e-5) {
            return;
        }
    }
    panic!("{name:?}: {fastest:?}");
}

#[test]
fn steps_of_every_kind() {
    let step = |n| format!("## {n}. A\n\nDo it.\n\n```bash\nmake {n}\n```\n\n- PASS: CONTINUE\n- FAIL: GOTO {n}\n\n");
    grows_evenly("steps", |size| numbered(step, size));
    grows_evenly("names", |size| {
        numbered(|n| format!("## A{n}\n- PASS: GOTO A1\n"), size)
    });
    let substep = |n| format!("### 1.{n} A\n- PASS: GOTO NEXT\n");
    grows_evenly("substeps", |size| {
        format!("## 1. A\n- FAIL: STOP\n{}", numbered(substep, size))
    });
    let dynamic = |n| format!("### {{N}}.{n} A\n- PASS: GOTO NEXT\n");
    grows_evenly("substeps of a dynamic step", |size| {
        format!("## {{N}}. A\n{}", numbered(dynamic, size))
    });
    grows_evenly("targets that are not there", |size| {
        numbered(|n| format!("## {n}. A\n- PASS: GOTO 9{n}9\n"), size)
    });
}

#[test]
fn repetition_without_sense() {
    for piece in [
        "## 1. A\n",
        "### 1.1 A\n",
        "#### A\n",
        "# 1. A\n",
        "- PASS: GOTO 1\n",
        "- PASS: x\n",
        "RETRY ",
        "- a.runbook.md\n",
        "```bash\n```\n",
        "```\n",
        "> ",
        "- ",
        "[",
        "![",
        "[a](",
        "]",
        "*a ",
        "**a_ ",
        "`",
        "<",
        "<!-- ",
        "<a ",
        "&amp",
        "a\n---\n",
        "a\n",
        "\n",
        "\r",
        "\t",
        "\0",
        "| a ",
        "é",
    ] {
        grows_evenly(piece, |size| {
            format!("## 1. A\n- FAIL: {}", piece.repeat(size / piece.len()))
        });
    }
    for field in ["a: b\n", "[", "- ", "&a ", "? "] {
        grows_evenly(field, |size| {
            format!("---\n{}\n---\n## 1. A\n", field.repeat(size / field.len()))
        });
    }
    grows_evenly("people", |size| {
        format!("---\nagents:\n{}---\n", numbered(|n| format!("  a{n}: b\n"), size))
    });
}

#[test]
fn ten_megabytes() {
    let step = |n| {
        format!(
            "## {n}. A step with a title\n\n{}\n\n```bash\nmake {n}\n```\n\n- PASS: CONTINUE\n- FAIL: STOP\n\n",
            "words ".repeat(60)
        )
    };
    let text = numbered(step, 10_000_000);
    let document = Document::parse("x.runbook.md", &text);
    assert!(document.diagnostics().is_empty());
    assert!(document.workflow().steps().len() > 20_000);
    let last = document.workflow().steps().len() - 1;
    assert_eq!(document.place_at(text.len() - 3).step, Some(last));
}
