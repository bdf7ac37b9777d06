//! Patterns of names and paths, matched against words that may themselves hold unknown places.
//!
//! A library for globs answers whether a known path matches. Here the path may be `$DIR/*.pem`: what is asked is whether it *surely*
//! matches (then a rule applies) or *may* match (then a deny rule keeps it from being allowed unseen).

use crate::text::Bit;

/// Whether a pattern fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It cannot.
    No,
    /// That depends on what fills the unknown places.
    Maybe,
    /// Whatever fills them, it does.
    Sure,
}

/// One step of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Want {
    Char(char),
    /// `?`
    One,
    /// `[a-z]`, `[!a-z]`
    Class(bool, Vec<(char, char)>),
    /// `*` in a path: anything but a slash
    Star,
    /// `**`, and `*` in a name: anything
    Deep,
}

/// A pattern of paths (`config/**`, `*.{pem,key}`) or of names (`MODEL_*`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob {
    ways: Vec<Vec<Want>>,
    fold: bool,
    /// The longest text that each way wants letter by letter, in small letters.
    needles: Vec<String>,
}

impl Glob {
    fn new(ways: Vec<Vec<Want>>) -> Self {
        let needles = ways.iter().map(|way| longest_run(way)).collect();
        Self {
            ways,
            fold: false,
            needles,
        }
    }

    /// A pattern of paths: `*` stays within a folder, `**` does not; `dist/**` is the folder too.
    pub fn path(source: &str) -> Result<Self, String> {
        let source = source.strip_suffix('/').unwrap_or(source);
        let mut ways = Vec::new();
        for text in alternatives(source)? {
            for text in depths(&text)? {
                ways.push(wants(&text, true)?);
            }
        }
        Ok(Self::new(ways))
    }

    /// The same, of which each way is a path that stands for itself and a pattern of what lies in it ([`beginning`]).
    pub fn below(ways: &[(String, String)]) -> Result<Self, String> {
        /// Stands for the path, which `**` may leave alone.
        const PATH: &str = "x";
        let mut all = Vec::new();
        for (path, rest) in ways {
            let whole = match rest.is_empty() {
                true => PATH.to_owned(),
                false => format!("{PATH}/{rest}"),
            };
            for text in depths(&whole)? {
                let rest = text.strip_prefix(PATH).unwrap_or(&text);
                let path = path.trim_end_matches('/').chars().map(Want::Char);
                all.push(path.chain(wants(rest, true)?).collect());
            }
        }
        Ok(Self::new(all))
    }

    /// A pattern of names: `*` is anything.
    pub fn name(source: &str) -> Self {
        Self::parts(source.chars().map(|c| (c != '*').then_some(c)))
    }

    /// A pattern of characters and of places (`None`) where anything may stand.
    pub fn parts(parts: impl Iterator<Item = Option<char>>) -> Self {
        let want = |part: Option<char>| part.map_or(Want::Deep, Want::Char);
        Self::new(vec![parts.map(want).collect()])
    }

    /// The same pattern, for small and capital letters alike.
    pub fn folded(mut self) -> Self {
        for want in self.ways.iter_mut().flatten() {
            if let Want::Char(c) = want {
                *c = fold(*c);
            }
        }
        self.fold = true;
        self
    }

    /// Whether the pattern fits a word. Takes pattern × word steps at most.
    pub fn fit(&self, word: &[Bit]) -> Fit {
        let fits = self.ways.iter().map(|w| self.fit_one(w, word));
        fits.max().unwrap_or(Fit::No)
    }

    /// Whether the pattern may fit a known text in small letters: what it wants letter by letter is somewhere in it. Much faster than
    /// [`Glob::fit`] for the many patterns that a path has nothing to do with.
    pub fn may_fit(&self, folded: &str) -> bool {
        self.needles.iter().any(|n| folded.contains(n.as_str()))
    }

    /// The same as [`Glob::fit`] of a word whose letters in small are known ([`in_small_letters`]): most patterns need not be tried then.
    pub fn fit_near(&self, word: &[Bit], folded: Option<&str>) -> Fit {
        match folded {
            Some(text) if !self.may_fit(text) => Fit::No,
            _ => self.fit(word),
        }
    }

    fn fit_one(&self, wants: &[Want], word: &[Bit]) -> Fit {
        let known = word.iter().all(|b| matches!(b, Bit::Char(_)));
        let run = |sure| {
            let mut states = States::new(wants);
            word.iter().all(|bit| states.step(*bit, sure, self.fold)) && states.at_end()
        };
        match (run(true), known) {
            (true, _) => Fit::Sure,
            (false, true) => Fit::No,
            (false, false) if run(false) => Fit::Maybe,
            _ => Fit::No,
        }
    }
}

fn longest_run(way: &[Want]) -> String {
    let (mut longest, mut run) = (String::new(), String::new());
    for want in way {
        match want {
            Want::Char(c) => run.push(fold(*c)),
            _ => run.clear(),
        }
        if run.len() > longest.len() {
            longest.clone_from(&run);
        }
    }
    longest
}

/// The places of a pattern that could be reached by what was read so far.
struct States<'w> {
    wants: &'w [Want],
    now: Vec<bool>,
}

impl<'w> States<'w> {
    fn new(wants: &'w [Want]) -> Self {
        let mut now = vec![false; wants.len() + 1];
        now[0] = true;
        let mut states = Self { wants, now };
        states.skip();
        states
    }

    /// `*` may be nothing.
    fn skip(&mut self) {
        for i in 0..self.wants.len() {
            if self.now[i] && matches!(self.wants[i], Want::Star | Want::Deep) {
                self.now[i + 1] = true;
            }
        }
    }

    /// Reads one bit; `sure`: only what holds whatever an unknown bit turns out to be. Returns whether anything is left.
    fn step(&mut self, bit: Bit, sure: bool, folded: bool) -> bool {
        let mut next = vec![false; self.now.len()];
        for i in 0..self.now.len() {
            if !self.now[i] {
                continue;
            }
            let want = self.wants.get(i);
            match bit {
                Bit::Char(c) => match want {
                    Some(Want::Deep) => next[i] = true,
                    Some(Want::Star) => next[i] |= c != '/',
                    Some(want) => next[i + 1] |= takes(want, c, folded),
                    None => {}
                },
                Bit::Any | Bit::Star if !sure => next[i..].fill(true),
                Bit::Any => next[i] |= matches!(want, Some(Want::Deep)),
                Bit::Star => next[i] |= matches!(want, Some(Want::Deep | Want::Star)),
                Bit::One => match want {
                    Some(Want::Deep | Want::Star) => next[i] = true,
                    Some(Want::One) => next[i + 1] = true,
                    Some(Want::Char('/')) | None => {}
                    Some(_) => next[i + 1] |= !sure,
                },
            }
        }
        self.now = next;
        self.skip();
        self.now.contains(&true)
    }

    fn at_end(&self) -> bool {
        self.now.last().copied().unwrap_or_default()
    }
}

fn takes(want: &Want, c: char, folded: bool) -> bool {
    match want {
        Want::Char(w) => *w == c || folded && *w == fold(c),
        Want::One => c != '/',
        Want::Class(not, ranges) => {
            let has = |c: char| ranges.iter().any(|(a, b)| (*a..=*b).contains(&c));
            c != '/' && (has(c) || folded && (has(fold(c)) || has(c.to_ascii_uppercase()))) != *not
        }
        Want::Star | Want::Deep => true,
    }
}

/// A word in small letters; `None`: not all of it is known.
pub(crate) fn in_small_letters(word: &[Bit]) -> Option<String> {
    let letter = |bit: &Bit| match bit {
        Bit::Char(c) => Some(fold(*c)),
        _ => None,
    };
    word.iter().map(letter).collect()
}

/// A letter without its case; what has no single small letter stays.
pub(crate) fn fold(c: char) -> char {
    let mut small = c.to_lowercase();
    match (small.next(), small.next()) {
        (Some(s), None) => s,
        _ => c,
    }
}

const MOST_WAYS: usize = 64;

/// `a{b,c}` as `ab` and `ac`, each without ways that lead back (`x/../`): paths are without them too when they are held against it.
pub(crate) fn alternatives(source: &str) -> Result<Vec<String>, String> {
    Ok(written(source)?.iter().map(|text| straight(text)).collect())
}

/// A pattern without a leading `./`.
pub(crate) fn plain(pattern: &str) -> String {
    let mut rest = pattern;
    while let Some(shorter) = rest.strip_prefix("./") {
        rest = shorter.trim_start_matches('/');
    }
    rest.to_owned()
}

/// What a way of a pattern begins with before anything that stands for something else, and the rest of it. `/*` begins at the root of the disk.
pub(crate) fn beginning(way: &str) -> (String, String) {
    let way = way.strip_suffix('/').unwrap_or(way);
    let parts: Vec<&str> = way.split('/').collect();
    let is_plain = |part: &&&str| !part.contains(['*', '?', '[', '\\']);
    let firm = parts.iter().take_while(is_plain).count();
    let beginning = match (firm, parts[..firm].join("/")) {
        (1.., beginning) if beginning.is_empty() => "/".to_owned(),
        (_, beginning) => beginning,
    };
    (beginning, parts[firm..].join("/"))
}

fn straight(text: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for (at, part) in text.split('/').enumerate() {
        let is_firm = |last: &&str| !last.is_empty() && **last != *".." && !last.contains(['*', '?', '[', '\\', '~']);
        match part {
            "." => {}
            "" if at > 0 => {}
            ".." if parts.last().is_some_and(is_firm) => drop(parts.pop()),
            ".." if parts == [""] => {}
            part => parts.push(part),
        }
    }
    match parts.as_slice() {
        [""] if text.starts_with('/') => "/".to_owned(),
        [] => ".".to_owned(),
        parts => parts.join("/"),
    }
}

fn written(source: &str) -> Result<Vec<String>, String> {
    let mut done = Vec::new();
    let mut open = vec![source.to_owned()];
    while let Some(text) = open.pop() {
        let Some(end) = text.find('}') else {
            if text.contains('{') {
                return Err("a `{` is not closed".to_owned());
            }
            done.push(text);
            continue;
        };
        let Some(start) = text[..end].rfind('{') else {
            return Err("a `}` closes nothing".to_owned());
        };
        for part in text[start + 1..end].split(',') {
            open.push(format!("{}{part}{}", &text[..start], &text[end + 1..]));
        }
        if done.len() + open.len() > MOST_WAYS {
            return Err(format!("it stands for more than {MOST_WAYS} patterns"));
        }
    }
    Ok(done)
}

/// `**/x` also without the folder, `x/**` also as the folder itself.
fn depths(source: &str) -> Result<Vec<String>, String> {
    let parts: Vec<&str> = source.split('/').collect();
    let deep = parts.iter().filter(|p| **p == "**").count();
    if parts.len() == 1 {
        return Ok(vec![source.to_owned()]);
    }
    if 1 << deep.min(16) > MOST_WAYS {
        return Err("it has too many `**`".to_owned());
    }
    let way = |left_out: usize| {
        let mut nth = 0;
        let kept = parts.iter().filter(|part| {
            let is_deep = **part == "**";
            nth += usize::from(is_deep);
            !is_deep || left_out >> (nth - 1) & 1 == 0
        });
        kept.copied().collect::<Vec<_>>().join("/")
    };
    Ok((0..1_usize << deep).map(way).collect())
}

fn wants(text: &str, path: bool) -> Result<Vec<Want>, String> {
    let mut wants = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        wants.push(match c {
            '*' if !path || rest.next_if_eq(&'*').is_some() => Want::Deep,
            '*' => Want::Star,
            '?' => Want::One,
            '\\' => Want::Char(rest.next().ok_or("it ends in a backslash")?),
            '[' => {
                let not = rest.next_if(|c| matches!(c, '!' | '^')).is_some();
                let mut ranges = Vec::new();
                loop {
                    let from = rest.next().ok_or("a `[` is not closed")?;
                    if from == ']' && !ranges.is_empty() {
                        break;
                    }
                    let mut to = from;
                    if rest.peek() == Some(&'-') {
                        rest.next();
                        match rest.next().ok_or("a `[` is not closed")? {
                            ']' => {
                                ranges.extend([(from, from), ('-', '-')]);
                                break;
                            }
                            end => to = end,
                        }
                    }
                    ranges.push((from, to));
                }
                Want::Class(not, ranges)
            }
            c => Want::Char(c),
        });
    }
    Ok(wants)
}
