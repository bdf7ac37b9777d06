//! Whether a path stays where it belongs.

use super::block::Context;
use crate::said::shortened;
use model::step::Output;
use model::{Place, Severity};

/// Whether a path, whatever its placeholders stand for, leads out of the folder it begins in: with `..` past its beginning, from the
/// root of a file system or of a drive. A text before the first placeholder is a folder like any other.
pub fn leaves(path: &str) -> bool {
    let path = path.trim();
    let path = path.strip_prefix("template:").unwrap_or(path);
    if path.starts_with('~') || is_absolute(path) {
        return true;
    }
    // What a placeholder stands for counts as one folder that nothing may climb out of.
    let mut depth = 0_usize;
    let mut floor = 0_usize;
    for part in path.split(['/', '\\']) {
        match part.trim() {
            "" | "." => {}
            ".." if depth <= floor => return true,
            ".." => depth -= 1,
            part => {
                depth += 1;
                if part.contains('{') {
                    floor = depth;
                }
            }
        }
    }
    false
}

/// Whether a path begins at the root of a file system or of a drive. It may lead into the project all the same, on one machine.
fn is_absolute(path: &str) -> bool {
    let is_drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    path.starts_with(['/', '\\']) || is_drive
}

/// What is said of a path that leads out.
pub(crate) fn leads_out(context: &mut Context<'_>, severity: Severity, place: Place, path: &str) {
    let why = match is_absolute(path.trim()) {
        true => "is an absolute path, where paths are written from their folder on",
        false => "leads out of its folder",
    };
    let said = format!("`{}` {why}", shortened(path));
    let help = "Nothing outside of the project's folders is read or written; write the path without `..` and without a beginning of `/`";
    context.report("GH0408", severity, place, said, Some(help));
}

/// Names the outputs of a step that no run looks for, since they lead out of the project; it runs all the same. What is said in words is nobody's path.
pub(crate) fn made_inside(context: &mut Context<'_>, place: &Place, outputs: &[String]) {
    for (n, written) in outputs.iter().enumerate() {
        let path = Output::of(written).path;
        let is_path = path.starts_with('.') || !path.contains(char::is_whitespace);
        if is_path && leaves(path) {
            leads_out(context, Severity::Warning, place.clone().field(n.to_string()), path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::leaves;

    #[test]
    fn a_path_that_leads_out_is_told() {
        for path in [
            "{output_folder}/../x",
            "{output_folder}/a/../../x",
            "..",
            "a/../../{output_folder}",
            "/etc/{output_folder}",
            "C:\\x\\{output_folder}",
            "\\\\server\\x",
            "~/x",
            "{output_folder}\\..\\x",
            "{output_folder}/ .. /x",
            "docs/{output_folder}/../x",
        ] {
            assert!(leaves(path), "{path}");
        }
        for path in [
            "{output_folder}/a/../b",
            "a/../{output_folder}/b..c",
            "template:{template_folder}/a.md",
            "./{output_folder}/...",
            "",
        ] {
            assert!(!leaves(path), "{path}");
        }
    }
}
