//! Words that a contract fixes, as a type: one table makes the enum, its `Display`, its way back from text and its form in
//! the log. A word that this version does not know is kept as it is, so that logs of other versions stay what they are.

/// An enum whose variants stand for fixed words, and `Other` for any other word.
macro_rules! fixed_words {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$means:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$means])* $variant,)+
            /// A word of another version of Gatehouse.
            Other(String),
        }

        impl $name {
            /// Every word that this version knows.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The word.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                Ok(Self::from(&*word))
            }
        }
    };
}

pub(crate) use fixed_words;
