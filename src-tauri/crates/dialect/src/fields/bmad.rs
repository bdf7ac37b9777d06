//! Workflow files of the BMAD method. What their instructions ask for is told where that is read.

use super::ask::{next_flow, other_end};
use super::flow::{CONTEXT, END_HELP, ENDING, FEEDBACK, SUBFLOW_HELP};
use super::{Level, done, idle, kept, level, read, refused};

const NO_CHECKLIST: &str = "no checklist is gone through by itself; make it a step of the instructions";
const NO_SEARCH: &str = "no files are looked for; agents are told what the instructions name";
const BY_FILE: &str = "which file a step makes is said by `default_output_file`, or by `file` of `<template-output>`";

pub(super) static ROOT: Level = level(&[
    done("name"),
    done("title"),
    done("description"),
    done("instructions"),
    // Where the file lies; one that says otherwise is named where it is read.
    read("installed_path"),
    done("template"),
    done("default_output_file"),
    done("variables"),
    done("agent"),
    done("agents"),
    done("phase"),
    read("author"),
    read("version"),
    read("module"),
    done("context").only_block(&CONTEXT),
    done("feedback").block(&FEEDBACK),
    read("tags"),
    read("date"),
    read("standalone"),
    read("autonomous"),
    read("web_bundle"),
    kept(
        "config_source",
        "what it holds is not read; agents are told such names as they are written, and names in paths are asked for",
    ),
    kept("input_file_patterns", NO_SEARCH),
    kept("recommended_inputs", NO_SEARCH),
    idle("validation", NO_CHECKLIST),
    idle("validation_output_file", NO_CHECKLIST),
    idle("default_output_files", BY_FILE),
    idle("required_tools", "no step calls a tool by itself"),
    idle("hooks", "nothing is called at the beginning or the end"),
    refused("on_complete", other_end, END_HELP).block(&ENDING),
    refused("on_failure", other_end, END_HELP).block(&ENDING),
    refused("next_flow", next_flow, SUBFLOW_HELP),
]);
