//! The workflows that were read last. A gesture is shown, made, and what it made is looked at, each by a call of its own: what one of them has
//! read or made need not be read or made again for the next.

use crate::lock::lock;
use dialect::{Document, Made, Refused};
use model::Gesture;
use std::collections::VecDeque;
use std::sync::Mutex;

/// So many are kept.
const MOST: usize = 6;

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
    /// What a text is, read now or before.
    pub(crate) fn read(&self, path: &str, text: &str) -> Document {
        let known = lock(&self.read).iter().rfind(|one| is(one, path, text)).cloned();
        known.unwrap_or_else(|| {
            let document = Document::parse(path, text);
            self.keep(&document);
            document
        })
    }

    /// What gestures make of a document, made now or before.
    ///
    /// # Errors
    /// See [`Document::make`].
    pub(crate) fn make(&self, base: &Document, gestures: &[Gesture]) -> Result<Made, Refused> {
        let so = |last: &&Gestures| is(&last.base, base.path(), base.text()) && last.gestures == gestures;
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

    fn keep(&self, document: &Document) {
        let mut read = lock(&self.read);
        if read.len() == MOST {
            read.pop_front();
        }
        read.push_back(document.clone());
    }
}

fn is(document: &Document, path: &str, text: &str) -> bool {
    document.path() == path && document.text() == text
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
}
