//! The remedy pages of this crate's own codes.

use model::diagnostic::CodePage;

macro_rules! page {
    ($code:literal, $title:literal, $file:literal) => {
        CodePage {
            code: $code,
            title: $title,
            page: include_str!(concat!("pages/", $file, ".md")),
        }
    };
}

/// Every code this crate reports, in order.
pub static PAGES: &[CodePage] = &[
    page!("GH0101", "Text that cannot be read", "syntax"),
    page!("GH0102", "More than one document in a file", "second_document"),
    page!("GH0103", "A field written twice", "duplicate_key"),
    page!("GH0104", "A field of another type", "wrong_type"),
    page!("GH0105", "Not a workflow", "not_a_workflow"),
    page!("GH0106", "A step without an id", "step_without_id"),
    page!("GH0107", "Routing without a kind", "routing_without_kind"),
    page!("GH0108", "Routing that is not carried out", "unknown_kind"),
    page!("GH0109", "A gate that is not understood", "gate_word"),
    page!("GH0110", "A comparison that is not known", "unknown_comparison"),
    page!("GH0111", "A question that nobody is asked", "gate_without_effect"),
    page!("GH0112", "An edge that leaves nothing", "stray_edge"),
    page!("GH0113", "Repetition past all measure", "too_much"),
    page!("GH0114", "A listed file that is not there", "listed_file"),
    page!("GH0115", "A fork or join that is not clear", "unsound_join"),
    page!("GH0116", "A listed workflow that cannot be run", "listed_workflow"),
    page!("GH0117", "Settings that cannot be used", "settings_unusable"),
    page!("GH0118", "A setting without effect", "settings_without_effect"),
    page!("GH0119", "JSON that is read here alone", "lenient_json"),
    page!("GH0120", "One name asked in two ways", "asked_two_ways"),
    page!("GH0201", "A heading on the wrong level", "runbook_heading"),
    page!("GH0202", "Numbered and dynamic steps mixed", "runbook_pattern"),
    page!("GH0203", "Numbers out of order", "runbook_sequence"),
    page!("GH0204", "Parts of a step out of order", "runbook_order"),
    page!("GH0205", "More than one kind of body", "runbook_body"),
    page!("GH0206", "More than one command", "runbook_commands"),
    page!("GH0207", "RETRY inside of RETRY", "runbook_nested_retry"),
    page!("GH0208", "A word of the format as a name", "runbook_reserved"),
    page!("GH0209", "A heading without an identifier", "runbook_identifier"),
    page!("GH0210", "A substep of another step", "runbook_prefix"),
    page!("GH0211", "A jump that is not possible from there", "runbook_jump"),
    page!("GH0212", "ALL and ANY that contradict each other", "runbook_modifiers"),
    page!("GH0213", "Two transitions for one outcome", "runbook_twice"),
    page!("GH0214", "A transition that is not understood", "runbook_transition"),
    page!("GH0215", "Words behind a fence", "runbook_info"),
    page!("GH0216", "A runbook without steps", "runbook_no_steps"),
    page!("GH0217", "Front matter that cannot be read", "runbook_front"),
    page!("GH0218", "Somebody for a step that does not exist", "runbook_agents"),
    page!("GH0219", "A step that is never reached", "runbook_never"),
    page!("GH0220", "Two orders in one file", "runbook_mixed_order"),
    page!("GH0221", "Transitions above the text", "runbook_first"),
    page!("GH0222", "A code block that is never closed", "runbook_unclosed"),
    page!("GH0223", "Transitions without colons", "runbook_colons"),
    page!("GH0224", "What later runbooks have", "runbook_later"),
    page!("GH0225", "A step without a body", "runbook_empty"),
    page!("GH0301", "A pipeline without stages", "pipeline_no_stages"),
    page!("GH0302", "A stage without a name", "pipeline_stage_name"),
    page!("GH0303", "A way to fail that is not known", "pipeline_error_handling"),
    page!("GH0304", "A status that is not known", "pipeline_status"),
    page!("GH0305", "An id of another shape", "pipeline_id"),
    page!("GH0306", "A file that is not named like its id", "pipeline_file_name"),
    page!("GH0307", "Both agent and agents", "pipeline_agents"),
    page!("GH0308", "A stage that does two things", "pipeline_two_works"),
    page!("GH0309", "Dependencies that are no list", "pipeline_depends_on"),
    page!(
        "GH0310",
        "Settings for retries without retries",
        "pipeline_retry_settings"
    ),
    page!("GH0311", "Two stages with one folder", "pipeline_folder"),
    page!("GH0312", "A stage that is written elsewhere", "pipeline_alias"),
    page!("GH0313", "Parallel to nothing", "pipeline_alone"),
    page!("GH0401", "A StepSpec file without steps", "stepspec_no_steps"),
    page!("GH0402", "A step without id or name", "stepspec_step_named"),
    page!("GH0403", "Fields left out", "stepspec_left_out"),
    page!("GH0404", "A field in another form", "stepspec_form"),
    page!(
        "GH0405",
        "An output outside of the output folders",
        "stepspec_output_folder"
    ),
    page!("GH0406", "A template among the outputs", "stepspec_output_template"),
    page!("GH0407", "An empty path", "stepspec_empty_path"),
    page!("GH0408", "A path that leads out", "stepspec_leaves"),
    page!(
        "GH0409",
        "A placeholder that stands for nothing",
        "stepspec_placeholder"
    ),
    page!("GH0410", "An evidence level that is not known", "stepspec_evidence"),
    page!("GH0411", "Less than no retries", "stepspec_negative"),
    page!("GH0412", "A tool call that is a name alone", "stepspec_tool_short"),
    page!("GH0413", "A tool call without a name", "stepspec_tool_name"),
    page!("GH0414", "A risk that is not known", "stepspec_risk"),
    page!("GH0415", "Targets of validation that are no list", "stepspec_targets"),
    page!(
        "GH0416",
        "A setting of the context that is not used",
        "stepspec_context"
    ),
    page!("GH0417", "A policy that names no check", "stepspec_policy"),
    page!("GH0418", "A step that is written elsewhere", "stepspec_alias"),
    page!("GH0419", "A question that cannot be asked so", "stepspec_question"),
    page!("GH0420", "Instructions that were not read", "bmad_instructions"),
    page!("GH0421", "A tag out of place", "bmad_tag"),
    page!("GH0422", "Numbers of steps that contradict the file", "bmad_number"),
    page!("GH0423", "A tool that nobody has", "stepspec_tool_unknown"),
    page!("GH0424", "A template that is not there", "stepspec_no_template"),
    page!(
        "GH0425",
        "Arguments that a tool does not take",
        "stepspec_tool_arguments"
    ),
    page!("GH0501", "Asked for, and not carried out", "not_carried_out"),
    page!("GH0502", "A field without effect", "without_effect"),
    page!("GH0503", "A field that looks misspelt", "misspelt_field"),
    page!("GH0504", "A condition that cannot be carried out", "condition"),
    page!("GH0505", "A flow that is to follow and does not", "next_flow"),
    page!("GH0506", "A detour that cannot be taken", "detour"),
    page!("GH0507", "A detour that is only offered", "detour_offered"),
    page!("GH0601", "A session that breaks its schema", "session_break"),
    page!("GH0602", "A context that is not as it must be", "context_break"),
    page!("GH0603", "A standard below the project's", "context_lower"),
    page!("GH0604", "Bounds of feedback that do not hold", "feedback_bounds"),
    page!("GH0701", "An agent workflow without steps", "agent_no_steps"),
    page!("GH0702", "An entry that is no step", "agent_entry"),
    page!("GH0703", "A word for a group that is not known", "agent_word"),
    page!("GH0704", "A group that is not there", "agent_group"),
    page!("GH0705", "Something taken before it is made", "agent_order"),
];

#[cfg(test)]
mod tests {
    use super::PAGES;

    /// Codes of texts in general, of stepwise flows and of settings, of runbooks, of pipelines, of StepSpec and BMAD, of what becomes of fields, of sessions
    /// and contexts, of agent workflows.
    const SERIES: [(&str, usize); 7] = [
        ("GH01", 20),
        ("GH02", 25),
        ("GH03", 13),
        ("GH04", 25),
        ("GH05", 7),
        ("GH06", 4),
        ("GH07", 5),
    ];

    #[test]
    fn every_page_has_its_parts() {
        let codes = SERIES
            .iter()
            .flat_map(|(series, count)| (1..=*count).map(move |n| format!("{series}{n:02}")));
        let given: Vec<&str> = PAGES.iter().map(|page| page.code).collect();
        assert_eq!(given, codes.collect::<Vec<_>>());
        for page in PAGES {
            assert!(
                page.page.starts_with(&format!("# {}: {}\n", page.code, page.title)),
                "{}",
                page.code
            );
            assert!(
                page.page.matches("\n```").count() >= 2,
                "{} shows an example",
                page.code
            );
            assert!(page.page.contains("## Mend it"), "{} says what to do", page.code);
        }
    }
}
