//! Fuzz targets: what must hold for a runbook, for a pipeline, for a StepSpec workflow and for a script of any content.
//!
//! `npm run fuzz` builds the four programs with the compiler's coverage and lets libFuzzer search (`.ci/fuzz.mjs`). Built
//! plainly, the programs go over the files that are named once; `tests/seeds.rs` does so with the seeds in every `cargo test`.
//!
//! * [`input`]: bytes as a text and the choices that are made about it.
//! * [`rundown()`]: [`reading`], [`editing`], [`running`]. [`pipeline()`]: [`pipeline`](mod@pipeline). [`stepspec()`]:
//!   [`stepspec`](mod@stepspec). [`script()`]:
//!   [`script`](mod@script).
//!
//! A property that does not hold panics: that is how libFuzzer learns of it.

pub mod editing;
pub mod input;
pub mod pipeline;
pub mod reading;
pub mod running;
pub mod script;
pub mod stepspec;

use dialect::Document;
use input::Input;

pub use pipeline::pipeline;
pub use script::script;
pub use stepspec::stepspec;

/// The name under which texts are read: it makes them runbooks.
pub const FILE: &str = "f.runbook.md";

/// Everything that is demanded of a runbook of any content: it is read, printed, drawn, changed and carried out.
///
/// # Panics
/// Something that must hold does not.
pub fn rundown(data: &[u8]) {
    let mut input = Input::of(data);
    let document = Document::parse(FILE, &input.text);
    reading::check(&document);
    let mut choices = input.choices();
    editing::check(&document, &mut choices);
    running::check(&document, &mut choices);
    if choices.one_in(64) {
        reading::grown(&document, &mut choices);
    }
}

/// Goes over the files that are named, once: a finding is looked at with a debugger and without the fuzzer.
pub fn once(target: fn(&[u8])) -> std::process::ExitCode {
    for file in std::env::args_os().skip(1) {
        match std::fs::read(&file) {
            Ok(data) => target(&data),
            Err(_) => return std::process::ExitCode::FAILURE,
        }
    }
    std::process::ExitCode::SUCCESS
}
