//! `gatehouse`: the command line. Thin: every command is one call of the façade and its printing.
//!
//! Exit codes: 0 done; 1 the run failed, or damage was found; 2 the workflow is invalid; 3 refused; 64 wrong usage;
//! 70 an internal fault.

mod answer;
mod arguments;
mod check;
mod checkpoint;
mod compare;
mod decisions;
mod events;
mod evidence;
mod explain;
mod hint;
mod keep;
mod keyboard;
mod list;
mod out;
mod output;
mod people;
mod pipeline;
mod pipeline_ask;
mod pipeline_words;
mod project;
mod run;
mod serve;
mod session;
mod stop;
mod test;

use arguments::{Arguments, Command};
use clap::{CommandFactory, Parser};
use out::{Exit, Failure};
use std::process::ExitCode;
use studio::run::view::RunAction;

/// Has all threads allocate from one arena, before there is a second one. Each would keep what it has once used, and few wait for each other: most
/// of the work is one thread's. Only files are checked by several at once, which would wait for each other more than they work.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "C has a function for it")]
fn one_arena() {
    unsafe extern "C" {
        /// `mallopt(3)`.
        fn mallopt(parameter: std::ffi::c_int, value: std::ffi::c_int) -> std::ffi::c_int;
    }
    const M_ARENA_MAX: std::ffi::c_int = -8;
    // SAFETY: no other thread runs yet.
    unsafe { mallopt(M_ARENA_MAX, 1) };
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let asked = !error.use_stderr();
            let text = error.render();
            return match asked {
                true => {
                    out::lines(text.to_string().trim_end());
                    out::end(Exit::Done)
                }
                false => {
                    let _ = error.print();
                    ExitCode::from(64)
                }
            };
        }
    };
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if !matches!(arguments.command, Command::Check(_)) {
        one_arena();
    }
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("GATEHOUSE_LOG").unwrap_or_else(|_| "error".into()),
        )
        .with_writer(std::io::stderr)
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            return out::fail(&Failure::internal(format!(
                "The program could not start its threads: {error}."
            )));
        }
    };
    match runtime.block_on(carry_out(&arguments)) {
        Ok(exit) => out::end(exit),
        Err(failure) => out::fail(&failure),
    }
}

async fn carry_out(arguments: &Arguments) -> Result<Exit, Failure> {
    let at = arguments.project.as_deref();
    match &arguments.command {
        Command::Check(a) => check::check(at, a),
        Command::Test(a) => test::test(at, a),
        Command::Run(a) => run::run(at, a).await,
        Command::Pipeline(a) => pipeline::pipeline(at, a).await,
        Command::Trust(a) => project::trust(at, a),
        Command::People(a) => people::people(at, a),
        Command::List(a) => list::list(at, a).await,
        Command::Status(a) => list::status(at, a).await,
        Command::Compare(a) => compare::compare(at, a).await,
        Command::Decisions(a) => decisions::decisions(at, a).await,
        Command::Evidence(a) => evidence::evidence(at, a).await,
        Command::Answer(a) => answer::answer(at, a).await,
        Command::Pause(a) => answer::act(at, a, RunAction::Pause).await,
        Command::Resume(a) => run::resume(at, a).await,
        Command::Checkpoint(a) => checkpoint::make(at, a).await,
        Command::Checkpoints(a) => checkpoint::all(at, a).await,
        Command::RestoreCheckpoint(a) => checkpoint::restore(at, a).await,
        Command::Goto(a) => answer::act(at, a, RunAction::Jump).await,
        Command::Abort(a) => answer::act(at, a, RunAction::Abort).await,
        Command::Events(a) => events::events(at, a).await,
        Command::Output(a) => output::output(at, a),
        Command::Verify(a) => keep::verify(at, a),
        Command::Report(a) => keep::report(at, a),
        Command::Bundle(a) => keep::bundle(at, a),
        Command::Rebuild(a) => keep::rebuild(at, a),
        Command::Backup(a) => keep::back_up(at, a),
        Command::Restore(a) => keep::restore(at, a),
        Command::Session(a) => session::session(at, a),
        Command::Explain(a) => explain::explain(a),
        Command::Serve(a) => serve::serve(at, a).await,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "gatehouse", &mut script);
            out::lines(String::from_utf8_lossy(&script).trim_end());
            Ok(Exit::Done)
        }
    }
}
