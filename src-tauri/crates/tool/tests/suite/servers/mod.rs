//! What the tests of language servers and of MCP servers share: a project, the real servers, and servers made up to be hostile.

use permission::Policy;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tool::Context;

/// Longer than anything that goes well takes.
pub const LONG: Duration = Duration::from_secs(120);

/// A project in a folder of its own.
pub struct Project {
    pub context: Context,
    _folder: tempfile::TempDir,
}

impl Project {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        let mark = format!(
            "servers-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let mut context = Context::new(root, Policy::default(), mark);
        context.timeout = LONG;
        Self {
            context,
            _folder: folder,
        }
    }

    pub fn write(&self, path: &str, text: &str) {
        let place = self.context.root.join(path);
        fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        fs::write(place, text).expect("a file");
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.context.root.join(path)).unwrap_or_default()
    }

    /// A server of our own making, in JavaScript; `prelude` is there for it. Gives its command.
    pub fn made_up(&self, script: &str) -> String {
        self.write("server.cjs", &format!("{PRELUDE}\n{script}"));
        "node server.cjs".to_owned()
    }

    /// How many processes are left that carry the project's mark.
    pub fn left(&self) -> usize {
        let mark = format!("{}={}", process::MARK, self.context.mark);
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let environ = |entry: fs::DirEntry| fs::read(entry.path().join("environ")).ok();
        let carries = |environ: &Vec<u8>| environ.split(|b| *b == 0).any(|v| v.starts_with(mark.as_bytes()));
        processes.filter_map(environ).filter(carries).count()
    }

    /// Waits until none is left.
    pub async fn all_gone(&self) {
        for _ in 0..600 {
            if self.left() == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{} processes are left", self.left());
    }
}

/// A program that `npm ci` installs, as the first word of a command.
pub fn installed(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let place: PathBuf = root.join("node_modules/.bin").join(name);
    assert!(
        place.exists(),
        "{name} is not installed: run `npm ci` at the top of the repository"
    );
    let place = place.canonicalize().expect("it exists");
    shlex::try_quote(&place.to_string_lossy()).expect("no NUL").into_owned()
}

/// Both framings, and a log of what was heard. Headers: `lsp(handler)`; lines: `mcp(handler)`. The handler gets each message and `send`.
const PRELUDE: &str = r#"
const fs = require('fs');
const heard = m => fs.appendFileSync('heard.log', JSON.stringify(m) + '\n');
function lsp(handler) {
  const send = m => {
    const body = Buffer.from(JSON.stringify({jsonrpc: '2.0', ...m}));
    process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
    process.stdout.write(body);
  };
  let held = Buffer.alloc(0);
  process.stdin.on('data', piece => {
    held = Buffer.concat([held, piece]);
    for (;;) {
      const at = held.indexOf('\r\n\r\n');
      if (at < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(held.subarray(0, at))[1]);
      if (held.length < at + 4 + length) return;
      const message = JSON.parse(held.subarray(at + 4, at + 4 + length));
      held = held.subarray(at + 4 + length);
      heard(message);
      handler(message, send);
    }
  });
  process.stdin.on('end', () => process.exit(0));
}
function mcp(handler) {
  const send = m => process.stdout.write(JSON.stringify({jsonrpc: '2.0', ...m}) + '\n');
  require('readline').createInterface({input: process.stdin}).on('line', line => {
    const message = JSON.parse(line);
    heard(message);
    handler(message, send);
  }).on('close', () => process.exit(0));
}
const able = {capabilities: {hoverProvider: true, signatureHelpProvider: {}}};
const tools = {protocolVersion: '2025-06-18', capabilities: {tools: {}}, serverInfo: {name: 'x', version: '1'}};
const one = {tools: [{name: 'one', description: 'does one thing', inputSchema: {type: 'object', properties: {n: {type: 'integer'}}}}]};
"#;
