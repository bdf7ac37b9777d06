//! `npm run oracle [-- DIR] [--all]`: the recorded cases, run through the product. DIR is a whole oracle folder or one format's
//! folder in it; without it `../shared/oracle`. `--all` names every `may` case that differs too. Ends with one line `total: must P/T, should P/T, may P/T`.
//!
//! Exit codes: 0 every `must` passed (or the default folder is not on this machine); 1 one failed, or a total does not add
//! up; 2 the folder cannot be used.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that people and CI read"
)]

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (flags, folders): (Vec<_>, Vec<_>) = std::env::args_os().skip(1).partition(|word| word == "--all");
    let given = folders.into_iter().next().map(PathBuf::from);
    let folder = given
        .clone()
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/oracle"));
    if !folder.is_dir() {
        let shown = folder.display();
        if given.is_some() {
            eprintln!("error: {shown} is not a folder");
            eprintln!("hint: give a whole oracle folder, or the folder of one format in it");
            return ExitCode::from(2);
        }
        println!("The recorded cases ({shown}) are not on this machine: nothing was run.");
        return ExitCode::SUCCESS;
    }
    match tests::oracle::run(&folder) {
        Ok(tally) => {
            print!("{}", tally.print(!flags.is_empty()));
            if tally.holds() {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(1)
            }
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            eprintln!("hint: see the README of the folder for what belongs in it");
            ExitCode::from(2)
        }
    }
}
