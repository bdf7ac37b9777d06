//! `gatehouse serve` under hands that mean no good: who is let in, what every answer carries, and that nobody is held up by others.

#![cfg(unix)]

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tests::program;
use tests::project::Project;

const FLOW: &str = "\
key: memo
title: A memo
steps:
  - {id: write, agents: [x], human_gate: required, gate_question: Good?}
";

struct Served {
    project: Project,
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: its status, its headers in small letters, its body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let line = self
            .head
            .lines()
            .find(|l| l.to_lowercase().starts_with(&format!("{name}:")))?;
        Some(line.split_once(':')?.1.trim())
    }
}

impl Served {
    fn start(files: &[(&str, &str)]) -> Self {
        let project = Project::new(files).expect("a project");
        let mut child = program::command(&project.root, &["serve", "--port", "0"])
            .expect("gatehouse is built")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("an address");
        let (port, token) = line
            .trim()
            .strip_prefix("http://127.0.0.1:")
            .and_then(|rest| rest.split_once("/?token="))
            .expect("an address with a token");
        Self {
            port: port.parse().expect("a port"),
            token: token.to_owned(),
            project,
            child,
        }
    }

    fn open(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("set");
        stream
    }

    /// Sends a request as it is written and reads to the end.
    fn raw(&self, request: &str) -> Answer {
        let mut stream = self.open();
        stream.write_all(request.as_bytes()).expect("sent");
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_default();
        Answer {
            status,
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    fn get(&self, path: &str, headers: &str) -> Answer {
        let port = self.port;
        self.raw(&format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{headers}\r\n"
        ))
    }

    fn post(&self, body: &str, headers: &str) -> Answer {
        let (port, length) = (self.port, body.len());
        self.raw(&format!(
            "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ))
    }

    fn call(&self, method: &str, params: &Value) -> (u16, Value) {
        let bearer = format!("Authorization: Bearer {}\r\n", self.token);
        let answer = self.post(&json!({"method": method, "params": params}).to_string(), &bearer);
        (answer.status, serde_json::from_str(&answer.body).unwrap_or(Value::Null))
    }
}

const LIST: &str = r#"{"method": "inbox.list", "params": {}}"#;

#[test]
fn a_file_that_a_page_has_written_is_fetched_through_the_page_and_no_other() {
    let served = Served::start(&[("reports/other.csv", "a,b\n")]);
    let bearer = format!("Authorization: Bearer {}\r\n", served.token);
    let (status, saved) = served.call("decisions.save", &json!({}));
    assert_eq!(status, 200, "{saved}");
    let path = saved["path"].as_str().expect("where it lies");
    let name = path.rsplit(['/', '\\']).next().expect("its name");
    let answer = served.get(&format!("/saved/{name}"), &bearer);
    assert_eq!(
        (answer.status, answer.header("content-disposition")),
        (200, Some("attachment")),
        "{}",
        answer.head
    );
    assert_eq!(answer.body, std::fs::read_to_string(path).expect("the table"));
    assert_eq!(served.get(&format!("/saved/{name}"), "").status, 401, "to nobody else");
    for other in ["other.csv", "..%2Fgatehouse.yaml", "none.csv"] {
        assert_eq!(served.get(&format!("/saved/{other}"), &bearer).status, 404, "{other}");
    }
    // What a program has put in its place, as a file or by a link, is not handed out.
    let whole = std::fs::read(path).expect("the table");
    std::fs::write(path, "a,b\n").expect("written");
    let changed = served.get(&format!("/saved/{name}"), &bearer);
    assert_eq!(changed.status, 409, "{}", changed.body);
    assert!(changed.body.contains("is another file by now"), "{}", changed.body);
    std::fs::remove_file(path).expect("removed");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("other.csv", path).expect("linked");
        assert_eq!(served.get(&format!("/saved/{name}"), &bearer).status, 409);
        std::fs::remove_file(path).expect("removed");
    }
    assert_eq!(served.get(&format!("/saved/{name}"), &bearer).status, 404, "it is gone");
    std::fs::write(path, whole).expect("put back");
    assert_eq!(served.get(&format!("/saved/{name}"), &bearer).status, 200);
}

#[test]
fn the_token_leaves_the_address_for_a_cookie_that_no_script_reads() {
    let served = Served::start(&[]);
    let (port, token) = (served.port, served.token.as_str());
    let own = format!("Origin: http://127.0.0.1:{port}\r\n");
    let answer = served.get(&format!("/?token={token}"), "");
    assert_eq!((answer.status, answer.header("location")), (303, Some("/")));
    let cookie = answer.header("set-cookie").expect("a cookie");
    for word in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    let pair = cookie.split(';').next().expect("name and value");
    let shown = format!("Cookie: other=1; {pair}\r\n");
    assert_eq!(served.post(LIST, &format!("{shown}{own}")).status, 200);
    assert_eq!(
        served.post(LIST, &format!("Authorization: Bearer {token}\r\n")).status,
        200,
        "programs go on showing the token"
    );

    // Another page of this machine: the browser would send the cookie along.
    assert_eq!(
        served.post(LIST, &shown).status,
        401,
        "no browser leaves the origin out"
    );
    for origin in [
        "http://127.0.0.1:1",
        "http://localhost",
        "null",
        "https://127.0.0.1",
        "\u{e9}",
    ] {
        assert_eq!(
            served.post(LIST, &format!("{shown}Origin: {origin}\r\n")).status,
            403,
            "{origin}"
        );
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(
            served
                .get("/notices", &format!("{shown}Sec-Fetch-Site: {site}\r\n"))
                .status,
            401,
            "{site}"
        );
    }
    for wrong in [
        format!("gatehouse-{port}="),
        format!("gatehouse-{port}={}", "0".repeat(token.len())),
        format!("gatehouse-{port}={}", &token[1..]),
        format!("gatehouse-1={token}"),
        format!("token={token}"),
    ] {
        assert_eq!(
            served.post(LIST, &format!("Cookie: {wrong}\r\n{own}")).status,
            401,
            "{wrong}"
        );
    }
    // One of an earlier start leaves the address too, and lets nobody in.
    for old in ["old", "", &token[1..]] {
        let answer = served.get(&format!("/?token={old}"), "");
        assert_eq!((answer.status, answer.header("set-cookie")), (303, None), "{old}");
    }
    assert_eq!(served.get(&format!("/rpc?token={token}"), "").status, 401);
    let refused = served.post(LIST, &own);
    assert!(
        refused.body.contains("Open the address that `gatehouse serve` printed"),
        "{}",
        refused.body
    );
}

#[test]
fn every_answer_carries_every_header() {
    let served = Served::start(&[]);
    let token = &served.token;
    let port = served.port;
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let answers = [
        (200, served.post(LIST, &bearer)),
        (303, served.get(&format!("/?token={token}"), "")),
        (400, served.post("{", &bearer)),
        (401, served.post(LIST, "")),
        (401, served.get("/notices", "")),
        (403, served.get("/", "Origin: http://elsewhere.example\r\n")),
        (404, served.get("/nothing", "")),
        (405, served.get("/rpc", &bearer)),
        (413, served.post(&" ".repeat(3 << 20), &bearer)),
        (
            421,
            served.raw("GET / HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n"),
        ),
        (
            421,
            served.raw(&format!(
                "GET / HTTP/1.1\r\nHost: 127.0.0.1.nip.io:{port}\r\nConnection: close\r\n\r\n"
            )),
        ),
        (
            422,
            served.post(r#"{"method": "run.view", "params": {"run_id": "none"}}"#, &bearer),
        ),
    ];
    for (status, answer) in answers {
        assert_eq!(answer.status, status, "{}", answer.head);
        for (name, part) in [
            ("content-security-policy", "frame-ancestors 'none'"),
            ("content-security-policy", "base-uri 'none'"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("x-frame-options", "DENY"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert!(
                answer.header(name).is_some_and(|v| v.contains(part)),
                "{status} {name}: {}",
                answer.head
            );
        }
        assert!(answer.header("access-control-allow-origin").is_none());
        if matches!(status, 400 | 401 | 403 | 413 | 421 | 422) {
            let error: Value = serde_json::from_str(&answer.body).expect("an error that programs can read");
            assert!(
                error["code"].is_string() && error["message"].is_string(),
                "{status}: {error}"
            );
        }
    }
}

#[test]
fn half_open_connections_keep_nobody_out_and_are_closed() {
    let served = Served::start(&[]);
    let start = Instant::now();
    // Who is let in and then stops in the middle of a call is told so.
    let mut halfway = served.open();
    let head = format!(
        "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Length: 99\r\n\r\n{{",
        served.port, served.token
    );
    halfway.write_all(head.as_bytes()).expect("sent");
    let mut held: Vec<TcpStream> = Vec::new();
    for n in 0..300 {
        let mut stream = served.open();
        // Nothing, half a head, a head without its end, a head of somebody who is not let in.
        let said = [
            "",
            "GET / HT",
            "GET / HTTP/1.1\r\nHost: x\r\nA: ",
            "POST /rpc HTTP/1.1\r\nContent-Length: 9\r\n",
        ][n % 4];
        let _ = stream.write_all(said.as_bytes());
        held.push(stream);
        if n % 50 == 49 {
            let asked = Instant::now();
            assert_eq!(served.call("settings.get", &json!({})).0, 200, "after {n}");
            assert!(asked.elapsed() < Duration::from_secs(30), "after {n}");
        }
    }
    // The last as well as the first: each is closed, or told so, within its time.
    for (n, mut stream) in held.into_iter().enumerate() {
        let mut rest = Vec::new();
        let ended = stream.read_to_end(&mut rest);
        assert!(
            ended.is_ok() || ended.is_err_and(|e| e.kind() == std::io::ErrorKind::ConnectionReset),
            "{n} is still open after {:?}",
            start.elapsed()
        );
    }
    let mut rest = String::new();
    let _ = halfway.read_to_string(&mut rest);
    assert!(rest.starts_with("HTTP/1.1 408 ") && rest.contains("too_slow"), "{rest}");
    assert!(start.elapsed() < Duration::from_secs(90), "{:?}", start.elapsed());
    assert_eq!(served.call("settings.get", &json!({})).0, 200);
}

#[test]
fn a_project_full_of_pipes_holds_nothing_up() {
    let mut served = Served::start(&[("memo.yaml", FLOW)]);
    let at = |name: &str| served.project.root.join(name);
    std::fs::create_dir_all(at("memo.scenarios")).expect("a folder");
    for name in ["x.yaml", "y.runbook.md", "gatehouse.yaml", "memo.scenarios/a.yaml"] {
        assert!(
            Command::new("mkfifo")
                .arg(at(name))
                .status()
                .expect("mkfifo runs")
                .success()
        );
    }
    std::os::unix::fs::symlink("/dev/zero", at("z.yaml")).expect("a link");
    let start = Instant::now();
    for _ in 0..4 {
        let (status, library) = served.call("library.list", &json!({}));
        assert_eq!(
            (status, library["folders"][0]["workflows"].as_array().map(Vec::len)),
            (200, Some(1))
        );
        for path in ["x.yaml", "y.runbook.md", "z.yaml", "gatehouse.yaml"] {
            let (status, error) = served.call("workflow.open", &json!({"path": path}));
            assert_eq!(status, 422, "{path}: {error}");
        }
        let (status, view) = served.call("workflow.open", &json!({"path": "memo.yaml"}));
        assert_eq!(status, 200, "{view}");
        assert_eq!(view["scenarios"], json!([]), "a pipe is no scenario");
        assert_eq!(served.call("settings.get", &json!({})).0, 200);
    }
    assert!(start.elapsed() < Duration::from_secs(90), "{:?}", start.elapsed());
    let ended = Command::new("kill")
        .arg(served.child.id().to_string())
        .status()
        .expect("kill runs");
    assert!(ended.success());
    let start = Instant::now();
    while served.child.try_wait().expect("waited").is_none() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "the order to end does nothing"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let left: Vec<_> = std::fs::read_dir(served.project.root.join(".gatehouse"))
        .expect("there")
        .flatten()
        .collect();
    assert_eq!(left.len(), 1, "one complete file: {left:?}");
}

#[test]
fn a_report_is_saved_among_the_reports_and_replaces_nothing() {
    let served = Served::start(&[("memo.yaml", FLOW)]);
    let said = served
        .project
        .gatehouse(&["run", "memo.yaml", "--rehearse", "--until-blocked"])
        .expect("built");
    assert_eq!(said.code, Some(0), "{}", said.err);
    let (run, _) = served.project.latest().expect("a history").expect("a run");
    let save = |to: Option<&str>| {
        let mut params = json!({"run_id": run.to_string()});
        if let Some(to) = to {
            params["to"] = to.into();
        }
        served.call("report.save", &params)
    };
    let (first, second) = (save(None), save(None));
    assert_eq!((first.0, second.0), (200, 200), "{} {}", first.1, second.1);
    assert_ne!(first.1["path"], second.1["path"], "the first is not replaced");
    let root = served.project.root.display().to_string();
    for to in [
        "/tmp/gatehouse-report.html",
        "../x.html",
        "memo.yaml",
        "a/b.html",
        "gatehouse.yaml",
        ".html/../../x.html",
        &format!("{root}/memo.yaml"),
        &format!("{root}/reports/../x.html"),
        &format!("{root}/reports/a/b.html"),
        &format!("{root}/reports/x.sh"),
        "reports/x.html",
        "",
        "..",
    ] {
        let (status, error) = save(Some(to));
        assert_eq!(
            (status, &error["code"]),
            (422, &json!("outside_reports")),
            "{to}: {error}"
        );
    }
    assert_eq!(save(Some("mine.html")).0, 200);
    assert_eq!(save(Some("mine.html")).1["code"], "exists");
    assert_eq!(save(Some(&format!("{root}/reports/other.html"))).0, 200);
    assert_eq!(
        std::fs::read_dir(served.project.root.join("reports"))
            .expect("there")
            .count(),
        4
    );
    assert_eq!(
        std::fs::read_to_string(served.project.root.join("memo.yaml")).expect("there"),
        FLOW
    );
    let (status, bundle) = served.call("bundle.save", &json!({"run_id": run.to_string()}));
    assert_eq!(status, 200, "{bundle}");
    let bearer = format!("Authorization: Bearer {}\r\n", served.token);
    for saved in [&first.1, &bundle] {
        let path = saved["path"].as_str().expect("where it lies");
        let at = format!("/saved/{}", path.rsplit(['/', '\\']).next().expect("its name"));
        assert_eq!(served.get(&at, &bearer).status, 200, "{at}");
        let whole = std::fs::read(path).expect("there");
        std::fs::write(path, [whole.as_slice(), b" "].concat()).expect("written");
        assert_eq!(served.get(&at, &bearer).status, 409, "{at} is another file now");
    }
}

/// Every text of an answer but the source of the workflow, which is shown as it is.
fn texts<'v>(value: &'v Value, name: &str, at: String, found: &mut Vec<(String, &'v str)>) {
    match value {
        Value::String(text) if name != "source" => found.push((at, text)),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                texts(item, name, format!("{at}[{n}]"), found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                texts(field, name, format!("{at}.{name}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn nothing_that_is_shown_turns_the_reading_order_or_is_hidden() {
    let hidden = ['\u{202e}', '\u{2066}', '\u{200b}', '\u{200f}', '\u{61c}', '\u{feff}'];
    let mark: String = hidden.iter().map(|c| format!("a{c}b")).collect();
    let flow = format!(
        "key: \"memo\"\ntitle: \"T{mark}\"\ndescription: \"D{mark}\"\nsteps:\n  - {{id: write, name: \"N{mark}\", agents: [\"A{mark}\"], \
         role: \"R{mark}\", objective: \"O{mark}\", inputs: [\"in{mark}.md\"], outputs: [\"out{mark}.md\"], human_gate: required, \
         gate_question: \"Q{mark}?\"}}\n"
    );
    let served = Served::start(&[("memo.yaml", &flow), (&format!("in{mark}.md"), "x")]);
    let scenario = format!(
        "name: \"S{mark}\"\nsteps: {{write: [{{output: \"said {mark}\", artifacts: {{\"out{mark}.md\": \"made {mark}\"}}}}]}}\n"
    );
    served
        .project
        .write(&[("memo.scenario.yaml", &scenario)])
        .expect("written");
    let said = served
        .project
        .gatehouse(&[
            "run",
            "memo.yaml",
            "--scenario",
            "memo.scenario.yaml",
            "--until-blocked",
            "--subject",
            &format!("S{mark}"),
        ])
        .expect("built");
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(
        !said.out.contains(hidden) && !said.err.contains(hidden),
        "{}{}",
        said.out,
        said.err
    );
    let (run, _) = served.project.latest().expect("a history").expect("a run");
    let run = run.to_string();
    let answered = served.project.gatehouse(&[
        "answer",
        &run,
        "write",
        "changes",
        "--by",
        "Ann",
        "--comment",
        &format!("C{mark}"),
    ]);
    assert_eq!(answered.expect("built").code, Some(0));
    for (method, params) in [
        ("library.list", json!({})),
        ("inbox.list", json!({})),
        ("settings.get", json!({})),
        ("runs.list", json!({})),
        ("workflow.open", json!({"path": "memo.yaml"})),
        ("run.view", json!({"run_id": run})),
        ("run.log", json!({"run_id": run})),
        ("run.timeline", json!({"run_id": run})),
        ("run.step", json!({"run_id": run, "step": "write"})),
        ("report.view", json!({"run_id": run})),
        ("run.brief", json!({"path": "memo.yaml"})),
        (
            "gate.brief",
            json!({"run_id": run, "gate": "memo:write:hitl", "round": 1}),
        ),
        ("run.verify", json!({"run_id": run})),
    ] {
        let (status, answer) = served.call(method, &params);
        assert_eq!(status, 200, "{method}: {answer}");
        let mut found = Vec::new();
        texts(&answer, "", method.to_owned(), &mut found);
        for (at, text) in found {
            assert!(!text.contains(hidden), "{at}: {text:?}");
        }
    }
    let said = served
        .project
        .gatehouse(&["report", &run, "-o", "r.html"])
        .expect("built");
    assert_eq!(said.code, Some(0), "{}", said.err);
    let report = std::fs::read_to_string(served.project.root.join("r.html")).expect("there");
    assert!(!report.contains(hidden));
}
