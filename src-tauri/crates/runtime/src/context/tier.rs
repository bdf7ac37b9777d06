//! How much of a shard is shown.

use store::context::Shard;

/// A tier of a shard's text; each holds more than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Its signature or heading.
    Nano,
    /// That, and its documentation or first lines.
    Micro,
    /// All of it.
    Full,
}

impl Tier {
    /// In the order of negotiation.
    pub const ALL: [Self; 3] = [Self::Nano, Self::Micro, Self::Full];

    /// The word in steps and results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Nano => "nano",
            Self::Micro => "micro",
            Self::Full => "full",
        }
    }

    /// The tier of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|tier| tier.word() == word.trim().to_lowercase())
    }

    /// What is shown of a shard.
    pub fn of(self, shard: &Shard) -> &str {
        match self {
            Self::Nano => &shard.nano,
            Self::Micro => &shard.micro,
            Self::Full => &shard.full,
        }
    }
}

/// What a text costs, estimated: a token for every four bytes begun. Models count differently; this errs on the side of more for plain English and
/// code, and of less for scripts whose characters are three bytes long.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}
