//! What `sh` reads as bash does: the tree is bash's, and the shell behind `sh` is often dash. What the two read differently is read by
//! neither here: it makes the script unsound.

use tree_sitter::Node;

/// Parts of scripts that are bash's own.
const NODES: &[&str] = &[
    "ansi_c_string",
    "array",
    "brace_expression",
    "c_style_for_statement",
    "herestring_redirect",
    "process_substitution",
    "regex",
    "subscript",
    "translated_string",
    "ternary_expression",
    "postfix_expression",
];

/// Signs and words that are bash's own.
const SIGNS: &[&str] = &[
    "((", "))", "[[", "]]", "&>", "&>>", "|&", "<<<", "<(", ">(", "$[", "$\"", "$'", ";&", ";;&", "+=", "++", "--",
    "**", "=~", "function", "select", "coproc", "declare", "typeset", "unsetenv",
];

/// Signs that stand between `${NAME` and `}` in every shell.
const EXPANDING: &[&str] = &[
    "${", "}", "#", "##", "%", "%%", ":-", "-", ":=", "=", ":+", "+", ":?", "?",
];

/// Builtins of bash that are programs to `sh`, or unknown.
pub(super) const BUILTINS: &[&str] = &[
    "bind",
    "builtin",
    "caller",
    "compgen",
    "complete",
    "compopt",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "enable",
    "help",
    "history",
    "let",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "readarray",
    "shopt",
    "source",
    "suspend",
    "typeset",
];

/// Whether a leaf of the tree is the same to `sh`.
pub(super) fn alike(node: Node<'_>, parent: &str, source: &str) -> bool {
    let kind = node.kind();
    // A pattern of `case` without alternatives of its own.
    if kind == "extglob_pattern" {
        return !source.get(node.byte_range()).unwrap_or_default().contains('(');
    }
    if NODES.contains(&kind) || NODES.contains(&parent) {
        return false;
    }
    if parent == "arithmetic_expansion" && matches!(kind, "((" | "))") {
        return true;
    }
    // A number that is no descriptor.
    if matches!(kind, ">&" | "<&") {
        let rest = source.get(node.end_byte()..).unwrap_or_default().trim_start();
        return rest.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    }
    if kind == "$"
        && parent != "string"
        && source
            .get(node.end_byte()..)
            .is_some_and(|rest| rest.starts_with(['"', '\'']))
    {
        return false;
    }
    if !node.is_named() && parent == "expansion" {
        return EXPANDING.contains(&kind);
    }
    node.is_named() || !SIGNS.contains(&kind)
}
