//! What the desktop program is started with.

use std::path::PathBuf;

use clap::Parser;

/// Opens the Gatehouse window on a project folder.
#[derive(Debug, Clone, Parser)]
#[command(name = "gatehouse-desktop", version)]
pub struct Arguments {
    /// The project folder [default: $GATEHOUSE_PROJECT, then the one opened last, then ./workflows]
    pub project: Option<PathBuf>,

    /// The place in the window to open first, such as '#/inbox'
    #[arg(long, value_name = "ADDRESS")]
    pub open: Option<String>,

    /// Open a window of its own, even when one is open on the same folder
    #[arg(long)]
    pub new_window: bool,

    /// Say 'window painted MS' and 'window ready MS' on standard output, in milliseconds since the start
    #[arg(long)]
    pub announce: bool,
}

impl Arguments {
    /// The address to open, if it is one of the window's own (they begin with `#/`).
    pub fn address(&self) -> Option<&str> {
        self.open.as_deref().filter(|address| address.starts_with("#/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn only_addresses_of_the_window_are_opened() {
        let parse = |address: &str| Arguments::parse_from(["gatehouse-desktop", "--open", address]);
        assert_eq!(parse("#/inbox/42").address(), Some("#/inbox/42"));
        assert_eq!(parse("https://example.com").address(), None);
        assert_eq!(parse("javascript:alert(1)").address(), None);
    }
}
