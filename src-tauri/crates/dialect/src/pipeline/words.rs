//! The words of a pipeline file: what becomes of the rest after a failure, and the states of a run (seed 004).

use std::fmt;

/// A closed list of words.
pub(super) trait Vocabulary: Copy + 'static {
    /// Every one.
    const WORDS: &'static [Self];
    /// As files have it.
    fn as_word(self) -> &'static str;

    /// The one written exactly so.
    fn exactly(word: &str) -> Option<Self> {
        Self::WORDS.iter().copied().find(|known| known.as_word() == word)
    }

    /// The one that somebody probably meant who wrote another word: the same but for case and for hyphens or blanks.
    fn meant(word: &str) -> Option<Self> {
        Self::exactly(&word.trim().to_lowercase().replace(['-', ' '], "_"))
    }

    /// `halt, skip_dependents, retry`.
    fn known() -> String {
        let words: Vec<&str> = Self::WORDS.iter().map(|one| one.as_word()).collect();
        words.join(", ")
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
        }

        impl $name {
            /// Every one, in the order of the format.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// As files have it.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Reads the word; case counts.
            pub fn of_word(word: &str) -> Option<Self> {
                <Self as Vocabulary>::exactly(word)
            }

        }

        impl Vocabulary for $name {
            const WORDS: &'static [Self] = Self::ALL;
            fn as_word(self) -> &'static str {
                self.word()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

words! {
    /// What becomes of the rest when a stage has failed (seed 004 `error_handling`; CONTRACTS "Pipelines").
    ErrorHandling {
        /// What runs is finished, nothing else begins.
        Halt = "halt",
        /// What depends on the stage is skipped, the rest goes on.
        SkipDependents = "skip_dependents",
        /// The stage is tried again; when that is used up, as with halt.
        Retry = "retry",
    }
}

words! {
    /// The state of a stage, as `status` in the file says it.
    StageStatus {
        /// Waits for its dependencies.
        Pending = "pending",
        /// May begin.
        Queued = "queued",
        /// Is being done.
        Running = "running",
        /// Done.
        Completed = "completed",
        /// Could not be done.
        Failed = "failed",
        /// Will not be done, because something it needs failed or because a person said so.
        Skipped = "skipped",
        /// Was being done when the pipeline was ended.
        Aborted = "aborted",
    }
}

words! {
    /// The state of a pipeline, as `status` in the file says it.
    PipelineStatus {
        /// Has not begun.
        Pending = "pending",
        /// Is under way.
        Running = "running",
        /// Was held by a person and may go on (seed 004 "Resume a failed/paused pipeline").
        Paused = "paused",
        /// All of it is done.
        Completed = "completed",
        /// It went to the end, but stages failed and others were skipped for it.
        CompletedWithFailures = "completed_with_failures",
        /// It could not go on.
        Failed = "failed",
        /// A person ended it.
        Aborted = "aborted",
    }
}

/// Extra attempts under `retry` where the file does not say (CONTRACTS "Pipelines", found in real files).
pub const DEFAULT_MAX_RETRIES: u32 = 2;
/// Seconds between attempts under `retry` where the file does not say (CONTRACTS "Pipelines").
pub const DEFAULT_RETRY_DELAY_SECONDS: u64 = 30;
