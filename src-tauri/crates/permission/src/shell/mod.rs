//! What a script of bash or sh needs, read from its text.
//!
//! * [`tree`]: the parser (tree-sitter's grammar of bash), held against what bash takes each word for; [`quoting`]: held against where
//!   quotes and substitutions end to a shell; [`walk`]: the way through the tree;
//!   [`reader`]: what all parts of the reading share.
//! * [`parts`]: words, redirections, assignments, expansions; [`word`]: quotes taken off;
//!   [`ansi`]: `$'…'`; [`braces`]: words in braces.
//! * [`own`]: names that the script gave a value itself; [`values`]: what names may hold; [`names`]: how they get it, and what is evaluated once more; [`steering`]: names that decide what
//!   runs; [`posix`]: what `sh` reads in another way than bash.
//! * [`splitting`]: words that may become others; [`held`]: what stands where the shell fills something in.
//! * [`simple`]: one command; [`wrappers`]: programs that run programs; [`telling`], [`sed`]: what makes others do so; [`files`], [`compared`]: arguments that are files;
//!   [`usage`]: which words of a program are options and their values.

mod ansi;
mod braces;
mod builtins;
mod compared;
mod files;
mod held;
mod names;
mod needs;
mod options;
mod own;
mod parts;
mod posix;
mod quoting;
mod reader;
mod sed;
mod simple;
mod splitting;
mod steering;
mod telling;
mod tree;
mod usage;
mod values;
mod walk;
mod word;
mod wrappers;

use crate::need::{Kind, Need, Uses};
use crate::text;
use sha2::{Digest as _, Sha256};

/// Names of languages that are read; no name is a shell too.
const SHELLS: &[&str] = &["", "bash", "sh", "shell", "zsh", "ksh", "dash", "ash"];

/// What a script needs, without running it: commands (those in pipes, lists, substitutions, functions and in the arguments of programs that
/// run programs too), files and variables, in the order of the script. What cannot be read, and a script in another language, is one
/// unclear need that holds its first line. `bash` is read as bash reads it; any other language is run by `sh`, and what shells do not
/// read alike is unclear there. Never fails; takes time in proportion to the text.
pub fn uses(language: &str, script: &str) -> Uses {
    let mut needs = needs::Needs::new();
    if script.trim().is_empty() {
        return Uses::default();
    }
    if !SHELLS.contains(&language.trim().to_ascii_lowercase().as_str()) {
        needs.add(Need::unclear(Kind::Run, text::first_line(script)));
        return bound(needs, language, script);
    }
    let read = |needs: &mut needs::Needs, foreseen: needs::Foreseen| {
        needs.patterns_vanish = foreseen.nullglob;
        let mut reader = reader::Reader {
            needs,
            depth: 0,
            functions_outside: 0,
            sets: Vec::new(),
            // As the engine has it: whatever is not `bash` is run by `sh`.
            posix: language != "bash",
            foreseen,
        };
        reader.script(script);
    };
    read(&mut needs, needs::Foreseen::default());
    // A script that changes its folder may run elsewhere what it has written down before, and take back functions that it runs again.
    let mut foreseen = needs.foreseen();
    if !foreseen.is_plain() {
        needs = needs::Needs::new();
        read(&mut needs, foreseen.clone());
        // Run elsewhere, it may lead further.
        if needs.found.leaves && !foreseen.leaves {
            foreseen.leaves = true;
            needs = needs::Needs::new();
            read(&mut needs, foreseen);
        }
    }
    bound(needs, language, script)
}

/// What was found, each need that is not known by its words alone bound to this very script in this language.
fn bound(needs: needs::Needs, language: &str, script: &str) -> Uses {
    // As long as a commit's name: nobody finds a second script for it.
    const SHOWN: usize = 40;
    let mut digest = hex::encode(Sha256::digest(format!("{language}\0{script}")));
    digest.truncate(SHOWN);
    let needs = needs.done().into_iter();
    Uses {
        needs: needs.map(|need| need.of_script(&digest)).collect(),
    }
}
