//! What decides over runs, and what a run's programs are kept from.

use crate::Error;
use crate::config::{Config, OPERATOR_FILE};
use crate::pipeline::Folder;
use crate::project::{self, Escape};
use crate::workflows;
use permission::{Kind, Policy};
use process::Limits;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};
use store::below::{self, Whose};
use store::regular::NotRead;
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
const INTERPRETERS: [&str; 15] = [
    "source", "sh", "bash", "dash", "zsh", "ksh", "python", "node", "deno", "bun", "ruby", "perl", "php", "lua",
    "Rscript",
];

/// Options of interpreters whose value is executed too.
const LOADED: [&str; 5] = ["-r", "--require", "--import", "--loader", "--preload"];

/// What changes who may do what with a file, and nothing in it.
const RIGHTS: [&str; 5] = ["chmod", "chown", "chgrp", "setfacl", "chattr"];

/// Read as a shell reads it, with what stands in lists, branches, substitutions and in the arguments of programs that run others. Files that the
/// command writes itself before or after are its own work: they are left out.
fn named(root: &Path, command: &str) -> Vec<String> {
    let commands: Vec<Vec<String>> = permission::uses("sh", command)
        .of(Kind::Run)
        .filter_map(|need| shlex::split(&need.what))
        .collect();
    // Who may execute a file says nothing of what is in it.
    let contents = RIGHTS
        .iter()
        .fold(command.to_owned(), |text, program| text.replace(program, ":"));
    let written: Vec<String> = permission::uses("sh", &contents)
        .of(Kind::Write)
        .filter_map(|need| shlex::split(&need.what)?.into_iter().next())
        .filter_map(|word| file(root, here(&word)))
        .collect();
    // What a program is given is named from the folder that it stands in: each that the command enters, from its own and from the one before.
    let words = shlex::split(command).unwrap_or_default();
    let entered = commands.iter().map(Vec::as_slice).chain(words.windows(2));
    let mut folders: Vec<String> = Vec::new();
    for words in entered.filter(|words| words.len() > 1 && words[0].trim_start_matches('(') == "cd") {
        let to = here(words[1].trim_end_matches([';', ')'])).to_owned();
        let behind: Vec<String> = folders.iter().map(|folder| format!("{folder}/{to}")).collect();
        folders.extend(behind);
        folders.push(to);
        // Whoever changes it so often means something else.
        folders.truncate(64);
    }
    let mut found = Vec::new();
    for words in &commands {
        let Some((program, rest)) = words.split_first() else {
            continue;
        };
        if let Some(program) = file(root, here(program)) {
            found.push(program);
            continue;
        }
        let name = program.rsplit('/').next().unwrap_or(program);
        if !INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')) {
            continue;
        }
        let given = |word: &str| {
            let elsewhere = || {
                folders
                    .iter()
                    .find_map(|folder| file(root, &format!("{folder}/{word}")))
            };
            file(root, here(word)).or_else(elsewhere)
        };
        let is_shell = ["sh", "bash", "dash", "zsh", "ksh"].contains(&name);
        for (at, word) in rest.iter().enumerate() {
            // The program itself; what follows is what it works on. A shell's is read above.
            if word == "-c" || !is_shell && ["-e", "--eval"].contains(&word.as_str()) {
                break;
            }
            let is_loaded = at > 0 && LOADED.contains(&rest[at - 1].as_str());
            let executed = given(word);
            let ends = executed.is_some() && !is_loaded;
            found.extend(executed);
            if ends {
                break;
            }
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|path| !written.contains(path) && seen.insert(path.clone()));
    found
}

/// A word without the folder that every command begins in.
fn here(word: &str) -> &str {
    word.strip_prefix("$PWD/").unwrap_or(word)
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

/// The file at a path of the project that [`to_write`] allows; no link is followed. `limit`: of its size, in bytes.
///
/// # Errors
/// [`NotRead`].
pub(crate) fn read(root: &Path, relative: &str, limit: u64) -> Result<Vec<u8>, NotRead> {
    below::read_straight(root, relative, limit)
}

/// One file, whole or not at all, at a path of the project that [`to_write`] allows; a link that has come in its way since is not followed.
/// `executable`: whether it may be executed, absent: as what stood there.
///
/// # Errors
/// What the system says.
pub(crate) fn write(root: &Path, relative: &str, bytes: &[u8], executable: Option<bool>) -> std::io::Result<()> {
    put(root, relative.as_ref(), executable, |file| file.write_all(bytes))
}

/// The same, for good, of a file that its person may keep in a folder behind a link: one that stays inside is followed as it stands.
///
/// # Errors
/// What the system says, also that a link leads out.
pub(crate) fn write_behind_links(root: &Path, relative: &str, text: &str) -> std::io::Result<()> {
    let path = Path::new(relative);
    let folder = path.parent().unwrap_or(Path::new(""));
    let to = resolved(root, folder)?.join(path.file_name().unwrap_or_default());
    put(root, &to, None, |file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    })
}

/// A folder of the project as the links on the way to it lead, from the project's folder; what is missing of it stays as it is written.
///
/// # Errors
/// What the system says, also that a link leads out.
fn resolved(root: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    for around in folder.ancestors() {
        match root.join(around).canonicalize() {
            Ok(real) => {
                let inside = real.strip_prefix(root).map_err(|_| NotRead::Elsewhere)?;
                return Ok(inside.join(folder.strip_prefix(around).map_err(|_| NotRead::Elsewhere)?));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::NotFound.into())
}

fn put(
    root: &Path,
    path: &Path,
    executable: Option<bool>,
    fill: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let top = below::Folder::open(root)?;
    #[cfg(unix)]
    let there = top.file(path).ok().and_then(|file| file.metadata().ok());
    #[cfg(unix)]
    let mode = {
        use std::os::unix::fs::PermissionsExt;
        // What stood there keeps what it let others do.
        let there = there.as_ref().map(|there| there.permissions().mode() & 0o777);
        match (there.unwrap_or(0o644), executable) {
            // Whoever may read it may execute it then.
            (mode, Some(true)) => Some(mode | (mode & 0o444) >> 2),
            (mode, Some(false)) => Some(mode & !0o111),
            // Where nothing stood it is as any new file.
            (_, None) => there,
        }
    };
    top.replace(path, Whose::Anyones, |file| {
        #[cfg(unix)]
        if let Some(there) = &there {
            use std::os::unix::fs::MetadataExt;
            use std::os::unix::fs::fchown;
            // It stays whose it was. Whoever may not give it away may still leave it to its group.
            let _ = fchown(&*file, None, Some(there.gid()));
            let _ = fchown(&*file, Some(there.uid()), None);
        }
        #[cfg(unix)]
        if let Some(mode) = mode {
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
        }
        fill(file)
    })
}

/// Gives a new file what another one holds, and its rights, but none by which it runs as somebody else. `besides`: rights that it has anyway.
pub(crate) fn fill(source: &mut File, target: &mut File, besides: u32) -> std::io::Result<()> {
    std::io::copy(source, target)?;
    let mut rights = source.metadata()?.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        rights.set_mode(rights.mode() & 0o777 | besides);
    }
    #[cfg(not(unix))]
    let _ = besides;
    target.set_permissions(rights)
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
        let mut wrong = Vec::new();
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
            // What it writes itself.
            ("echo x > a.sh; sh a.sh", vec![]),
            ("echo x >>a.sh && sh a.sh && sh b.sh 2>&1", vec!["b.sh"]),
            ("cat data.json | tee a.sh > /dev/null; sh a.sh", vec![]),
            ("cp b.sh a.sh && sh a.sh", vec![]),
            ("mv data.json a.sh; sh a.sh", vec![]),
            ("echo x > \"$PWD/a.sh\"; sh a.sh", vec![]),
            ("sh -c 'echo x > a.sh'; sh a.sh", vec![]),
            ("cd agents; echo x > read.py; python3 read.py", vec![]),
            ("chmod +x a.sh; ./a.sh", vec!["a.sh"]),
            ("echo x > a.sh; chmod +x a.sh; ./a.sh", vec![]),
            ("python3 -c 'print(1)' data.json", vec![]),
            ("node -e 'x' data.json; sh -e a.sh", vec!["a.sh"]),
            ("sh -c 'cd agents && python3 read.py'", vec!["agents/read.py"]),
            ("(cd agents && python3 read.py)", vec!["agents/read.py"]),
            ("cd . && cd agents && python3 read.py", vec!["agents/read.py"]),
            // What only looks so.
            ("grep -c '>' a.sh; sh a.sh", vec!["a.sh"]),
            ("echo \\> a.sh; sh a.sh", vec!["a.sh"]),
            ("cat <<X\n> a.sh\nX\nsh a.sh", vec!["a.sh"]),
            // Wherever a command stands.
            ("(sh a.sh)", vec!["a.sh"]),
            ("{ sh a.sh; }", vec!["a.sh"]),
            ("if true; then sh a.sh; fi", vec!["a.sh"]),
            ("for x in 1 2; do ./a.sh; done", vec!["a.sh"]),
            ("! ./a.sh", vec!["a.sh"]),
            ("f() { ./a.sh; }; f", vec!["a.sh"]),
            ("echo $(./a.sh)", vec!["a.sh"]),
            (". ./a.sh", vec!["a.sh"]),
            ("sh $PWD/a.sh", vec!["a.sh"]),
            ("echo x | xargs ./a.sh", vec!["a.sh"]),
            ("find . -name x -exec sh a.sh {} +", vec!["a.sh"]),
            ("env -S 'sh a.sh'", vec!["a.sh"]),
            ("trap 'sh a.sh' EXIT", vec!["a.sh"]),
            ("eval sh a.sh", vec!["a.sh"]),
        ] {
            if named(root, command) != files {
                wrong.push(format!("{command}: {:?}", named(root, command)));
            }
        }
        assert_eq!(wrong, [""; 0]);
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

    #[cfg(unix)]
    #[test]
    fn a_link_that_comes_in_the_way_of_what_was_allowed_is_not_written_through() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir_all(root.join("out/in")).expect("made");
        std::fs::create_dir_all(root.join(".git/hooks/in")).expect("made");
        for linked in ["out", "out/in"] {
            to_write(&root, "out/in/pre-commit", "").expect("nothing is in the way yet");
            std::fs::rename(root.join(linked), root.join("away")).expect("moved");
            std::os::unix::fs::symlink(root.join(".git/hooks"), root.join(linked)).expect("linked");
            assert!(write(&root, "out/in/pre-commit", b"mine", None).is_err(), "{linked}");
            std::fs::remove_file(root.join(linked)).expect("removed");
            std::fs::rename(root.join("away"), root.join(linked)).expect("put back");
        }
        let hooks = std::fs::read_dir(root.join(".git/hooks/in")).expect("there");
        assert_eq!(hooks.count(), 0);
        write(&root, "out/in/pre-commit", b"mine", Some(true)).expect("written");
        let about = root.join("out/in/pre-commit").metadata().expect("there");
        assert!(store::regular::is_executable(&about));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_behind_a_link_is_written_to_where_the_link_stays_inside() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        let outside = tempfile::tempdir().expect("another one");
        std::fs::create_dir_all(root.join("plans/all")).expect("made");
        std::os::unix::fs::symlink("plans/all", root.join("pipelines")).expect("linked");
        std::os::unix::fs::symlink(outside.path(), root.join("out")).expect("linked");
        write_behind_links(&root, "pipelines/a.yaml", "a").expect("written");
        write_behind_links(&root, "new/b.yaml", "b").expect("written");
        write_behind_links(&root, "pipelines/of/ours/d.yaml", "d").expect("written");
        assert!(write_behind_links(&root, "out/c.yaml", "c").is_err());
        assert!(write_behind_links(&root, "out/of/c.yaml", "c").is_err());
        let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("there");
        assert_eq!((read("plans/all/a.yaml"), read("new/b.yaml")), ("a".into(), "b".into()));
        assert_eq!(read("plans/all/of/ours/d.yaml"), "d");
        assert_eq!(std::fs::read_dir(outside.path()).expect("there").count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_written_over_stays_whose_it_was() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        let file = root.join("a.yaml");
        std::fs::write(&file, "1").expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("set");
        // Few accounts may give a file away.
        let is_given = chown(&file, Some(1), Some(1)).is_ok();
        write_behind_links(&root, "a.yaml", "2").expect("written");
        let about = file.metadata().expect("there");
        assert_eq!(about.mode() & 0o777, 0o640);
        if is_given {
            assert_eq!((about.uid(), about.gid()), (1, 1));
        }
    }
}
