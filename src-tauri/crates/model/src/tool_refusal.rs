//! Why a tool call is not made.

use std::fmt;

/// Why a call is refused before it is made (seed 000 "Tool calls"). In logs and files it is text; `Display` and `From` are
/// the only places that know the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolRefusal {
    /// Nobody has such a tool.
    Unknown,
    /// The project's list of forbidden tools names it.
    Blocklisted,
    /// The project's list of allowed tools does not name it.
    NotListed,
    /// A person must approve it first.
    Approval,
    /// It cannot be made with these arguments, and why; or the words of another version.
    Other(String),
}

impl ToolRefusal {
    /// Every one that has fixed words.
    pub const ALL: [Self; 4] = [Self::Unknown, Self::Blocklisted, Self::NotListed, Self::Approval];

    /// The words.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Unknown => "unknown tool",
            Self::Blocklisted => "blocklisted tool",
            Self::NotListed => "tool not in allowlist",
            Self::Approval => "approval required",
            Self::Other(why) => why,
        }
    }
}

impl fmt::Display for ToolRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<&str> for ToolRefusal {
    fn from(words: &str) -> Self {
        let fixed = Self::ALL.into_iter().find(|refusal| refusal.as_str() == words);
        fixed.unwrap_or_else(|| Self::Other(words.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_written_as_the_contract_writes_them() {
        let words = [
            "unknown tool",
            "blocklisted tool",
            "tool not in allowlist",
            "approval required",
        ];
        assert_eq!(ToolRefusal::ALL.map(|refusal| refusal.to_string()), words);
        for words in words.into_iter().chain(["missing required args: path", ""]) {
            assert_eq!(ToolRefusal::from(words).as_str(), words);
        }
        assert_eq!(ToolRefusal::from("approval required"), ToolRefusal::Approval);
    }
}
