//! The workflows that were read last. A gesture is shown, made, and what it made is looked at, each by a call of its own: what one of them has
//! read or made need not be read or made again for the next.

use crate::lock::lock;
use dialect::{Document, Made, Refused};
use model::Gesture;
use std::collections::VecDeque;
use std::sync::Mutex;

/// So many are kept, and so many bytes of texts: what is made of a text takes a dozen times as many. The latest is kept however large it is.
const MOST: usize = 6;
const MOST_BYTES: usize = 4 << 20;

#[derive(Default)]
pub(crate) struct Recent {
    /// The latest last.
    read: Mutex<VecDeque<Document>>,
    made: Mutex<Option<Gestures>>,
}

/// What gestures made of a document.
struct Gestures {
    base: Document,
    gestures: Vec<Gesture>,
    made: Made,
}

impl Recent {
    /// What a text is, read now or before: what is kept here is found by [`Document::parse`].
    pub(crate) fn read(&self, path: &str, text: &str) -> Document {
        let document = Document::parse(path, text);
        self.keep(&document);
        document
    }

    /// What gestures make of a document, made now or before.
    ///
    /// # Errors
    /// See [`Document::make`].
    pub(crate) fn make(&self, base: &Document, gestures: &[Gesture]) -> Result<Made, Refused> {
        let so = |last: &&Gestures| is(&last.base, base) && last.gestures == gestures;
        let known = lock(&self.made).as_ref().filter(so).map(|last| last.made.clone());
        if let Some(made) = known {
            return Ok(made);
        }
        let made = base.make(gestures)?;
        if made.document.text() == base.text() {
            // It is the base with whatever was found around it, which is no part of its text.
            return Ok(made);
        }
        self.keep(&made.document);
        *lock(&self.made) = Some(Gestures {
            base: base.clone(),
            gestures: gestures.to_vec(),
            made: made.clone(),
        });
        Ok(made)
    }

    /// Keeps a document as the latest.
    fn keep(&self, document: &Document) {
        let mut read = lock(&self.read);
        read.retain(|one| !is(one, document));
        read.push_back(document.clone());
        let bytes = |read: &VecDeque<Document>| read.iter().map(|one| one.text().len()).sum::<usize>();
        while read.len() > 1 && (read.len() > MOST || bytes(&read) > MOST_BYTES) {
            read.pop_front();
        }
    }
}

/// Whether they are one text of one path.
fn is(one: &Document, other: &Document) -> bool {
    one.path() == other.path() && one.text() == other.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Edit, Place};

    #[test]
    fn what_was_found_around_a_text_is_not_kept_as_what_it_says() {
        let recent = Recent::default();
        let text = "key: a\nsteps:\n  - {id: b, role: x}\n";
        let told = model::Diagnostic::new("GH0603", model::Severity::Warning, Place::document(), "told of it");
        let base = recent.read("a.yaml", text).with(vec![told]);
        let own = recent.read("a.yaml", text).diagnostics().len();
        assert_eq!(base.diagnostics().len(), own + 1);
        let made = recent.make(&base, &[]).expect("nothing is made");
        assert_eq!(made.document.diagnostics().len(), own + 1);
        assert_eq!(recent.read("a.yaml", text).diagnostics().len(), own);

        let role = |value: &str| {
            let place = Place::step(0).field("role");
            [Gesture::Value(Edit::Set {
                place,
                value: value.into(),
            })]
        };
        let first = recent.make(&base, &role("y")).expect("it is made");
        let again = recent.make(&base, &role("y")).expect("it is made");
        assert_eq!(first.document.text(), again.document.text());
        let other = recent.make(&base, &role("z")).expect("it is made");
        assert!(other.document.text().contains("role: z"), "{}", other.document.text());
        let on = recent.make(&other.document, &role("y")).expect("it is made");
        assert_eq!(on.document.text(), first.document.text());
        assert_eq!(recent.read("b.yaml", on.document.text()).path(), "b.yaml");
    }

    #[test]
    fn no_more_is_kept_than_a_few_and_of_large_ones_the_latest() {
        let recent = Recent::default();
        let text =
            |n: usize, bytes: usize| format!("key: a{n}\nsteps:\n  - {{id: b, role: x}}\n# {}\n", "-".repeat(bytes));
        let kept = || -> Vec<String> {
            let read = lock(&recent.read);
            read.iter().map(|one| one.path().to_owned()).collect()
        };
        for n in 0..=MOST {
            recent.read(&format!("{n}.yaml"), &text(n, 9));
        }
        recent.read("2.yaml", &text(2, 9));
        assert_eq!(kept(), ["1.yaml", "3.yaml", "4.yaml", "5.yaml", "6.yaml", "2.yaml"]);
        recent.read("large.yaml", &text(7, MOST_BYTES / 2));
        assert_eq!(kept(), ["3.yaml", "4.yaml", "5.yaml", "6.yaml", "2.yaml", "large.yaml"]);
        recent.read("larger.yaml", &text(8, MOST_BYTES + 1));
        assert_eq!(kept(), ["larger.yaml"]);
    }
}
