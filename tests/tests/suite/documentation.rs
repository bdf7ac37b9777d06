//! What people read before they read code: links lead somewhere, pictures are there, the front page is one, and the
//! page of the command line knows every word that can be typed.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tests::program::gatehouse;

/// Lines of the front page: what a person reads before they decide whether to go on.
const FRONT_PAGE: usize = 150;
/// Characters of a line of the pages that are read in an editor, too.
const LINE: usize = 120;
/// Bytes of a picture.
const PICTURE: u64 = 150_000;

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let here = here.expect("the package lies in the repository");
    here.canonicalize().expect("it is there")
}

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// The files below a folder whose names end so.
fn below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            found.extend(below(&path, extension));
        } else if path.extension() == Some(OsStr::new(extension)) {
            found.push(path);
        }
    }
    found
}

/// A page: where its links and pictures lead, what is said in a picture's place, and the anchors of its headings.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    /// Target and words.
    pictures: Vec<(String, String)>,
    anchors: BTreeSet<String>,
}

impl Page {
    fn read(markdown: &str) -> Self {
        let mut page = Self::default();
        let mut heading: Option<String> = None;
        let mut picture: Option<(String, String)> = None;
        let mut before = BTreeMap::<String, usize>::new();
        for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Start(Tag::Link { dest_url, .. }) => page.links.push(dest_url.into_string()),
                Event::Start(Tag::Image { dest_url, .. }) => picture = Some((dest_url.into_string(), String::new())),
                Event::Text(words) | Event::Code(words) => {
                    if let Some((_, said)) = &mut picture {
                        said.push_str(&words);
                    } else if let Some(said) = &mut heading {
                        said.push_str(&words);
                    }
                }
                Event::End(TagEnd::Image) => page.pictures.extend(picture.take()),
                Event::End(TagEnd::Heading(_)) => {
                    let anchor = anchor(&heading.take().unwrap_or_default());
                    let times = before.entry(anchor.clone()).or_default();
                    page.anchors.insert(match *times {
                        0 => anchor,
                        again => format!("{anchor}-{again}"),
                    });
                    *times += 1;
                }
                _ => {}
            }
        }
        page
    }
}

/// The anchor that GitHub makes of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The pages by their paths.
fn pages() -> BTreeMap<PathBuf, Page> {
    let mut files = below(&root().join("docs"), "md");
    files.extend([root().join("README.md"), root().join("src-tauri/ARCHITECTURE.md")]);
    files
        .into_iter()
        .map(|file| (file.clone(), Page::read(&text(&file))))
        .collect()
}

/// A link of a page, resolved: the file and the anchor in it. `None`: it leads out of the repository's files.
fn resolved(page: &Path, link: &str) -> Option<(PathBuf, String)> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => page.to_owned(),
        file => page.parent().expect("a page lies in a folder").join(file),
    };
    Some((target.canonicalize().unwrap_or(target), anchor.to_owned()))
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let mut lost = Vec::new();
    let mut linked = BTreeSet::new();
    for (file, page) in &pages {
        for link in page.links.iter().chain(page.pictures.iter().map(|(target, _)| target)) {
            let Some((target, anchor)) = resolved(file, link) else {
                continue;
            };
            let anchored = anchor.is_empty() || pages.get(&target).is_some_and(|page| page.anchors.contains(&anchor));
            if !target.exists() || !target.starts_with(root()) || !anchored {
                lost.push(format!("{}: {link}", file.display()));
            }
            linked.insert(target);
        }
    }
    assert!(lost.is_empty(), "links that lead nowhere:\n{}", lost.join("\n"));
    let forgotten: Vec<_> = pages.keys().filter(|file| !linked.contains(*file)).collect();
    let front = root().join("README.md");
    assert!(
        forgotten.iter().all(|file| **file == front),
        "pages that no page leads to: {forgotten:?}"
    );
}

#[test]
fn headings_become_the_anchors_that_links_name() {
    let page =
        Page::read("# `hitl`\n\n## What it *does*, in words?\n\n## `mcp`, `checks`\n\n## `hitl`\n\n[a](#hitl)\n");
    let anchors: Vec<&str> = page.anchors.iter().map(String::as_str).collect();
    assert_eq!(anchors, ["hitl", "hitl-1", "mcp-checks", "what-it-does-in-words"]);
    assert_eq!(page.links, ["#hitl"]);
}

#[test]
fn every_picture_is_described_and_small() {
    let mut shown = BTreeSet::new();
    for (file, page) in pages() {
        for (target, words) in page.pictures {
            assert!(words.len() > 20, "{}: {target} is not described", file.display());
            shown.extend(resolved(&file, &target).map(|(target, _)| target));
        }
    }
    let pictures: BTreeSet<PathBuf> = below(&root().join("docs/pictures"), "png").into_iter().collect();
    assert_eq!(pictures, shown, "every picture is on a page, and no other file is");
    for picture in pictures {
        let bytes = picture.metadata().expect("it is there").len();
        assert!(bytes <= PICTURE, "{} has {bytes} bytes", picture.display());
    }
}

#[test]
fn the_front_page_is_a_front_page() {
    let front = text(&root().join("README.md"));
    let lines = front.lines().count();
    assert!(
        lines <= FRONT_PAGE,
        "README.md has {lines} lines: what is more belongs into docs/"
    );
    for command in ["npm start", "npm test"] {
        assert!(front.contains(command), "the front page does not name {command}");
    }
}

/// A row of a table cannot be broken; everything else can.
#[test]
fn the_front_page_and_the_map_are_wrapped() {
    for page in ["README.md", "src-tauri/ARCHITECTURE.md"] {
        let text = text(&root().join(page));
        let long = text.lines().enumerate();
        let long = long.filter(|(_, line)| !line.starts_with('|') && line.chars().count() > LINE);
        let long: Vec<String> = long.map(|(at, line)| format!("{page}:{}: {line}", at + 1)).collect();
        assert!(long.is_empty(), "longer than {LINE} characters:\n{}", long.join("\n"));
    }
}

#[test]
fn the_page_of_the_command_line_knows_every_command_and_option() {
    let page = text(&root().join("docs/command-line.md"));
    let mut missing = Vec::new();
    for command in commands(&[]) {
        let known = format!("`{command}");
        if !page.contains(&known) {
            missing.push(command.clone());
        }
        let mut parts: Vec<String> = vec![command.clone()];
        if command == "pipeline" {
            for inner in commands(&["pipeline"]) {
                if !page.contains(&format!("gatehouse pipeline {inner}")) {
                    missing.push(format!("pipeline {inner}"));
                }
                parts.push(format!("pipeline {inner}"));
            }
        }
        for part in parts {
            let words: Vec<&str> = part.split(' ').collect();
            for option in options(&words) {
                if !page.contains(&option) {
                    missing.push(format!("{part} {option}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "docs/command-line.md does not name: {missing:?}");
}

#[test]
fn the_page_of_the_configuration_knows_every_key() {
    let page = text(&root().join("docs/configuration.md"));
    // A key that means nothing is answered with those that would, block by block.
    let wrong = "zzz: 1\nruntime: {zzz: 1}\npipelines: {zzz: 1}\nenvironment: {zzz: 1}\n\
                 folders: {zzz: 1}\ntools: {zzz: 1}\nevidence: {zzz: 1}\nagents: {a: {engine: stub, zzz: 1}}\n";
    let config = runtime::config::Config::parse(Path::new("gatehouse.yaml"), wrong).expect("unknown keys are no fault");
    assert_eq!(config.notes.len(), 8, "{:?}", config.notes);
    // What protects is refused instead.
    let refused = ["hitl: {zzz: 1}\n", "hitl: {policy: {zzz: 1}}\n"].map(|wrong| {
        let read = runtime::config::Config::parse(Path::new("gatehouse.yaml"), wrong);
        read.expect_err("an unknown key")
    });
    for note in config.notes.iter().chain(&refused) {
        let known = note
            .message
            .split_once("known here: ")
            .expect("it lists the known ones")
            .1;
        for key in known.split(", ") {
            let forms = [format!("`{key}`"), format!(".{key}`"), format!("`{key}.")];
            assert!(
                forms.iter().any(|form| page.contains(form)),
                "docs/configuration.md does not name `{key}` ({note})"
            );
        }
    }
}

fn help(words: &[&str]) -> String {
    let program = gatehouse().expect("gatehouse is built");
    let said = std::process::Command::new(program).args(words).arg("--help").output();
    let said = said.expect("it starts");
    assert!(said.status.success(), "{words:?} --help");
    String::from_utf8_lossy(&said.stdout).into_owned()
}

/// The commands that a help lists.
fn commands(words: &[&str]) -> Vec<String> {
    let help = help(words);
    let listed = help.split_once("Commands:\n").expect("it lists commands").1;
    let listed = listed.split_once("\n\n").expect("something follows").0;
    let names = listed
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    let names: Vec<String> = names.filter(|name| *name != "help").map(str::to_owned).collect();
    assert!(names.len() > 3, "{help}");
    names
}

/// The long options of a command.
fn options(words: &[&str]) -> BTreeSet<String> {
    let help = help(words);
    let starts = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let named = starts.filter_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--")));
    let found: BTreeSet<String> = named.map(str::to_owned).collect();
    assert!(found.contains("--help"), "{help}");
    found
        .into_iter()
        .filter(|name| !["--help", "--version"].contains(&name.as_str()))
        .collect()
}
