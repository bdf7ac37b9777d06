//! MCP servers: a real one, and some that are up to no good.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::servers::{LONG, Project, installed};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tool::mcp::{Error, Servers, Serving};
use tool::{Declared, Leash, Risk, Served, Source, rpc};

fn servers(project: &Project, command: &str) -> Servers {
    Servers::new(
        project.context.clone(),
        BTreeMap::from([("it".to_owned(), command.to_owned())]),
    )
}

fn made_up(project: &Project, script: &str) -> Servers {
    servers(project, &project.made_up(script))
}

fn cause(error: &Error) -> &rpc::Error {
    match error {
        Error::Server { error, .. } => error,
        other => panic!("{other:?}"),
    }
}

/// Greets and has one tool; what follows is for the calls.
const GREETS: &str = "mcp((m, send) => {
  if (m.method == 'initialize') return send({id: m.id, result: tools});
  if (m.method == 'tools/list') return send({id: m.id, result: one});";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_servers_of_everything_answers() {
    let project = Project::new();
    let servers = servers(&project, &format!("{} stdio", installed("mcp-server-everything")));
    servers.ping("it", LONG).await.unwrap();
    let tools = servers.tools("it", LONG).await.unwrap();
    let echo = tools.iter().find(|t| t.name == "echo").unwrap();
    assert_eq!(
        echo.schema["properties"]["message"]["type"],
        json!("string"),
        "{echo:?}"
    );
    assert_eq!(echo.schema["required"], json!(["message"]));
    assert!(!echo.description.is_empty());
    let called = servers
        .call("it", "echo", &json!({"message": "grüß Gott\n2"}), LONG)
        .await
        .unwrap();
    assert_eq!((called.text.as_str(), called.is_error), ("Echo: grüß Gott\n2", false));
    let sum = servers
        .call("it", "get-sum", &json!({"a": 2, "b": 40}), LONG)
        .await
        .unwrap();
    assert!(sum.text.contains("42"), "{sum:?}");
    let weather = servers
        .call("it", "get-structured-content", &json!({"location": "New York"}), LONG)
        .await
        .unwrap();
    assert!(
        weather.structured.as_ref().unwrap()["temperature"].is_number(),
        "{weather:?}"
    );
    let image = servers.call("it", "get-tiny-image", &json!({}), LONG).await.unwrap();
    assert_eq!(
        (&image.other[0]["type"], &image.other[0]["mime_type"]),
        (&json!("image"), &json!("image/png")),
        "{image:?}"
    );
    let wrong = servers.call("it", "echo", &json!({"message": 7}), LONG).await;
    assert!(wrong.as_ref().map_or(true, |called| called.is_error), "{wrong:?}");
    let none = servers.call("it", "nothing", &json!({}), LONG).await.unwrap_err();
    assert!(none.to_string().contains("has no tool `nothing`. It has"), "{none}");
    servers.end().await;
    project.all_gone().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn declared_tools_are_served_with_the_schemas_of_their_server() {
    let project = Project::new();
    let servers = Arc::new(servers(
        &project,
        &format!("{} stdio", installed("mcp-server-everything")),
    ));
    let declared = |name: &str, tool: &str| Declared {
        name: name.to_owned(),
        description: String::new(),
        risk: Risk::Medium,
        args: None,
        timeout: None,
        served: Served::Mcp {
            server: "it".to_owned(),
            tool: tool.to_owned(),
        },
    };
    let command = Declared {
        served: Served::Command("true".to_owned()),
        ..declared("other", "x")
    };
    let mut serving = Serving::new(
        Arc::clone(&servers),
        &[declared("say", "echo"), declared("lost", "nothing"), command],
    );
    let problems = serving.learn(LONG).await;
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].starts_with("`lost`: the MCP server `it` has no tool `nothing`"),
        "{problems:?}"
    );
    let specs = serving.specs();
    assert_eq!(
        (specs[0].name.as_str(), specs[0].risk, specs.len()),
        ("say", Risk::Medium, 2)
    );
    assert_eq!(specs[0].required_args, ["message"]);
    assert!(specs[0].description.contains("cho"), "{specs:?}");
    let (_hand, leash) = Leash::new();
    let said = serving
        .call("say", &json!({"message": "hello"}), &project.context, &leash)
        .await;
    assert_eq!((said.is_completed(), said.output), (true, json!("Echo: hello")));
    let lost = serving.call("lost", &json!({}), &project.context, &leash).await;
    assert!(!lost.is_completed() && lost.error.contains("has no tool"), "{lost:?}");
}

#[tokio::test]
async fn nothing_is_offered_and_pings_are_answered() {
    let project = Project::new();
    let script = "
        const asks = ['ping', 'roots/list', 'sampling/createMessage', 'elicitation/create'];
        mcp((m, send) => {
          if (m.method == 'initialize') return send({id: m.id, result: tools});
          if (m.method == 'notifications/initialized') {
            send({method: 'notifications/message', params: {level: 'info', data: 'hello'}});
            asks.forEach((method, i) => send({id: 'q' + i, method, params: {}}));
          }
          if (m.method == 'tools/list') send({id: m.id, result: one});
        });";
    let servers = made_up(&project, script);
    assert_eq!(servers.tools("it", LONG).await.unwrap().len(), 1);
    servers.end().await;
    let heard: Vec<Value> = project
        .read("heard.log")
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(heard[0]["params"]["protocolVersion"], json!("2025-06-18"));
    assert_eq!(heard[0]["params"]["capabilities"], json!({}));
    let reply = |id: &str| heard.iter().find(|m| m["id"] == json!(id)).unwrap();
    assert_eq!(reply("q0")["result"], json!({}));
    for id in ["q1", "q2", "q3"] {
        assert_eq!(reply(id)["error"]["code"], json!(-32601), "{id}");
    }
}

#[tokio::test]
async fn older_protocols_are_understood_and_unknown_ones_are_not() {
    for (version, understood) in [
        ("2024-11-05", true),
        ("2025-03-26", true),
        ("1999-01-01", false),
        ("", false),
    ] {
        let project = Project::new();
        let script = format!("tools.protocolVersion = '{version}'; {GREETS} }});");
        let listed = made_up(&project, &script).tools("it", LONG).await;
        match understood {
            true => assert_eq!(listed.unwrap().len(), 1),
            false => assert!(matches!(listed, Err(Error::Protocol { .. })), "{listed:?}"),
        }
    }
    let project = Project::new();
    let none = made_up(
        &project,
        "tools.capabilities = {}; mcp((m, send) => send({id: m.id, result: tools}));",
    )
    .tools("it", LONG)
    .await;
    assert!(matches!(none, Err(Error::NoTools(_))), "{none:?}");
}

#[tokio::test]
async fn tools_come_in_pages_and_may_change() {
    let project = Project::new();
    let script = "
        let extra = 0;
        mcp((m, send) => {
          const tool = name => ({name, inputSchema: {type: 'object'}});
          if (m.method == 'initialize') return send({id: m.id, result: tools});
          if (m.method == 'tools/call') { extra = 1; send({method: 'notifications/tools/list_changed'}); return send({id: m.id, result: {content: []}}); }
          if (m.method != 'tools/list') return;
          const page = Number(m.params.cursor ?? 0);
          send({id: m.id, result: {tools: [tool('t' + page)], nextCursor: page < 2 + extra ? String(page + 1) : undefined}});
        });";
    let servers = made_up(&project, script);
    let names = |tools: Vec<tool::mcp::Tool>| tools.into_iter().map(|t| t.name).collect::<Vec<_>>().join(" ");
    assert_eq!(names(servers.tools("it", LONG).await.unwrap()), "t0 t1 t2");
    assert_eq!(names(servers.tools("it", LONG).await.unwrap()), "t0 t1 t2");
    assert_eq!(
        project.read("heard.log").matches("tools/list").count(),
        3,
        "asked for once"
    );
    servers.call("it", "t2", &json!({}), LONG).await.unwrap();
    assert_eq!(names(servers.tools("it", LONG).await.unwrap()), "t0 t1 t2 t3");

    let circle =
        "mcp((m, send) => send({id: m.id, result: m.method == 'initialize' ? tools : {...one, nextCursor: 'again'}}));";
    let circle = made_up(&Project::new(), circle).tools("it", LONG).await.unwrap_err();
    assert!(circle.to_string().contains("go round in a circle"), "{circle}");
    let endless = "let n = 0; mcp((m, send) => send({id: m.id, result: m.method == 'initialize' ? tools : {...one, nextCursor: String(n++)}}));";
    let endless = made_up(&Project::new(), endless).tools("it", LONG).await.unwrap_err();
    assert!(endless.to_string().contains("more than 100 pages"), "{endless}");
}

#[tokio::test]
async fn a_tool_that_fails_says_so_and_a_call_is_never_repeated() {
    let project = Project::new();
    let script = format!(
        "{GREETS}
           if (m.method != 'tools/call') return;
           if (m.params.arguments.n == 1) return send({{id: m.id, result: {{content: [{{type: 'text', text: 'no such customer'}}], isError: true}}}});
           if (m.params.arguments.n == 2) return send({{id: m.id, error: {{code: -32602, message: 'n is wrong'}}}});
           if (m.params.arguments.n == 3) process.exit(3);
           send({{id: m.id, result: {{content: [{{type: 'text', text: 'ok'}}]}}}}); }});"
    );
    let servers = made_up(&project, &script);
    let call = |n: u32| {
        let servers = &servers;
        async move { servers.call("it", "one", &json!({"n": n}), LONG).await }
    };
    let failed = call(1).await.unwrap();
    assert_eq!((failed.is_error, failed.text.as_str()), (true, "no such customer"));
    let refused = call(2).await.unwrap_err();
    assert!(matches!(cause(&refused), rpc::Error::Refused { code: -32602, .. }));
    let died = call(3).await.unwrap_err();
    assert!(
        matches!(cause(&died), rpc::Error::Over(why) if why.contains("exit code 3") || why.contains('3')),
        "{died:?}"
    );
    assert_eq!(project.read("heard.log").matches("\"n\":3").count(), 1);
    assert_eq!(call(4).await.unwrap().text, "ok", "the next call finds a fresh one");
    assert_eq!(project.read("heard.log").matches("\"initialize\"").count(), 2);
}

#[tokio::test]
async fn what_is_not_waited_for_any_more_is_cancelled_and_a_stuck_server_replaced() {
    let project = Project::new();
    let script = format!(
        "{GREETS} if (m.method == 'tools/call' && fs.existsSync('well')) send({{id: m.id, result: {{content: []}}}}); }});"
    );
    let servers = made_up(&project, &script);
    servers.tools("it", LONG).await.unwrap();
    let short = Duration::from_secs(2);
    for _ in 0..2 {
        let late = servers.call("it", "one", &json!({}), short).await.unwrap_err();
        assert!(matches!(cause(&late), rpc::Error::Late { .. }), "{late:?}");
        assert!(
            late.to_string()
                .contains("`tools/call` was not answered within 2 seconds"),
            "{late}"
        );
    }
    project.write("well", "");
    servers.call("it", "one", &json!({}), LONG).await.unwrap();
    let heard: Vec<Value> = project
        .read("heard.log")
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let cancelled = heard
        .iter()
        .find(|m| m["method"] == json!("notifications/cancelled"))
        .unwrap();
    let asked = heard.iter().find(|m| m["method"] == json!("tools/call")).unwrap();
    assert_eq!(cancelled["params"]["requestId"], asked["id"]);
    assert_eq!(heard.iter().filter(|m| m["method"] == json!("initialize")).count(), 2);
    drop(servers);
    project.all_gone().await;
}

#[tokio::test]
async fn hostile_servers_are_contained() {
    for (script, words) in [
        (
            "for (;;) fs.writeSync(1, 'x'.repeat(1 << 20));",
            "more than 16777216 bytes",
        ),
        (
            "setInterval(() => {}, 1000); for (let i = 0; i < 300; i++) console.log('not JSON');",
            "not JSON-RPC",
        ),
        ("console.error('no licence'); process.exit(1);", "no licence"),
        (
            "fs.closeSync(1); setInterval(() => {}, 1000);",
            "closed its standard output",
        ),
        (
            "const f = () => { console.log(JSON.stringify({jsonrpc: '2.0', method: 'x', params: 'y'.repeat(1 << 20)})); setImmediate(f); }; f();",
            "without answering",
        ),
    ] {
        let project = Project::new();
        let servers = made_up(&project, script);
        let error = servers.tools("it", LONG).await.unwrap_err();
        assert!(matches!(cause(&error), rpc::Error::Over(_)), "{script}: {error:?}");
        assert!(error.to_string().contains(words), "{script}: {error}");
        drop(servers);
        project.all_gone().await;
    }
}

#[tokio::test]
async fn some_noise_and_strange_answers_are_borne() {
    let project = Project::new();
    let script = format!(
        "console.log('Server starting …'); console.log('[]'); console.log('{{\"jsonrpc\": \"2.0\"}}');
         {GREETS} if (m.method == 'tools/call') {{ send({{id: 'other', result: 1}}); send({{id: 99999, result: 1}}); send({{id: null, error: {{code: 1}}}});
           process.stdout.write(JSON.stringify([{{jsonrpc: '2.0', id: m.id, result: {{content: [{{type: 'text', text: 'yours'}}]}}}}]) + '\\n'); }} }});"
    );
    let servers = made_up(&project, &script);
    assert_eq!(servers.call("it", "one", &json!({}), LONG).await.unwrap().text, "yours");

    for (answer, words) in [
        ("{}", "no contents"),
        ("7", "no object"),
        ("{content: [{}]}", "says no type"),
    ] {
        let script = format!("{GREETS} if (m.id) send({{id: m.id, result: {answer}}}); }});");
        let servers = made_up(&Project::new(), &script);
        // The folder is gone before the server starts: it still may not take us down.
        drop(servers.call("it", "one", &json!({}), LONG).await);
        let project = Project::new();
        let error = made_up(&project, &script)
            .call("it", "one", &json!({}), LONG)
            .await
            .unwrap_err();
        assert!(matches!(cause(&error), rpc::Error::Strange { .. }), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_is_absent_or_denied_or_unknown() {
    let mut project = Project::new();
    let absent = servers(&project, "no-such-mcp-server --stdio")
        .tools("it", LONG)
        .await
        .unwrap_err();
    assert_eq!(
        absent.to_string(),
        "the MCP server `it` is absent: `no-such-mcp-server` was not found. Install it, or correct its command under `mcp` in gatehouse.yaml"
    );
    let unknown = servers(&project, "true").tools("other", LONG).await.unwrap_err();
    assert!(matches!(unknown, Error::NotConfigured(_)));
    for line in ["", "'unclosed"] {
        let bad = servers(&project, line).tools("it", LONG).await.unwrap_err();
        assert!(matches!(cause(&bad), rpc::Error::NoCommand(_)), "{bad:?}");
    }
    project.context.policy.run.deny.push("node *".to_owned());
    let denied = made_up(&project, "fs.writeFileSync('started', '')")
        .tools("it", LONG)
        .await
        .unwrap_err();
    assert!(matches!(denied, Error::Denied { .. }), "{denied:?}");
    assert!(!project.context.root.join("started").exists());
}
