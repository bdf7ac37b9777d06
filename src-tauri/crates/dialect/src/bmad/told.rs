//! What instructions tell a person who carries a step out, without the tags that tell a program.

use super::tags::{Kind, Piece, pieces, plain};

/// Tags whose text tells nothing of what to do: names of what is kept, and questions, which are asked as questions.
const ELSEWHERE: [&str; 2] = ["template-output", "ask"];

/// The instructions of a step in words, a paragraph each, tags and comments left out.
pub fn told(instructions: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut hidden: Option<String> = None;
    let mut at = 0;
    let mut take = |from: usize, to: usize, hidden: &Option<String>| {
        let text = instructions
            .get(from..to)
            .filter(|_| hidden.is_none())
            .unwrap_or_default();
        let paragraphs = text.split("\n\n").map(|part| {
            let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
            plain(part.trim_start_matches('#').trim_start())
        });
        out.extend(paragraphs.filter(|part| !part.is_empty()));
    };
    for piece in pieces(instructions) {
        let span = match &piece {
            Piece::Tag(tag) => tag.at,
            Piece::Comment(span) => *span,
            Piece::Endless(start, _) => {
                take(at, *start, &hidden);
                return out;
            }
        };
        take(at, span.start, &hidden);
        at = span.end;
        let Piece::Tag(tag) = piece else { continue };
        match (tag.kind, &hidden) {
            (Kind::Open, None) if ELSEWHERE.contains(&tag.name.as_str()) => hidden = Some(tag.name),
            (Kind::Close, Some(name)) if *name == tag.name => hidden = None,
            _ => {}
        }
    }
    take(at, instructions.len(), &hidden);
    out
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn actions_and_notes_are_told_and_questions_and_names_are_not() {
        let text = "<ask>What do you\nremember?</ask>\n<action>Put it into\n  the notes</action>\nLook\n\nTwice.<!-- x --><template-output file=\"a\">b</template-output>\
                    <note>“a < b” is `<ask>`</note><goto step=\"2\"/>";
        assert_eq!(
            told(text),
            ["Put it into the notes", "Look", "Twice.", "“a < b” is `<ask>`"]
        );
        assert_eq!(told("<ask>never closed"), Vec::<String>::new());
        assert_eq!(told(""), Vec::<String>::new());
    }
}
