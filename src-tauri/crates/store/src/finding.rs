//! What checking finds.

/// Something that is not as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// At which event.
    pub seq: Option<u64>,
    /// Which blob, file or field: a digest, a path relative to the run's directory, a column.
    pub subject: String,
    /// For people.
    pub message: String,
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// An event is missing.
    Gap,
    /// An event's link does not follow from its bytes and the link before it.
    Chain,
    /// An event's bytes are no event, or belong to another run.
    Unreadable,
    /// A column says something else than the event's bytes.
    Column,
    /// An event goes on past somebody who was asked and has not answered.
    Unanswered,
    /// An event stands behind the end of its run, which nobody took up again.
    BehindEnd,
    /// The end of the log is not where the run's row says.
    Head,
    /// A list shows something else than the log says.
    Projection,
    /// Content that an event refers to is gone.
    BlobMissing,
    /// Content that an event refers to was changed.
    BlobChanged,
    /// A file of the run's directory is gone.
    Missing,
    /// A file of the run's directory was changed.
    Changed,
    /// A file stands among the receipts or transcripts that no event accounts for.
    Unexpected,
    /// Something that is none stands in the place of a file or a folder of the run's directory: nothing is written there until it is removed.
    InTheWay,
    /// The files of the run's directory tell of events that its log does not have: the history was put back or cut.
    Ahead,
    /// What a step made in the run's folder is gone or was changed.
    Made,
    /// The register of the project's runs does not fit the runs.
    Register,
    /// The files have the form of an earlier version, so that they cannot be compared.
    Outdated,
}

impl FindingKind {
    /// A fixed word for programs: `gap`, `chain`, `unreadable`, `column`, `unanswered`, `behind_end`, `head`,
    /// `projection`, `blob_missing`, `blob_changed`, `missing`, `changed`, `unexpected`, `in_the_way`, `ahead`,
    /// `made`, `register`, `outdated`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::Chain => "chain",
            Self::Unreadable => "unreadable",
            Self::Column => "column",
            Self::Unanswered => "unanswered",
            Self::BehindEnd => "behind_end",
            Self::Head => "head",
            Self::Projection => "projection",
            Self::BlobMissing => "blob_missing",
            Self::BlobChanged => "blob_changed",
            Self::Missing => "missing",
            Self::Changed => "changed",
            Self::Unexpected => "unexpected",
            Self::InTheWay => "in_the_way",
            Self::Ahead => "ahead",
            Self::Made => "made",
            Self::Register => "register",
            Self::Outdated => "outdated",
        }
    }

    /// The log or its content itself: what no rebuilding brings back. A list or a file can be made again from the log.
    pub fn is_evidence(self) -> bool {
        !matches!(
            self,
            Self::Projection
                | Self::Missing
                | Self::Changed
                | Self::Unexpected
                | Self::InTheWay
                | Self::Made
                | Self::Outdated
        )
    }
}
