//! Names in `gatehouse.yaml` that nothing has: a rule about them holds nothing, and nobody would notice.

use crate::attempt::tool_names;
use crate::config::{self, CONFIG_FILE, Config};
use crate::file_fault::FileFault;
use model::cel;
use std::path::Path;

/// So many of them are named.
const MOST: usize = 20;

/// One sentence for each tool in a list that the project does not have, and for each workflow of `permissions.runbooks` that is not there.
/// `config`: what the file in the project's folder says.
pub fn names(root: &Path, config: &Config) -> Vec<FileFault> {
    let all = tools(config)
        .into_iter()
        .chain(workflows(root, config))
        .chain(folders(root, config));
    let text = Config::text(root).unwrap_or_default();
    all.take(MOST)
        .map(|fault| fault.placed(config::without_mark(&text)))
        .collect()
}

fn tools(config: &Config) -> Vec<FileFault> {
    let rules = &config.around.tools;
    if rules.allowlist.is_empty() && rules.blocklist.is_empty() {
        return Vec::new();
    }
    let known = tool_names(config);
    let lists = [("allowlist", &rules.allowlist), ("blocklist", &rules.blocklist)];
    let named = lists
        .into_iter()
        .flat_map(|(list, names)| names.iter().enumerate().map(move |(at, name)| (list, at, name)));
    named
        .filter(|(_, _, name)| !known.contains(name))
        .map(|(list, at, name)| {
            let said = format!("`tools.{list}[{at}]` is `{name}`, which is the name of no tool here");
            let hint = match cel::nearest(name, known.iter().map(String::as_str)) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!("The tools of this project are {}.", known.join(", ")),
            };
            FileFault::new(CONFIG_FILE, said).hint(hint)
        })
        .collect()
}

fn workflows(root: &Path, config: &Config) -> Vec<FileFault> {
    let overrides = config.permissions.overrides.iter().map(|one| one.workflows.as_str());
    // A pattern may mean what comes to lie there.
    let named = overrides.filter(|path| !path.contains(['*', '?', '[', '{', '\\']));
    named
        .filter_map(|path| {
            let is_from_project = !path.starts_with(['/', '~']) && !path.split('/').any(|part| part == "..");
            let why = match root.join(path).exists() {
                true if is_from_project => return None,
                true => "which is not its path from the project's folder: they hold for nothing",
                false => "and there is no such file",
            };
            Some((path, why))
        })
        .map(|(path, why)| {
            let said = format!("`permissions.runbooks` has rules for `{path}`, {why}");
            let hint = "Write the workflow's path from the project's folder, or remove the rules.";
            FileFault::new(CONFIG_FILE, said).hint(hint)
        })
        .collect()
}

/// Rules that deny a folder and nothing in it.
fn folders(root: &Path, config: &Config) -> Vec<FileFault> {
    let base = &config.permissions.base;
    let rules = [("read", &base.read.deny), ("write", &base.write.deny)];
    let named = rules
        .into_iter()
        .flat_map(|(kind, rules)| rules.iter().map(move |rule| (kind, rule)));
    let of_folders = named.filter(|(_, rule)| {
        let path = rule.trim_end_matches('/');
        !path.contains(['*', '?', '[', '{', '\\', '~']) && root.join(path).is_dir()
    });
    of_folders
        .map(|(kind, rule)| {
            let said = format!("`permissions.{kind}.deny` names the folder `{rule}`, and nothing that lies in it");
            let hint = format!("Write `{}/**` for all that lies in it.", rule.trim_end_matches('/'));
            FileFault::new(CONFIG_FILE, said).hint(hint)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_nothing_has_are_notes() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| std::fs::write(root.path().join(name), text).expect("a file");
        write("there.runbook.md", "# There\n");
        write(
            CONFIG_FILE,
            "tools:\n  allowlist: [lspHover, spell, search]\n  blocklist: [WriteTextFile, writeTextFile, wrteTextFile, nothing]\n  \
             declared:\n    - {name: spell, command: sh spell.sh}\n    - {name: search, mcp: notes}\nmcp: {notes: node notes.mjs}\n\
             permissions:\n  runbooks: {there.runbook.md: {mode: ask}, ./there.runbook.md: {mode: ask}, \"ops/*.md\": {mode: deny}, gone.runbook.md: {mode: deny}}\n",
        );
        let config = Config::load(root.path()).expect("usable");
        assert!(config.notes.is_empty(), "{:?}", config.notes);
        let notes = names(root.path(), &config);
        let said: Vec<String> = notes.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 4, "{said:?}");
        for (note, (begins, hint)) in notes.iter().zip([
            (
                "`tools.blocklist[0]` is `WriteTextFile`",
                "Did you mean `writeTextFile`?",
            ),
            (
                "`tools.blocklist[2]` is `wrteTextFile`",
                "Did you mean `writeTextFile`?",
            ),
            ("`tools.blocklist[3]` is `nothing`", "The tools of this project are "),
            (
                "`permissions.runbooks` has rules for `gone.runbook.md`",
                "Write the workflow's path",
            ),
        ]) {
            assert!(note.message.starts_with(begins), "{note}");
            assert!(note.line.is_some(), "{note}");
            assert!(
                note.hint.as_ref().is_some_and(|said| said.starts_with(hint)),
                "{note:?}"
            );
        }
    }
}
