//! Runbooks take time that grows with their length, whatever stands in them.

use dialect::Document;

fn numbered(piece: impl Fn(usize) -> String, size: usize) -> String {
    crate::growth::numbered("", piece, size)
}

fn grows_evenly(name: &str, text: impl Fn(usize) -> String) {
    let read = |text: &str| assert_eq!(Document::parse("x.runbook.md", text).text().len(), text.len());
    crate::growth::grows_evenly_from(20_000, name, text, read);
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
