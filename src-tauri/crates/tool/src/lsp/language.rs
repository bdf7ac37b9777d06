//! Which language a document is in, and what its server usually is.

use super::Error;
use std::path::Path;

/// A language that is known: its id in the protocol, the names under which a project may name its server, the ends of its files' names,
/// and the command that usually serves it.
pub(super) struct Known {
    id: &'static str,
    keys: &'static [&'static str],
    ends: &'static [&'static str],
    command: &'static str,
}

const TYPESCRIPT: &str = "typescript-language-server --stdio";

const fn known(
    id: &'static str,
    keys: &'static [&'static str],
    ends: &'static [&'static str],
    command: &'static str,
) -> Known {
    Known {
        id,
        keys,
        ends,
        command,
    }
}

const LANGUAGES: &[Known] = &[
    known("python", &["python"], &["py", "pyi"], "pyright-langserver --stdio"),
    known(
        "typescript",
        &["typescript", "javascript"],
        &["ts", "mts", "cts"],
        TYPESCRIPT,
    ),
    known(
        "typescriptreact",
        &["typescriptreact", "typescript", "javascript"],
        &["tsx"],
        TYPESCRIPT,
    ),
    known(
        "javascript",
        &["javascript", "typescript"],
        &["js", "mjs", "cjs"],
        TYPESCRIPT,
    ),
    known(
        "javascriptreact",
        &["javascriptreact", "javascript", "typescript"],
        &["jsx"],
        TYPESCRIPT,
    ),
    known("rust", &["rust"], &["rs"], "rust-analyzer"),
    known("go", &["go"], &["go"], "gopls"),
    known("c", &["c", "cpp"], &["c", "h"], "clangd"),
    known(
        "cpp",
        &["cpp", "c"],
        &["cc", "cpp", "cxx", "hh", "hpp", "hxx"],
        "clangd",
    ),
    known("java", &["java"], &["java"], "jdtls"),
    known("kotlin", &["kotlin"], &["kt", "kts"], "kotlin-language-server"),
    known("csharp", &["csharp"], &["cs"], "csharp-ls"),
    known("ruby", &["ruby"], &["rb"], "ruby-lsp"),
    known("php", &["php"], &["php"], "phpactor language-server"),
    known("lua", &["lua"], &["lua"], "lua-language-server"),
    known("swift", &["swift"], &["swift"], "sourcekit-lsp"),
    known(
        "shellscript",
        &["shellscript", "bash", "sh"],
        &["sh", "bash"],
        "bash-language-server start",
    ),
    known("json", &["json"], &["json"], "vscode-json-language-server --stdio"),
    known("yaml", &["yaml"], &["yaml", "yml"], "yaml-language-server --stdio"),
    known("markdown", &["markdown"], &["md", "markdown"], "marksman server"),
    known(
        "html",
        &["html"],
        &["html", "htm"],
        "vscode-html-language-server --stdio",
    ),
    known("css", &["css"], &["css"], "vscode-css-language-server --stdio"),
    known("svelte", &["svelte"], &["svelte"], "svelteserver --stdio"),
    known("vue", &["vue"], &["vue"], "vue-language-server --stdio"),
];

/// What installs a server, in a sentence.
pub(super) fn remedy(program: &str) -> String {
    let name = Path::new(program)
        .file_name()
        .and_then(|n| n.to_str())
        .unwrap_or(program);
    let command = match name {
        "pyright-langserver" => "npm install --save-dev pyright",
        "typescript-language-server" => "npm install --save-dev typescript-language-server typescript",
        "bash-language-server" => "npm install --save-dev bash-language-server",
        "yaml-language-server" => "npm install --save-dev yaml-language-server",
        "svelteserver" => "npm install --save-dev svelte-language-server",
        "vue-language-server" => "npm install --save-dev @vue/language-server",
        "vscode-json-language-server" | "vscode-html-language-server" | "vscode-css-language-server" => {
            "npm install --save-dev vscode-langservers-extracted"
        }
        "pylsp" => "pip install python-lsp-server",
        "rust-analyzer" => "rustup component add rust-analyzer",
        "gopls" => "go install golang.org/x/tools/gopls@latest",
        "ruby-lsp" => "gem install ruby-lsp",
        _ => return "Install it, or correct its command under `language_servers` in gatehouse.yaml".to_owned(),
    };
    format!("Install it (`{command}`), or correct its command under `language_servers` in gatehouse.yaml")
}

/// The language of a document.
pub(super) enum Family<'a> {
    Known(&'static Known),
    /// One that is only known by the name it was given.
    Other(&'a str),
}

impl<'a> Family<'a> {
    /// The language that was named, else the one that the end of the path tells.
    pub fn of(name: Option<&'a str>, path: Option<&str>) -> Result<Self, Error> {
        let end = path.and_then(|path| Path::new(path).extension()?.to_str());
        let has_end = |known: &&Known| end.is_some_and(|end| known.ends.iter().any(|e| e.eq_ignore_ascii_case(end)));
        if let Some(name) = name {
            let same = |word: &&str| word.eq_ignore_ascii_case(name);
            // `typescript` for a .tsx file is still TypeScript with React.
            let by_end = LANGUAGES
                .iter()
                .find(has_end)
                .filter(|known| known.keys.iter().any(&same));
            let by_id = || LANGUAGES.iter().find(|known| same(&known.id));
            let by_key = || {
                LANGUAGES
                    .iter()
                    .find(|known| known.keys.iter().chain(known.ends).any(&same))
            };
            return Ok(by_end
                .or_else(by_id)
                .or_else(by_key)
                .map_or(Self::Other(name), Self::Known));
        }
        let known = LANGUAGES.iter().find(has_end);
        let unknown = || Error::NoLanguage(path.unwrap_or("the text").to_owned());
        known.map(Self::Known).ok_or_else(unknown)
    }

    /// The names under which a project may name its server, the best first.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let (known, other) = match self {
            Self::Known(known) => (known.keys, None),
            Self::Other(name) => (&[] as &[&str], Some(*name)),
        };
        known.iter().copied().chain(other)
    }

    /// Its name for a reader.
    pub fn name(&self) -> &str {
        match self {
            Self::Known(known) => known.keys.first().copied().unwrap_or(known.id),
            Self::Other(name) => name,
        }
    }

    /// Its id in the protocol.
    pub fn id(&self) -> &str {
        match self {
            Self::Known(known) => known.id,
            Self::Other(name) => name,
        }
    }

    /// The end of the name of a document that has none.
    pub fn extension(&self) -> &str {
        match self {
            Self::Known(known) => known.ends.first().copied().unwrap_or("txt"),
            Self::Other(_) => "txt",
        }
    }

    /// The command that usually serves it.
    pub fn usual_command(&self) -> &'static str {
        match self {
            Self::Known(known) => known.command,
            Self::Other(_) => "its-language-server --stdio",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_and_keys(name: Option<&str>, path: Option<&str>) -> (String, Vec<String>) {
        let family = Family::of(name, path).expect("a language");
        (family.id().to_owned(), family.keys().map(str::to_owned).collect())
    }

    #[test]
    fn the_end_of_a_path_or_a_name_tells_the_language() {
        assert_eq!(id_and_keys(None, Some("a/b.PY")).0, "python");
        assert_eq!(id_and_keys(None, Some("a.mjs")).1, ["javascript", "typescript"]);
        assert_eq!(id_and_keys(Some("typescript"), Some("a.tsx")).0, "typescriptreact");
        assert_eq!(id_and_keys(Some("TypeScript"), None).0, "typescript");
        assert_eq!(id_and_keys(Some("bash"), None).0, "shellscript");
        assert_eq!(
            id_and_keys(Some("klingon"), Some("a.py")),
            ("klingon".to_owned(), vec!["klingon".to_owned()])
        );
        assert!(Family::of(None, Some("README")).is_err());
        assert!(Family::of(None, None).is_err());
    }
}
