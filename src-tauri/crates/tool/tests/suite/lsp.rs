//! Language servers: two real ones, and some that are up to no good.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::servers::{LONG, Project, installed};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tool::lsp::{Error, Hover, Kind, Language, Place, Servers};
use tool::{Leash, Source, rpc};

fn servers(project: &Project, language: &str, command: &str) -> Servers {
    let command = Language {
        command: command.to_owned(),
        settings: Value::Null,
    };
    Servers::new(
        project.context.clone(),
        BTreeMap::from([(language.to_owned(), command)]),
    )
}

fn at(path: &str, line: u32, character: u32) -> Place<'_> {
    Place {
        path: Some(path),
        line,
        character,
        ..Place::default()
    }
}

const ADD: &str = "/** Adds two numbers. */
export function add(left: number, right: number): number {
  return left + right;
}
export const sum = add(1, 2);
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn typescript_tells_what_a_function_is_and_what_its_call_wants() {
    let project = Project::new();
    project.write("src/add.ts", ADD);
    project.write(
        "src/use.ts",
        "import { add } from './add';\nconst 𝔸 = '😀'; add(1, 2);\n",
    );
    let servers = servers(
        &project,
        "typescript",
        &format!("{} --stdio", installed("typescript-language-server")),
    );
    let context = &project.context;

    let hover = servers
        .hover(&at("src/add.ts", 1, 17), context, LONG)
        .await
        .unwrap()
        .unwrap();
    assert!(
        hover.text.contains("function add(left: number, right: number): number"),
        "{hover:?}"
    );
    assert!(hover.text.contains("Adds two numbers."), "{hover:?}");
    assert_eq!(hover.kind, Kind::Markdown);
    let range = serde_json::to_value(hover.range).unwrap();
    assert_eq!(
        range,
        json!({"start": {"line": 1, "character": 16}, "end": {"line": 1, "character": 19}})
    );

    let help = servers
        .signature_help(&at("src/add.ts", 4, 26), context, LONG)
        .await
        .unwrap()
        .unwrap();
    let help = serde_json::to_value(help).unwrap();
    assert_eq!(
        help["signatures"][0]["text"],
        json!("add(left: number, right: number): number")
    );
    assert_eq!(help["signatures"][0]["parameters"][1]["text"], json!("right: number"));
    assert!(
        help["signatures"][0]["documentation"]
            .as_str()
            .unwrap()
            .contains("Adds two numbers.")
    );
    assert_eq!(
        (&help["active_signature"], &help["active_parameter"]),
        (&json!(0), &json!(1))
    );

    // Characters are UTF-16 units: 𝔸 and 😀 are two each.
    let wide = servers
        .hover(&at("src/use.ts", 1, 17), context, LONG)
        .await
        .unwrap()
        .unwrap();
    assert!(
        wide.text.contains("add(left: number, right: number): number"),
        "{wide:?}"
    );
    assert_eq!(wide.range.unwrap().start.character, 17);

    // A text that is nowhere on the disk, and one that is other than the disk has it.
    let inline = Place {
        text: Some("const answer = 6 * 7;\n"),
        language: Some("typescript"),
        character: 8,
        ..Place::default()
    };
    let inline = servers.hover(&inline, context, LONG).await.unwrap().unwrap();
    assert!(inline.text.contains("const answer: number"), "{inline:?}");
    let unsaved = ADD.replace("right: number", "right: string");
    let unsaved = Place {
        text: Some(&unsaved),
        ..at("src/add.ts", 1, 17)
    };
    let unsaved = servers.hover(&unsaved, context, LONG).await.unwrap().unwrap();
    assert!(unsaved.text.contains("right: string"), "{unsaved:?}");

    // What changes on the disk is seen, also through another document.
    project.write("src/add.ts", &ADD.replace("left: number", "left: bigint"));
    let changed = servers
        .hover(&at("src/use.ts", 1, 17), context, LONG)
        .await
        .unwrap()
        .unwrap();
    assert!(changed.text.contains("left: bigint"), "{changed:?}");

    assert_eq!(
        servers.hover(&at("src/add.ts", 3, 1), context, LONG).await.unwrap(),
        None
    );
    assert_eq!(
        servers
            .signature_help(&at("src/add.ts", 0, 5), context, LONG)
            .await
            .unwrap(),
        None
    );
    assert!(project.left() > 0);
    servers.end().await;
    project.all_gone().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pyright_tells_what_a_python_function_is() {
    let project = Project::new();
    project.write("shop.py", "def price(net: float, rate: float = 0.2) -> float:\n    \"\"\"Gross price.\"\"\"\n    return net * (1 + rate)\n\nprice(1.0, )\n");
    let language = Language {
        command: format!("{} --stdio", installed("pyright-langserver")),
        settings: json!({"python": {"analysis": {"diagnosticMode": "openFilesOnly"}}}),
    };
    let servers = Servers::new(
        project.context.clone(),
        BTreeMap::from([("python".to_owned(), language)]),
    );
    let hover = servers
        .hover(&at("shop.py", 0, 5), &project.context, LONG)
        .await
        .unwrap()
        .unwrap();
    assert!(
        hover.text.contains("price") && hover.text.contains("net: float"),
        "{hover:?}"
    );
    assert!(hover.text.contains("Gross price."), "{hover:?}");
    let help = servers
        .signature_help(&at("shop.py", 4, 11), &project.context, LONG)
        .await
        .unwrap()
        .unwrap();
    let names: Vec<&str> = help.signatures[0].parameters.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(names, ["net: float", "rate: float = 0.2"]);
    assert_eq!(help.active_parameter, Some(1));
    drop(servers);
    project.all_gone().await;
}

#[tokio::test]
async fn a_server_that_is_absent_is_named_with_its_remedy() {
    let project = Project::new();
    project.write("a.py", "a = 1\n");
    let mut context = project.context.clone();
    context.environment.retain(|(name, _)| name != "PATH");
    context.environment.push(("PATH".into(), "/nowhere".into()));
    let command = Language {
        command: "pyright-langserver --stdio".to_owned(),
        settings: Value::Null,
    };
    let servers = Servers::new(context, BTreeMap::from([("python".to_owned(), command)]));
    let absent = servers
        .hover(&at("a.py", 0, 0), &project.context, LONG)
        .await
        .unwrap_err();
    assert!(
        matches!(&absent, Error::Absent { program, .. } if program == "pyright-langserver"),
        "{absent:?}"
    );
    assert_eq!(
        absent.to_string(),
        "the language server for python is absent: `pyright-langserver` was not found. Install it (`npm install --save-dev pyright`), or \
         correct its command under `language_servers` in gatehouse.yaml"
    );
    let none = servers
        .hover(&at("a.rs", 0, 0), &project.context, LONG)
        .await
        .unwrap_err();
    assert!(
        none.to_string()
            .contains("language_servers: {rust: {command: \"rust-analyzer\"}}"),
        "{none}"
    );
    let unknown = servers
        .hover(&at("README", 0, 0), &project.context, LONG)
        .await
        .unwrap_err();
    assert!(matches!(unknown, Error::NoLanguage(_)));
    let nothing = Place {
        language: Some("python"),
        ..Place::default()
    };
    assert!(matches!(
        servers.hover(&nothing, &project.context, LONG).await,
        Err(Error::NoDocument)
    ));
}

#[tokio::test]
async fn only_documents_of_the_project_that_may_be_read_are_shown() {
    let mut project = Project::new();
    project.write("a.py", "a = 1\n");
    project.write("private/b.py", "b = 1\n");
    project.context.policy.read.deny.push("private/**".to_owned());
    let outside = tempfile::NamedTempFile::with_suffix(".py").unwrap();
    std::os::unix::fs::symlink(outside.path(), project.context.root.join("link.py")).unwrap();
    let command = project
        .made_up("lsp((m, send) => send({id: m.id, result: m.method == 'initialize' ? able : {contents: 'seen'}}));");
    let servers = servers(&project, "python", &command);
    let absolute = outside.path().to_string_lossy();
    for path in [
        "../a.py",
        &absolute,
        "link.py",
        "private/b.py",
        "missing.py",
        ".git/hooks.py",
    ] {
        for text in [None, Some("a = 1\n")] {
            let place = Place { text, ..at(path, 0, 0) };
            let refused = servers.hover(&place, &project.context, LONG).await;
            match refused {
                Err(Error::Document(_)) => {}
                // A text may be for a file that is not there yet.
                Ok(Some(_)) if path == "missing.py" && text.is_some() => {}
                other => panic!("{path}: {other:?}"),
            }
        }
    }
    let far = servers
        .hover(&at("a.py", 2, 0), &project.context, LONG)
        .await
        .unwrap_err();
    assert_eq!(
        far.to_string(),
        "`a.py` has 2 lines, so there is no line 2 (lines count from 0)"
    );
    assert!(
        servers
            .hover(&at("a.py", 1, 0), &project.context, LONG)
            .await
            .unwrap()
            .is_some()
    );
    assert!(!project.read("heard.log").contains("private"));
}

#[tokio::test]
async fn a_command_that_the_rules_deny_is_not_started() {
    let mut project = Project::new();
    project.write("a.py", "a = 1\n");
    let command = project.made_up("fs.writeFileSync('started', '')");
    project.context.policy.run.deny.push("node *".to_owned());
    let servers = servers(&project, "python", &command);
    let denied = servers
        .hover(&at("a.py", 0, 0), &project.context, LONG)
        .await
        .unwrap_err();
    assert!(denied.to_string().contains("deny rule `node *`"), "{denied}");
    assert!(!project.context.root.join("started").exists());
}

#[tokio::test]
async fn what_a_server_asks_is_answered_and_what_it_tells_is_heard() {
    let project = Project::new();
    project.write("a.py", "a = 1\n");
    let command = project.made_up(
        r#"
        const asks = ['workspace/configuration', 'client/registerCapability', 'window/workDoneProgress/create', 'workspace/applyEdit', 'evil/run'];
        let question, open = asks.length;
        lsp((m, send) => {
          if (m.method == 'initialize') return send({id: m.id, result: able});
          if (m.method == 'initialized') {
            asks.forEach((method, i) => send({id: 'q' + i, method, params: {items: [{section: 'python'}]}}));
            send({method: '$/progress', params: {token: 7, value: {kind: 'begin', title: 'reading'}}});
            send({method: 'textDocument/publishDiagnostics', params: {uri: 'file:///x', diagnostics: []}});
          }
          if (m.id && !m.method) {
            if (--open == 0) send({method: '$/progress', params: {token: 7, value: {kind: 'end'}}});
          }
          // It knows nothing while it reads the project.
          if (m.method == 'textDocument/hover') send({id: m.id, result: open ? null : {contents: {kind: 'plaintext', value: 'known now'}}});
        });"#,
    );
    let language = Language {
        command,
        settings: json!({"python": {"strict": true}}),
    };
    let servers = Servers::new(
        project.context.clone(),
        BTreeMap::from([("python".to_owned(), language)]),
    );
    let hover = servers.hover(&at("a.py", 0, 0), &project.context, LONG).await.unwrap();
    assert_eq!(
        hover,
        Some(Hover {
            text: "known now".to_owned(),
            kind: Kind::Plaintext,
            range: None
        })
    );
    let heard: Vec<Value> = project
        .read("heard.log")
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let reply = |id: &str| heard.iter().find(|m| m["id"] == json!(id)).unwrap();
    assert_eq!(reply("q0")["result"], json!([{"strict": true}]));
    assert_eq!(reply("q1")["result"], Value::Null);
    assert_eq!(reply("q3")["result"]["applied"], json!(false));
    assert_eq!(reply("q4")["error"]["code"], json!(-32601));
    let methods: Vec<&str> = heard.iter().filter_map(|m| m["method"].as_str()).collect();
    assert_eq!(
        methods[..4],
        [
            "initialize",
            "initialized",
            "workspace/didChangeConfiguration",
            "textDocument/didOpen"
        ]
    );
    servers.end().await;
    let heard = project.read("heard.log");
    assert!(heard.contains("\"shutdown\"") && heard.contains("\"exit\""), "{heard}");
}

/// Of a server that says nothing so long is waited in vain; a busy machine has begun it by then.
const IN_VAIN: Duration = Duration::from_secs(10);

/// A hover of a made-up server, which fails.
async fn failing(project: &Project, script: &str, within: Duration) -> (Servers, Error) {
    project.write("a.py", "a = 1\n");
    let servers = servers(project, "python", &project.made_up(script));
    let error = servers
        .hover(&at("a.py", 0, 0), &project.context, within)
        .await
        .unwrap_err();
    (servers, error)
}

fn cause(error: &Error) -> &rpc::Error {
    match error {
        Error::Server { error, .. } => error,
        other => panic!("{other:?}"),
    }
}

const GREETS: &str = "lsp((m, send) => { if (m.method == 'initialize') return send({id: m.id, result: able});";

#[tokio::test]
async fn a_server_that_hangs_is_withdrawn_from_and_then_replaced() {
    let project = Project::new();
    // It hangs as long as there is no file that says otherwise.
    let script = format!(
        "{GREETS} if (m.method == 'textDocument/hover' && fs.existsSync('well')) send({{id: m.id, result: {{contents: String(process.pid)}}}}); }});"
    );
    project.write("well", "");
    project.write("a.py", "a = 1\n");
    let servers = servers(&project, "python", &project.made_up(&script));
    let greeted = servers.hover(&at("a.py", 0, 0), &project.context, LONG).await;
    assert!(greeted.is_ok_and(|hover| hover.is_some()), "it has begun");
    std::fs::remove_file(project.context.root.join("well")).unwrap();
    let short = Duration::from_secs(2);
    let error = servers
        .hover(&at("a.py", 0, 0), &project.context, short)
        .await
        .unwrap_err();
    assert!(matches!(cause(&error), rpc::Error::Late { .. }), "{error:?}");
    assert!(servers.hover(&at("a.py", 0, 0), &project.context, short).await.is_err());
    project.write("well", "");
    // Two in a row: the next call finds a fresh one.
    assert!(
        servers
            .hover(&at("a.py", 0, 0), &project.context, LONG)
            .await
            .unwrap()
            .is_some()
    );
    let heard = project.read("heard.log");
    assert_eq!(heard.matches("\"initialize\"").count(), 2, "{heard}");
    assert!(heard.contains("$/cancelRequest"), "{heard}");
    drop(servers);
    project.all_gone().await;
}

#[tokio::test]
async fn a_server_that_never_greets_is_killed() {
    let project = Project::new();
    let (_servers, error) = failing(
        &project,
        "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);",
        Duration::from_secs(5),
    )
    .await;
    assert!(
        error.to_string().contains("`initialize` was not answered within"),
        "{error}"
    );
    project.all_gone().await;
}

#[tokio::test]
async fn a_server_that_dies_is_started_again_once() {
    let project = Project::new();
    project.write("a.py", "a = 1\n");
    // The first one dies over its second question, every later one over the question in the file `deadly`.
    let script = format!(
        "let n = 0; {GREETS} if (m.method != 'textDocument/hover') return;
         n += 1; if (n == 2 || fs.existsSync('deadly')) {{ console.error('out of luck'); process.exit(7); }}
         send({{id: m.id, result: {{contents: 'alive'}}}}); }});"
    );
    let servers = servers(&project, "python", &project.made_up(&script));
    for _ in 0..3 {
        let hover = servers.hover(&at("a.py", 0, 0), &project.context, LONG).await.unwrap();
        assert_eq!(hover.unwrap().text, "alive");
    }
    assert_eq!(project.read("heard.log").matches("\"initialize\"").count(), 3);
    project.write("deadly", "");
    let error = servers
        .hover(&at("a.py", 0, 0), &project.context, LONG)
        .await
        .unwrap_err();
    assert!(matches!(cause(&error), rpc::Error::Over(_)), "{error:?}");
    assert!(error.to_string().contains("out of luck"), "{error}");
    assert_eq!(
        project.read("heard.log").matches("\"initialize\"").count(),
        4,
        "once, not without end"
    );
    project.all_gone().await;
}

#[tokio::test]
async fn a_flood_ends_the_conversation() {
    let project = Project::new();
    let script = format!(
        "{GREETS} if (m.method == 'textDocument/hover') {{
           const flood = () => {{ send({{method: 'window/logMessage', params: {{type: 4, message: 'x'.repeat(1 << 20)}}}}); setImmediate(flood); }}; flood(); }} }});"
    );
    project.write("a.py", "a = 1\n");
    let servers = servers(&project, "python", &project.made_up(&script));
    let error = servers
        .hover(&at("a.py", 0, 0), &project.context, LONG)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("bytes without answering"), "{error}");
    drop(servers);
    project.all_gone().await;
}

#[tokio::test]
async fn garbage_ends_the_conversation() {
    for (script, words) in [
        (
            "process.stdout.write('hello\\r\\n\\r\\n'); setInterval(() => {}, 1000);",
            "Content-Length",
        ),
        (
            "process.stdout.write('Content-Length: 10737418240\\r\\n\\r\\n{}'); setInterval(() => {}, 1000);",
            "more than 16777216 bytes",
        ),
        (
            "process.stdout.write('x'.repeat(100000)); setInterval(() => {}, 1000);",
            "does not end",
        ),
        (
            "for (let i = 0; i < 300; i++) process.stdout.write('Content-Length: 3\\r\\n\\r\\n{,}'); setInterval(() => {}, 1000);",
            "not JSON-RPC",
        ),
        (
            "process.stdout.write('Content-Length: 50\\r\\n\\r\\n{\"half\":'); process.exit(0)",
            "has ended",
        ),
    ] {
        let project = Project::new();
        let (servers, error) = failing(&project, script, LONG).await;
        assert!(matches!(cause(&error), rpc::Error::Over(_)), "{script}: {error:?}");
        assert!(error.to_string().contains(words), "{script}: {error}");
        drop(servers);
        project.all_gone().await;
    }
}

#[tokio::test]
async fn answers_that_fit_no_question_or_no_protocol() {
    let project = Project::new();
    let (_s, stray) = failing(
        &project,
        &format!("{GREETS} if (m.id) send({{id: m.id + 1000, result: {{contents: 'not yours'}}}}); }});"),
        IN_VAIN,
    )
    .await;
    assert!(
        stray
            .to_string()
            .ends_with("and 1 answers came to questions that nobody asked"),
        "{stray}"
    );
    let refusal = format!("{GREETS} send({{id: m.id, error: {{code: -32603, message: 'I would rather not'}}}}); }});");
    let (_s, refused) = failing(&Project::new(), &refusal, LONG).await;
    assert!(matches!(cause(&refused), rpc::Error::Refused { code: -32603, .. }));
    assert!(refused.to_string().contains("I would rather not"));
    let (_s, odd) = failing(
        &Project::new(),
        &format!("{GREETS} send({{id: m.id, result: {{contents: 7}}}}); }});"),
        LONG,
    )
    .await;
    assert!(matches!(cause(&odd), rpc::Error::Strange { .. }), "{odd:?}");
    let (_s, deaf) = failing(&Project::new(), "lsp((m, send) => send({id: m.id, result: {}}));", LONG).await;
    assert!(deaf.to_string().contains("nothing of what it can do"), "{deaf}");
    let (_s, other) = failing(
        &Project::new(),
        "lsp((m, send) => send({id: m.id, result: {capabilities: {hoverProvider: true, positionEncoding: 'utf-8'}}}));",
        LONG,
    )
    .await;
    assert!(other.to_string().contains("utf-8"), "{other}");
    let (_s, not) = failing(
        &Project::new(),
        "lsp((m, send) => send({id: m.id, result: {capabilities: {signatureHelpProvider: {}}}}));",
        LONG,
    )
    .await;
    assert!(matches!(not, Error::NotOffered { .. }));
}

#[tokio::test]
async fn a_server_that_asks_without_listening_does_not_hold_us() {
    let project = Project::new();
    let script = "
        const body = JSON.stringify({jsonrpc: '2.0', id: 1, method: 'workspace/configuration', params: {items: Array(2000).fill({section: 'x'.repeat(20)})}});
        const flood = () => { process.stdout.write(`Content-Length: ${body.length}\\r\\n\\r\\n${body}`); setImmediate(flood); }; flood();";
    let (servers, error) = failing(&project, script, Duration::from_secs(5)).await;
    assert!(
        matches!(cause(&error), rpc::Error::Late { .. } | rpc::Error::Over(_)),
        "{error:?}"
    );
    drop(servers);
    project.all_gone().await;
}

#[tokio::test]
async fn a_server_that_stops_listening_can_still_be_ended() {
    let project = Project::new();
    let script = format!(
        "{GREETS} if (m.method != 'textDocument/didOpen') return;
           process.stdin.pause();
           const flood = () => {{ send({{id: 1, method: 'workspace/configuration', params: {{items: Array(2000).fill({{section: 'x'.repeat(20)}})}}}}); setImmediate(flood); }};
           flood(); }});"
    );
    let (servers, error) = failing(&project, &script, IN_VAIN).await;
    assert!(matches!(cause(&error), rpc::Error::Late { .. }), "{error:?}");
    tokio::time::timeout(LONG, servers.end()).await.expect("it ends");
    project.all_gone().await;
}

#[tokio::test]
async fn the_tools_answer_and_can_be_called_off() {
    let project = Project::new();
    project.write("a.py", "a = 1\n");
    let script = format!(
        "{GREETS} if (m.method == 'textDocument/hover') send({{id: m.id, result: m.params.position.line ? null : {{contents: 'a: int'}}}}); }});"
    );
    let servers = servers(&project, "python", &project.made_up(&script));
    let names: Vec<String> = servers.specs().into_iter().map(|s| s.name).collect();
    assert_eq!(names, ["lspHover", "lspSignatureHelp"]);
    assert_eq!(servers.specs()[0].required_args, ["line", "character"]);
    let (hand, leash) = Leash::new();
    let call = |name: &'static str, args: Value| {
        let (servers, leash, context) = (&servers, leash.clone(), &project.context);
        async move { servers.call(name, &args, context, &leash).await }
    };
    let known = call("lspHover", json!({"path": "a.py", "line": 0, "character": 0})).await;
    assert_eq!(
        known.output,
        json!({"hover": {"text": "a: int", "kind": "markdown", "range": null}}),
        "{known:?}"
    );
    let nothing = call("lspHover", json!({"path": "a.py", "line": 1, "character": 0})).await;
    assert_eq!((nothing.is_completed(), nothing.output), (true, json!({"hover": null})));
    let refused = call("lspHover", json!({"path": "../a.py", "line": 0, "character": 0})).await;
    assert!(
        !refused.is_completed() && refused.error.contains("leads out of the project"),
        "{refused:?}"
    );
    // The server says nothing to this question; the call ends when it is called off.
    let hanging = call("lspSignatureHelp", json!({"path": "a.py", "line": 0, "character": 0}));
    let (outcome, ()) = tokio::join!(hanging, async {
        while !project.read("heard.log").contains("signatureHelp") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        hand.pull();
    });
    assert!(!outcome.is_completed());
}
