//! How files are cut.

use runtime::context::{Language, split};

/// `kind name first-last: nano`.
fn cut(language: Language, text: &str) -> Vec<String> {
    let shards = split("dir/file", language, text);
    let say = |s: &store::context::Shard| format!("{} {} {}-{}: {}", s.kind, s.name, s.first_line, s.last_line, s.nano);
    shards.iter().map(say).collect()
}

const PYTHON: &str = r#""""Reads things."""
import os

LIMIT = 3


@cached(
    size=3,
)
async def read(path: str,
               limit: int = LIMIT) -> bytes:
    """Reads a file.

    def not_me(): pass
    """
    # a comment
    text = """
class NotMe:
"""
    return (
text)


# About the parser.
class Parser(Base):
    """Parses."""

    kind = "x"

    def __init__(self):
        self.x = {
    "odd": 1}

    @property
    def name(self): return self.kind

    class Inner:
        y = 1

def last(): pass
"#;

#[test]
fn python_is_cut_into_functions_classes_and_methods() {
    assert_eq!(
        cut(Language::Python, PYTHON),
        [
            "module file 1-40: \"\"\"Reads things.\"\"\"",
            "function read 7-21: async def read(path: str, limit: int = LIMIT) -> bytes",
            "class Parser 24-38: class Parser(Base)",
            "method Parser.__init__ 30-32: def __init__(self)",
            "method Parser.name 34-35: def name(self): return self.kind",
            "class Parser.Inner 37-38: class Inner",
            "function last 40-40: def last(): pass",
        ]
    );
}

#[test]
fn tiers_hold_more_and_more() {
    let shards = split("a.py", Language::Python, PYTHON);
    let read = shards.iter().find(|s| s.name == "read").expect("it is there");
    assert!(
        read.micro.starts_with("@cached(") && read.micro.ends_with("pass\n    \"\"\""),
        "{}",
        read.micro
    );
    assert!(
        read.full.contains("class NotMe:") && read.full.ends_with("text)"),
        "{}",
        read.full
    );
    let class = shards.iter().find(|s| s.name == "Parser").expect("it is there");
    assert!(class.full.starts_with("# About the parser."), "{}", class.full);
    assert!(
        class.full.contains("def name(self)") && !class.full.contains("self.x"),
        "{}",
        class.full
    );
    let module = &shards[0];
    assert!(
        module.full.contains("LIMIT = 3") && !module.full.contains("def read"),
        "{}",
        module.full
    );
}

const TYPESCRIPT: &str = r#"import { a } from "./a";

/** What is given. */
export interface Options {
  deep: boolean;
}

export type Name =
  | "one"
  | "two";

const PATTERN = /[{"']/g;

/**
 * Reads.
 */
export async function read(path: string,
  options: Options): Promise<string> {
  const text = `a ${path ? `{` : "}"} {`;
  return text; // }
}

export const write = async (path: string) => {
  if (path) { return "{"; }
};

@decorated
export default class Parser<T> extends Base {
  private readonly x = 1;

  constructor(private y: number) {
    super();
  }

  // Reads all.
  async readAll(path: string): Promise<T> {
    for (const x of []) { run(x); }
  }

  get name() { return "}"; }
  handler = (event: Event) => {
    go();
  };
}
"#;

#[test]
fn typescript_is_cut_into_declarations_and_methods() {
    assert_eq!(
        cut(Language::Typescript, TYPESCRIPT),
        [
            "module file 1-44: import { a } from \"./a\";",
            "interface Options 3-6: export interface Options",
            "type Name 8-10: export type Name = | \"one\" | \"two\";",
            "constant PATTERN 12-12: const PATTERN = /[{\"']/g;",
            "function read 14-21: export async function read(path: string, options: Options): Promise<string>",
            "function write 23-25: export const write = async (path: string)",
            "class Parser 27-44: export default class Parser<T> extends Base",
            "method Parser.constructor 31-33: constructor(private y: number)",
            "method Parser.readAll 35-38: async readAll(path: string): Promise<T>",
            "method Parser.name 40-40: get name() { return \"}\"; }",
            "method Parser.handler 41-43: handler = (event: Event)",
        ]
    );
}

#[test]
fn json_is_cut_by_keys_and_long_values_once_more() {
    let text = format!(
        "{{\n  // about\n  \"name\": \"x, }} \\\" y\",\n  \"list\": [1, {{\"a\": 2}}],\n  \"deep\": {{\"one\": \"{}\", \"two\": {{}}}},\n}}\n",
        "z".repeat(3_000)
    );
    assert_eq!(
        cut(Language::Json, &text)[..2],
        [
            "key name 3-3: \"name\": \"x, } \\\" y\"",
            "key list 4-4: \"list\": [1, {\"a\": 2}]"
        ]
    );
    let names: Vec<String> = split("a.json", Language::Json, &text)
        .into_iter()
        .map(|s| s.name)
        .collect();
    assert_eq!(names, ["name", "list", "deep.one", "deep.two"]);
    assert_eq!(
        cut(Language::Json, "[1, \"a\"]"),
        ["item [0] 1-1: 1", "item [1] 1-1: \"a\""]
    );
    assert_eq!(cut(Language::Json, "5"), ["document file 1-1: 5"]);
}

#[test]
fn yaml_is_cut_by_keys_and_long_values_once_more() {
    let text = format!(
        "---\n# About the name.\nname: x\nsteps:\n  - a: 1\n  - b: 2\n\"quoted key\": |\n  text: no key\njobs:\n  build:\n    run: {}\n  test: {{}}\n",
        "z".repeat(3_000)
    );
    let shards = split("a.yaml", Language::Yaml, &text);
    let names: Vec<&str> = shards.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["name", "steps", "quoted key", "jobs.build.run", "jobs.test"]);
    assert!(shards[0].full.contains("# About the name."), "{}", shards[0].full);
    assert_eq!(
        (shards[0].nano.as_str(), shards[1].first_line, shards[1].last_line),
        ("name: x", 4, 6)
    );
    assert_eq!(
        cut(Language::Yaml, "- a\n- b: 1\n"),
        ["item [0] 1-1: - a", "item [1] 2-2: - b: 1"]
    );
}

#[test]
fn markdown_is_cut_into_sections() {
    let text = "---\ntitle: x\n---\nIntro.\n\n# Install\n\nFirst.\n\nSecond.\n\n```sh\n# no heading\n```\n## Linux ##\napt\nTitle\n-----\nmore\n\nUnder\n=====\n#hash\n";
    assert_eq!(
        cut(Language::Markdown, text),
        [
            "front matter file 1-3: ---",
            "preamble file 4-4: Intro.",
            "section Install 6-14: Install",
            "section Install > Linux 15-19: Install > Linux",
            "section Under 21-23: Under",
        ]
    );
    let shards = split("a.md", Language::Markdown, text);
    assert_eq!(shards[2].micro, "# Install\n\nFirst.");
}

#[test]
fn what_is_long_becomes_several_shards_and_nothing_is_lost() {
    let text = format!("# Long\n{}", "a line of text\n".repeat(3_000));
    let shards = split("a.md", Language::Markdown, &text);
    assert_eq!(shards.len(), 4);
    assert_eq!(
        shards.iter().map(|s| s.full.as_str()).collect::<String>(),
        text.trim_end()
    );
    assert_eq!(
        (shards[1].name.as_str(), shards[1].nano.as_str()),
        ("Long (2 of 4)", "Long (2 of 4)")
    );
    assert!(shards.windows(2).all(|w| w[0].last_line + 1 == w[1].first_line));
}

/// With an effort that grows with the square of the length, or of the number of names, this would not end today.
#[test]
fn odd_files_take_no_longer_than_others() {
    let pieces = [
        "(/[",
        "def f(",
        "class A:\n def g():\n",
        "{\"a\":",
        "[",
        "a:\n ",
        "# x\n",
        "`${",
        "/*",
        "function f() {",
        "- ",
        "\"\"\"",
        "x\n---\n\n",
    ];
    let long = "n".repeat(100_000);
    let mut texts: Vec<String> = pieces.iter().map(|piece| piece.repeat(100_000 / piece.len())).collect();
    texts.push(format!("# {long}\n{}", "## a\n".repeat(50_000)));
    texts.push(format!("class {long}:\n{}", "  def a(): pass\n".repeat(20_000)));
    for text in &texts {
        for language in Language::ALL {
            let shards = split("a", language, text);
            assert!(
                !shards.is_empty() && shards.len() < 2_200,
                "{language:?} {}",
                shards.len()
            );
        }
    }
}
