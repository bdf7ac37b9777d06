//! Modules of one crate that use each other in a circle, found in what the sources say with `use`, `crate::`, `super::` and
//! `self::`. A folder's `mod.rs` stands for the names that it imports or hands on: who takes one of those uses the module
//! that has it. What a parent calls in its children by their bare names is not counted: a folder and its own files are one
//! thing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A module as its names from the root of the crate; none: the root itself.
pub type Module = Vec<String>;

/// The circles of a crate, each as the sorted names of its modules. `files`: its sources without those of tests.
pub fn circles(src: &Path, files: &[(PathBuf, String)]) -> Vec<Vec<String>> {
    let of = |file: &Path| {
        let inside = file
            .strip_prefix(src)
            .expect("a source of the crate")
            .with_extension("");
        let mut parts: Module = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
            parts.pop();
        }
        parts
    };
    let modules: BTreeMap<Module, String> = files.iter().map(|(file, text)| (of(file), bare(text))).collect();
    let graph: BTreeMap<&Module, BTreeSet<&Module>> = modules
        .iter()
        .map(|(module, text)| (module, used(&modules, module, text)))
        .collect();
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = graph.keys().map(|from| (*from, reach(&graph, from))).collect();
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for (module, to) in reached.iter().filter(|(module, to)| to.contains(**module)) {
        let both = to.iter().filter(|other| reached[**other].contains(*module));
        found.insert(both.map(|other| other.join("::")).collect());
    }
    found.into_iter().collect()
}

fn reach<'a>(graph: &BTreeMap<&'a Module, BTreeSet<&'a Module>>, from: &Module) -> BTreeSet<&'a Module> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&Module> = graph[from].iter().copied().collect();
    while let Some(module) = next.pop() {
        if seen.insert(module) {
            next.extend(graph[module].iter().copied());
        }
    }
    seen
}

/// The source without comments.
fn bare(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules that a module uses, itself left out.
fn used<'a>(modules: &'a BTreeMap<Module, String>, module: &Module, text: &str) -> BTreeSet<&'a Module> {
    let paths = ["crate::", "super::", "self::"].iter().flat_map(|root| {
        let starts = text.match_indices(root).map(|(at, _)| at);
        starts.filter(|at| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
    });
    paths
        .flat_map(|at| tree(&mut text[at..].chars().peekable(), &[]))
        .filter_map(|path| owner(modules, module, &path, 0))
        .filter(|target| *target != module)
        .collect()
}

/// The paths of a use tree: `a::{b, c::d}` is `a::b` and `a::c::d`. Any other path is a tree of one.
fn tree(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, before: &[String]) -> Vec<Vec<String>> {
    let mut path = before.to_vec();
    loop {
        blanks(chars);
        match chars.peek() {
            Some('{') => {
                chars.next();
                let mut all = Vec::new();
                loop {
                    blanks(chars);
                    match chars.peek() {
                        Some('}') | None => {
                            chars.next();
                            return all;
                        }
                        Some(',') => {
                            chars.next();
                        }
                        Some(_) => {
                            all.extend(tree(chars, &path));
                            // ` as name` and whatever else stands before the next comma.
                            while chars.peek().is_some_and(|c| !matches!(c, ',' | '}')) {
                                chars.next();
                            }
                        }
                    }
                }
            }
            Some('*') => {
                chars.next();
                path.push("*".to_owned());
                return vec![path];
            }
            _ => {}
        }
        let mut name = String::new();
        while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
            name.push(c);
        }
        if name.is_empty() {
            return vec![path];
        }
        path.push(name);
        let mut ahead = chars.clone();
        if (ahead.next(), ahead.next()) != (Some(':'), Some(':')) {
            return vec![path];
        }
        *chars = ahead;
    }
}

fn blanks(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while chars.next_if(|c| c.is_whitespace()).is_some() {}
}

/// The module that has what a path names, seen from a module. What a module only imports is looked for where it comes from.
fn owner<'a>(
    modules: &'a BTreeMap<Module, String>,
    from: &Module,
    path: &[String],
    depth: usize,
) -> Option<&'a Module> {
    let (mut base, mut rest) = (from.clone(), path);
    while let Some((first, behind)) = rest.split_first() {
        match first.as_str() {
            "crate" => base.clear(),
            "self" => {}
            "super" => drop(base.pop()),
            _ => break,
        }
        rest = behind;
    }
    while let Some((first, behind)) = rest.split_first() {
        base.push(first.clone());
        if !modules.contains_key(&base) {
            base.pop();
            break;
        }
        rest = behind;
    }
    let (found, text) = modules.get_key_value(&base)?;
    let Some(name) = rest.first().filter(|_| depth < 5) else {
        return Some(found);
    };
    Some(imported(modules, found, text, name, depth).unwrap_or(found))
}

/// Where a name comes from that a module imports.
fn imported<'a>(
    modules: &'a BTreeMap<Module, String>,
    module: &Module,
    text: &str,
    name: &str,
    depth: usize,
) -> Option<&'a Module> {
    let uses = text.match_indices("use ").filter(|(at, _)| {
        let line = text[..*at].rsplit('\n').next().unwrap_or_default().trim();
        line.is_empty() || line == "pub" || line.starts_with("pub(")
    });
    let paths = uses.flat_map(|(at, found)| tree(&mut text[at + found.len()..].chars().peekable(), &[]));
    paths
        .filter(|path| path.last().is_some_and(|last| last == name || last == "*"))
        .find_map(|path| {
            let target = owner(modules, module, &path, depth + 1)?;
            let has = |text: &str| {
                let words = ["struct", "enum", "trait", "fn", "type", "const", "static", "mod"];
                words.iter().any(|word| {
                    let said = format!("{word} {name}");
                    text.match_indices(&said)
                        .any(|(at, _)| !text[at + said.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
                })
            };
            let named = path.last().is_some_and(|last| last == name);
            (target != module && (named || has(&modules[target]))).then_some(target)
        })
}
