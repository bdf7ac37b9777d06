//! What decides over runs, and what a run's programs are kept from.

use crate::Error;
use crate::config::{Config, OPERATOR_FILE};
use crate::pipeline::Folder;
use crate::project::{self, Escape};
use crate::workflows;
use permission::Policy;
use process::Limits;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use tool::Served;
pub use tool::confinement::Kept;

/// What the programs of a run are kept from. `path`: its workflow, from the project's folder.
pub fn kept(root: &Path, policy: &Policy, limits: Limits, path: &str) -> Kept {
    // What cannot be read is used by no run either.
    let config = Config::load(root).unwrap_or_default();
    let outputs = Folder::of(root, &config).map(|folder| format!("{}/outputs/", folder.relative()));
    // What stages make may be workflows, and is made again.
    let is_made = |path: &String| outputs.as_ref().is_ok_and(|outputs| path.starts_with(outputs));
    let found = workflows::files(root).into_iter().filter(|path| !is_made(path));
    let operator = [OPERATOR_FILE.to_owned()]
        .into_iter()
        .filter(|path| root.join(path).is_file());
    let all = found.chain(programs(root, &config)).chain(operator);
    let all: BTreeSet<String> = all.chain([path.to_owned()]).collect();
    tool::confinement::of(root, policy, limits, &all.into_iter().collect::<Vec<_>>())
}

/// That the kernel holds all of it.
///
/// # Errors
/// [`Error::OnlyRead`].
pub(crate) fn demanded(kept: &Kept) -> Result<(), Error> {
    match kept.only_read.is_empty() {
        true => Ok(()),
        false => Err(Error::OnlyRead(kept.only_read.clone())),
    }
}

/// Whether a path from the project's folder is Git's, Gatehouse's own or the configuration: no workflow is kept there.
pub fn is_kept(path: &str) -> bool {
    tool::files::is_kept(path, "")
}

/// Whether a file says what runs do: a workflow, its instructions, or a program that `gatehouse.yaml` names. `path`: from the project's folder.
pub(crate) fn decides(root: &Path, path: &str) -> bool {
    let is_named = || {
        let config = Config::load(root).unwrap_or_default();
        programs(root, &config).contains(path)
    };
    // Most files are no instructions by their endings.
    let is_led_to = || {
        [".md", ".xml"]
            .iter()
            .any(|end| path.to_ascii_lowercase().ends_with(end))
            && workflows::files(root).iter().any(|file| file == path)
    };
    let is_workflow = || workflows::is_one(root, path) || is_led_to();
    root.join(path).is_file() && (path == OPERATOR_FILE || is_workflow() || is_named())
}

/// The files of the project that `gatehouse.yaml` has executed: each command itself, and the first one that an interpreter is given (`python3
/// agents/read.py data.json`).
fn programs(root: &Path, config: &Config) -> BTreeSet<String> {
    let around = &config.around;
    let engines = config.bound().map(|(_, engine)| engine.command.as_str());
    let tools = around.declared.iter().filter_map(|tool| match &tool.served {
        Served::Command(command) => Some(command.as_str()),
        Served::Mcp { .. } => None,
    });
    let servers = around
        .language_servers
        .values()
        .map(|language| language.command.as_str());
    let others = around.mcp.values().chain(around.checks.values()).map(String::as_str);
    let all = engines.chain(tools).chain(servers).chain(others);
    all.flat_map(|command| named(root, command)).collect()
}

/// What executes the file that it is given, by its name without a version.
const INTERPRETERS: [&str; 14] = [
    "sh", "bash", "dash", "zsh", "ksh", "python", "node", "deno", "bun", "ruby", "perl", "php", "lua", "Rscript",
];

/// What executes the command that follows it, with the words that may stand between: options, values for names, a time.
const WRAPPERS: [&str; 8] = ["env", "timeout", "nice", "nohup", "exec", "time", "stdbuf", "setsid"];
/// Options of interpreters whose value is executed too.
const LOADED: [&str; 5] = ["-r", "--require", "--import", "--loader", "--preload"];

fn named(root: &Path, command: &str) -> Vec<String> {
    named_in(root, "", command, 0)
}

/// `folder`: where the command stands, from the project's folder. `depth`: how many commands it stands in.
fn named_in(root: &Path, folder: &str, command: &str, depth: usize) -> Vec<String> {
    const DEEPEST: usize = 4;
    let mut found = Vec::new();
    let mut folder = folder.to_owned();
    let words = shlex::split(command).unwrap_or_default();
    let made = written_by(root, &words);
    for one in words.split_inclusive(|word| word.ends_with(';') || matches!(word.as_str(), "&&" | "||" | "|" | "&")) {
        let file = |word: &str| {
            let here = file(root, word);
            here.or_else(|| file(root, &format!("{folder}/{word}")).filter(|_| !folder.is_empty()))
        };
        let is_before = |word: &&str| {
            let is_number = word.starts_with(|c: char| c.is_ascii_digit());
            WRAPPERS.contains(word) || word.starts_with('-') || is_number || is_setting(word)
        };
        let mut words = one.iter().map(|word| word.trim_end_matches(';')).skip_while(is_before);
        let Some(program) = words.next() else { continue };
        let rest: Vec<&str> = words.take_while(|word| !word.contains(['>', '<'])).collect();
        if program == "cd" {
            folder = rest.first().map(|to| format!("{folder}/{to}")).unwrap_or_default();
            folder = folder.trim_matches('/').to_owned();
            continue;
        }
        if let Some(program) = file(program) {
            found.push(program);
            continue;
        }
        let name = program.rsplit('/').next().unwrap_or(program);
        if !INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')) {
            continue;
        }
        if let Some(at) = rest.iter().position(|word| *word == "-c").filter(|_| depth < DEEPEST) {
            let text = rest.get(at + 1).copied().unwrap_or_default();
            found.extend(named_in(root, &folder, text, depth + 1));
            continue;
        }
        for (at, word) in rest.iter().enumerate() {
            let is_loaded = at > 0 && LOADED.contains(&rest[at - 1]);
            found.extend(file(word));
            if !is_loaded && file(word).is_some() {
                break;
            }
        }
    }
    found.retain(|file| !made.contains(file));
    found
}

/// The files that a command writes itself (`… > file`): what it then executes of them is its own work.
fn written_by(root: &Path, words: &[String]) -> BTreeSet<String> {
    let mut words = words.iter().peekable();
    let mut found = BTreeSet::new();
    while let Some(word) = words.next() {
        let Some((before, to)) = word.split_once('>') else {
            continue;
        };
        let to = to.trim_start_matches(['>', '|']);
        let to = match to.is_empty() {
            true => words.peek().map_or("", |next| next.as_str()),
            false => to,
        };
        // `2>&1`, and quoted text with such a sign in it, lead to no file.
        let leads = before.chars().all(|c| c.is_ascii_digit() || c == '&');
        found.extend(file(root, to.trim_end_matches(';')).filter(|_| leads));
    }
    found
}

/// `NAME=value`.
fn is_setting(word: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// A word as a file of the project, from its folder.
fn file(root: &Path, word: &str) -> Option<String> {
    let path = Path::new(word);
    let path = path.strip_prefix(root).unwrap_or(path);
    let parts: Option<Vec<&str>> = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let path = parts?.join("/");
    root.join(&path).is_file().then_some(path)
}

/// The file that a relative path stands for ([`project::inside`]), or the folder, where Gatehouse itself writes it: programs of steps are confined, and it is not, so no link on the way is
/// followed, and what is Git's, Gatehouse's own or decides over runs is left alone. `own`: the folder below `.gatehouse` that may be used; empty: none.
///
/// # Errors
/// [`Escape::Link`], [`Escape::Linked`], [`Escape::Kept`].
pub fn to_write(root: &Path, relative: &str, own: &str) -> Result<PathBuf, Escape> {
    let whole = project::inside(root, relative)?;
    let mut at = root.to_owned();
    for part in Path::new(relative).components() {
        at.push(part);
        if at.symlink_metadata().is_ok_and(|there| there.is_symlink()) {
            return Err(Escape::Linked(relative.to_owned()));
        }
    }
    let is_own = !own.is_empty() && Path::new(relative).starts_with(own);
    if tool::files::is_kept(relative, own) || !is_own && decides(root, relative) {
        return Err(Escape::Kept(relative.to_owned()));
    }
    Ok(whole)
}

/// One file, whole or not at all; `executable`: one that may be executed.
pub(crate) fn write(to: &Path, bytes: &[u8], executable: bool) -> std::io::Result<()> {
    let folder = to.parent().unwrap_or(to);
    std::fs::create_dir_all(folder)?;
    let mut beside = tempfile::Builder::new().prefix(".gatehouse-").tempfile_in(folder)?;
    std::io::Write::write_all(&mut beside, bytes)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A temporary file is its owner's alone; what stood there keeps what it let others do.
        let mode = to.metadata().map_or(0o644, |there| there.permissions().mode() & 0o777);
        // Whoever may read it may execute it then.
        let mode = if executable { mode | (mode & 0o444) >> 2 } else { mode };
        beside
            .as_file()
            .set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    beside.persist(to)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_its_programs_and_not_what_they_work_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        std::fs::create_dir(root.join("agents")).expect("made");
        for name in ["agents/read.py", "a.sh", "b.sh", "data.json"] {
            std::fs::write(root.join(name), "").expect("written");
        }
        for (command, files) in [
            ("python3 agents/read.py data.json", vec!["agents/read.py"]),
            ("sh ./a.sh data.json; sh b.sh", vec!["a.sh", "b.sh"]),
            ("a.sh && ./b.sh | cat data.json", vec!["a.sh", "b.sh"]),
            ("python3.11 -u agents/read.py", vec!["agents/read.py"]),
            ("echo x >> data.json", vec![]),
            ("touch data.json", vec![]),
            ("sh -c 'true' > data.json", vec![]),
            ("my-agent --of ../a.sh", vec![]),
            ("X=1 sh a.sh", vec!["a.sh"]),
            (
                "env X=1 timeout 10 python3 agents/read.py data.json",
                vec!["agents/read.py"],
            ),
            ("node --require a.sh b.sh data.json", vec!["a.sh", "b.sh"]),
            ("cd agents && python3 read.py", vec!["agents/read.py"]),
            ("sh -c 'exec sh a.sh'", vec!["a.sh"]),
            ("echo x > a.sh; sh a.sh", vec![]),
            ("echo x >>a.sh && sh a.sh && sh b.sh 2>&1", vec!["b.sh"]),
        ] {
            assert_eq!(named(root, command), files, "{command}");
        }
    }

    #[test]
    fn workflows_and_named_programs_decide() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let flow = "id: a\nname: A\nsteps:\n  - {id: x, agents: [y], routing: {kind: linear}}\n";
        for (name, text) in [
            (
                "gatehouse.yaml",
                "agents: {y: {engine: shell, run: sh work.sh}}\nchecks: {c: sh check.sh}\n",
            ),
            ("flow.yaml", flow),
            ("other.yaml", "a: 1\n"),
            ("work.sh", ""),
            ("check.sh", ""),
        ] {
            std::fs::write(root.join(name), text).expect("written");
        }
        for (path, does) in [
            ("flow.yaml", true),
            ("work.sh", true),
            ("check.sh", true),
            ("other.yaml", false),
            ("new.yaml", false),
        ] {
            assert_eq!(decides(root, path), does, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_gatehouse_writes_itself_follows_no_link_and_leaves_what_decides_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir_all(root.join("out")).expect("made");
        std::fs::write(root.join("gatehouse.yaml"), "checks: {prose: sh prose.sh}\n").expect("written");
        std::fs::write(root.join("prose.sh"), "").expect("written");
        let flow = "id: a\nname: A\nsteps:\n  - {id: x, agents: [y], routing: {kind: linear}}\n";
        std::fs::write(root.join("flow.yaml"), flow).expect("written");
        std::os::unix::fs::symlink(root.join("gatehouse.yaml"), root.join("out/a.md")).expect("linked");
        std::os::unix::fs::symlink(root.join("out"), root.join("linked")).expect("linked");
        let own = ".gatehouse/runs/1";
        for refused in [
            "out/a.md",
            "linked/b.md",
            "gatehouse.yaml",
            "Gatehouse.YML",
            ".git/config",
            "vendor/.GIT/hooks/x",
            ".gatehouse/history.db",
            ".gatehouse/runs/2/x",
            "flow.yaml",
            "prose.sh",
        ] {
            assert!(to_write(&root, refused, own).is_err(), "{refused}");
        }
        for refused in ["flow.yaml", "prose.sh", ".gatehouse/runs/1/x"] {
            assert!(
                to_write(&root, refused, "").is_err(),
                "{refused} where nothing is one's own"
            );
        }
        for taken in [
            "out/b.md",
            "new/folder/c.md",
            ".gatehouse/runs/1/x",
            "docs/gatehouse.yaml",
            ".github/x",
        ] {
            assert!(to_write(&root, taken, own).is_ok(), "{taken}");
        }
    }
}
