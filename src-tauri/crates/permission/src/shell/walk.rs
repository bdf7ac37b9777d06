//! Walks a script's tree and hands every simple command on. No recursion over the tree: it may be as deep as the script is long.

use super::needs::Folder;
use super::reader::{Given, NodeContext, Reader, Sets, Work};
use super::tree::{self, Unreadable, of};
use crate::builtin;
use crate::need::{Kind, Need};
use crate::text;
use std::rc::Rc;
use tree_sitter::Node;

/// Scripts in scripts (`sh -c "sh -c '…'"`) are followed this far.
const DEEPEST: usize = 12;

impl Reader<'_> {
    /// Reads a script into the needs. What cannot be read is one unclear need, with its first line.
    pub fn script(&mut self, source: &str) {
        if self.depth >= DEEPEST {
            return self.unread(source);
        }
        let script = match tree::parse(source, self.posix) {
            Ok(script) => script,
            Err(Unreadable::TooLong) => return self.unread(source),
            Err(Unreadable::Odd) => return self.unclear(source),
        };
        if let Some(at) = script.unsound {
            let before = source.get(..at).unwrap_or_default();
            let line = before.rfind('\n').map_or(0, |end| end + 1);
            self.unclear(source.get(line..).unwrap_or(source));
        }
        self.depth += 1;
        let sets = std::mem::take(&mut self.sets);
        let outside = std::mem::replace(&mut self.functions_outside, self.needs.functions_around);
        let mut moments: Vec<usize> = Vec::new();
        let mut halfway: Vec<Vec<Folder>> = Vec::new();
        let mut eithers: Vec<(Folder, usize)> = Vec::new();
        let mut work = vec![Work::Node(script.tree.root_node(), NodeContext::default())];
        while let Some(next) = work.pop().filter(|_| !self.needs.is_full()) {
            match next {
                Work::Back(folder) => self.needs.folder = folder,
                Work::Perhaps(folder) if folder != self.needs.folder => self.needs.folder = Folder::Unknown,
                Work::Perhaps(_) => {}
                Work::Chain => halfway.push(Vec::new()),
                Work::Sure(doubts) => {
                    self.needs.doubts.truncate(doubts);
                    let led = halfway.last_mut();
                    if let Some(led) = led.filter(|led| led.last() != Some(&self.needs.folder)) {
                        led.push(self.needs.folder.clone());
                    }
                }
                Work::Doubt(folder) => {
                    self.needs.doubt(folder);
                    let led = halfway.pop().unwrap_or_default();
                    led.into_iter().for_each(|folder| self.needs.doubt(folder));
                }
                Work::Else(folder) => {
                    let led = std::mem::replace(&mut self.needs.folder, folder);
                    self.needs.doubt(led.clone());
                    eithers.push((led, self.needs.moves));
                }
                Work::Either => {
                    if let Some((led, moves)) = eithers.pop()
                        && led != self.needs.folder
                    {
                        self.needs.folder = if moves == self.needs.moves {
                            led
                        } else {
                            Folder::Unknown
                        };
                    }
                }
                Work::Redirect(node) => drop(self.redirect(node, source, &mut Vec::new())),
                Work::Defined(name) if self.foreseen.may_lose(&name) => {}
                Work::Defined(name) => drop(self.needs.functions.insert(name)),
                Work::Set(Sets::Name(name)) => self.needs.set.insert(name.into()),
                Work::Set(Sets::Body(body)) => self.needs.called(&body),
                Work::Adrift => self.needs.folder = Folder::Unknown,
                Work::Turns(own, before) if before < self.needs.moves => self.needs.deferred.push((own, before)),
                Work::Turns(..) => {}
                Work::Called(folder, before) if before == self.needs.moves => self.needs.folder = folder,
                Work::Called(..) => self.needs.folder = Folder::Unknown,
                Work::Enter => moments.push(self.needs.set.moment()),
                Work::Leave => drop(self.needs.set.back_to(moments.pop().unwrap_or_default())),
                Work::Begin => {
                    moments.push(self.needs.set.moment());
                    self.needs.functions_around += 1;
                }
                Work::Body(name) => {
                    self.needs.functions_around = self.needs.functions_around.saturating_sub(1);
                    let given = self.needs.set.back_to(moments.pop().unwrap_or_default());
                    let is_one = !self.foreseen.ambiguous.contains(&name);
                    self.needs.defined(name, if is_one { given } else { Vec::new() });
                }
                Work::Node(node, around) => {
                    let from = work.len();
                    self.node(node, around, source, &mut work);
                    work[from..].reverse();
                }
            }
        }
        self.depth -= 1;
        self.functions_outside = outside;
        self.sets = sets;
    }

    /// Reads a script that a shell of its own runs: it knows none of this script's functions and variables, and changes nothing here.
    ///
    /// `posix`: it may be another shell than bash.
    pub fn other_shell(&mut self, source: &str, posix: bool) {
        let own = std::mem::replace(&mut self.posix, posix);
        let functions = std::mem::take(&mut self.needs.functions);
        let set = std::mem::take(&mut self.needs.set);
        let folder = self.needs.folder.clone();
        self.script(source);
        self.posix = own;
        self.needs.functions = functions;
        self.needs.set = set;
        self.needs.folder = folder;
    }

    /// Something runs that cannot be known; shown by its first line.
    pub fn unclear(&mut self, source: &str) {
        self.needs.add(Need::unclear(Kind::Run, text::first_line(source)));
    }

    /// What stands here is known, and too long or too deep to be read; shown by its first line.
    pub fn unread(&mut self, source: &str) {
        self.unclear(source);
        self.needs.unread = true;
    }

    /// Looks at one node and puts what is in it on `work`, in order.
    fn node<'t>(&mut self, node: Node<'t>, around: NodeContext<'t>, source: &str, work: &mut Vec<Work<'t>>) {
        let mut inner = Vec::new();
        match node.kind() {
            "comment" | "heredoc_start" | "heredoc_end" | "file_descriptor" | "test_operator" | "string_content" => {}
            // What another text defines is not surely defined here: nobody knows whether, and in which shell, it runs.
            "program" => children(
                node,
                &NodeContext {
                    top: self.depth == 1,
                    ..around
                },
                source,
                work,
            ),
            "command" | "declaration_command" | "unset_command" => self.command(node, &around, source, &mut inner),
            "redirected_statement" => self.redirected(node, around, source, work),
            "subshell" | "command_substitution" | "process_substitution" => {
                // In a here-document the grammar takes arithmetic for a command in brackets.
                if of(node, source).trim_start().starts_with("$((") {
                    self.expression(node, source);
                }
                // The grammar takes two of them that touch, `a``b`, for one.
                let within = of(node, source)
                    .strip_prefix('`')
                    .and_then(|text| text.strip_suffix('`'));
                if within.is_some_and(|text| text.replace("\\`", "").contains('`')) {
                    self.unclear(of(node, source));
                }
                // `! ((x))` is arithmetic, whatever the grammar takes it for.
                if node.kind() == "subshell" && of(node, source).starts_with("((") {
                    self.unclear(of(node, source));
                }
                work.push(Work::Enter);
                children(
                    node,
                    &NodeContext {
                        input: around.input,
                        ..NodeContext::default()
                    },
                    source,
                    work,
                );
                work.push(Work::Back(self.needs.folder.clone()));
                work.push(Work::Leave);
            }
            "function_definition" => self.function(node, &around, source, work),
            "if_statement" | "while_statement" | "c_style_for_statement" | "case_statement" | "for_statement" => {
                self.steps(node, &around, source, work);
                if !matches!(node.kind(), "if_statement" | "case_statement") {
                    work.push(Work::Turns((self.depth, node.start_byte()), self.needs.moves));
                }
                work.push(Work::Perhaps(self.needs.folder.clone()));
            }
            "list" if !chain(node).is_empty() => {
                let doubts = self.needs.doubts.len();
                let keep = NodeContext { top: false, ..around };
                let parts = chain(node);
                let last = parts.len() - 1;
                work.push(Work::Chain);
                for (i, part) in parts.into_iter().enumerate() {
                    let more = if i == last {
                        Rc::clone(&keep.more)
                    } else {
                        Rc::default()
                    };
                    work.push(Work::Node(part, NodeContext { more, ..keep.clone() }));
                    work.push(Work::Sure(doubts));
                }
                work.push(Work::Doubt(self.needs.folder.clone()));
            }
            "list" if node.child(1).is_some_and(|sign| sign.kind() == "||") => {
                let keep = NodeContext { top: false, ..around };
                let mut parts = Vec::new();
                children(node, &keep, source, &mut parts);
                let last = parts.pop();
                work.append(&mut parts);
                work.push(Work::Else(self.needs.folder.clone()));
                work.extend(last);
                work.push(Work::Either);
            }
            "case_item" => {
                let mut pattern = true;
                for child in node.children(&mut node.walk()) {
                    pattern &= child.kind() != ")";
                    let compared = NodeContext {
                        compared: true,
                        ..NodeContext::default()
                    };
                    work.push(Work::Node(child, if pattern { compared } else { within(&around) }));
                }
            }
            "pipeline" => {
                let keep = NodeContext { top: false, ..around };
                let mut parts = Vec::new();
                children(node, &keep, source, &mut parts);
                for part in parts {
                    work.extend([Work::Enter, part, Work::Leave]);
                }
            }
            "test_command" => {
                self.test(node, source);
                children(
                    node,
                    &NodeContext {
                        compared: true,
                        ..NodeContext::default()
                    },
                    source,
                    work,
                );
            }
            "arithmetic_expansion" => {
                self.expression(node, source);
                children(node, &arithmetic(), source, work);
            }
            "compound_statement" if node.child(0).is_some_and(|c| c.kind() == "((") => {
                self.expression(node, source);
                children(node, &arithmetic(), source, work);
            }
            "subscript" => {
                self.element(node, source);
                children(node, &around, source, work);
            }
            "variable_assignment" => {
                // `x=1 >file program`: the grammar hangs the program on the redirection.
                if !around.more.is_empty() {
                    self.unclear(of(node, source));
                }
                self.assignment(node, source, &mut inner, Given::Kept);
            }
            "simple_expansion" | "expansion" => self.expansion(node, source, &mut inner),
            "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                let redirect = self.redirect(node, source, &mut inner);
                work.extend(redirect.then.into_iter().map(|n| Work::Node(n, within(&around))));
            }
            "variable_name" => self.needs.variable(of(node, source)),
            "word" if around.arithmetic => self.needs.variable(of(node, source)),
            "word" | "number" | "raw_string" | "ansi_c_string" | "string" | "concatenation" | "translated_string" => {
                let word = super::word::read(node, source, &mut inner);
                if !around.compared {
                    self.needs.secrets_in(&word);
                }
            }
            kind => {
                let keep = NodeContext {
                    top: false,
                    redirected: around.redirected && kind == "negated_command",
                    ..around
                };
                children(node, &keep, source, work);
            }
        }
        work.extend(inner.into_iter().map(|n| Work::Node(n, NodeContext::default())));
        work.extend(self.sets.drain(..).map(Work::Set));
    }

    /// The parts of a loop or a choice.
    fn steps<'t>(&mut self, node: Node<'t>, around: &NodeContext<'t>, source: &str, work: &mut Vec<Work<'t>>) {
        let counts = node.kind() == "c_style_for_statement";
        if !matches!(node.kind(), "if_statement" | "case_statement") {
            let adrift = self.foreseen.adrift.contains(&(self.depth, node.start_byte()));
            work.extend(adrift.then_some(Work::Adrift));
        }
        if counts {
            let body = node
                .child_by_field_name("body")
                .map_or(node.end_byte(), |b| b.start_byte());
            let head = source.get(node.start_byte()..body).unwrap_or_default();
            let inside = head
                .find("((")
                .zip(head.rfind("))"))
                .and_then(|(from, to)| head.get(from + 2..to));
            for part in inside.unwrap_or("`").split(';') {
                self.arithmetic(part, head);
            }
        }
        for (i, child) in node.children(&mut node.walk()).enumerate() {
            let variable = node.kind() == "for_statement" && child.kind() == "variable_name";
            if variable && i < 2 {
                self.counted(node, of(child, source), source);
                // Of no words, and of no arguments of the script, it is given none.
                if node.child_by_field_name("value").is_some() {
                    self.needs.set.insert(of(child, source).into());
                }
            } else if counts && !matches!(child.kind(), "do_group" | "compound_statement") {
                work.push(Work::Node(child, arithmetic()));
            } else {
                work.push(Work::Node(child, within(around)));
            }
        }
    }

    /// A function's body counts where it is defined. Its name is no command from there on, if it is surely defined.
    fn function<'t>(&mut self, node: Node<'t>, around: &NodeContext<'t>, source: &str, work: &mut Vec<Work<'t>>) {
        let name = node.child_by_field_name("name").map(|n| of(n, source).to_owned());
        if let Some(name) = &name
            && !self.needs.found.functions.insert(name.clone())
        {
            self.needs.found.ambiguous.insert(name.clone());
        }
        let own = (self.depth, node.start_byte());
        let adrift = self.foreseen.adrift.contains(&own);
        self.needs.deferred.push((own, self.needs.moves));
        work.extend(adrift.then_some(Work::Adrift));
        work.push(Work::Begin);
        for child in node.named_children(&mut node.walk()) {
            if Some(child) != node.child_by_field_name("name") {
                work.push(Work::Node(child, NodeContext::default()));
            }
        }
        work.push(Work::Body(name.clone().unwrap_or_default()));
        work.push(match adrift {
            true => Work::Called(self.needs.folder.clone(), self.needs.moves),
            false => Work::Perhaps(self.needs.folder.clone()),
        });
        // What the shell or the reader knows by itself stays what it is: not every shell lets a function take its place.
        let own = |name: &str| builtin::is_harmless_command(name) || super::simple::steers(name);
        if let (Some(name), true) = (name.filter(|n| !own(n)), around.top) {
            work.push(Work::Defined(name));
        }
    }
}

/// Puts the children of a node on `work`. Words that stand after a redirection belong to the last of them.
fn children<'t>(node: Node<'t>, around: &NodeContext<'t>, source: &str, work: &mut Vec<Work<'t>>) {
    let from = work.len();
    let (mut end, mut may_drop) = (node.start_byte(), false);
    for child in node.children(&mut node.walk()) {
        if child.is_named() {
            let more = Rc::default();
            let mut own = NodeContext { more, ..around.clone() };
            if around.top {
                may_drop &= !ends_line(source.get(end..child.start_byte()).unwrap_or_default());
                own.top = !may_drop;
                may_drop |= !matches!(child.kind(), "function_definition" | "comment");
                end = child.end_byte();
            }
            work.push(Work::Node(child, own));
        } else if child.kind() == "&"
            && let Some(Work::Node(_, before)) = work[from..].last_mut()
        {
            // It runs in a shell of its own.
            before.top = false;
            work.insert(work.len() - 1, Work::Enter);
            work.push(Work::Leave);
        }
    }
    if let Some(Work::Node(_, last)) = work[from..].last_mut() {
        last.more = Rc::clone(&around.more);
    }
}

/// Whether a line ends in what stands between two commands: after an error in an expansion (`$((1/0))`) bash drops the rest of the line,
/// and reads on at the next.
fn ends_line(between: &str) -> bool {
    between.replace("\\\n", "").contains('\n')
}

/// The commands of `a && b && c`, each of which runs when those before it have succeeded; none if another sign is among them.
fn chain(node: Node<'_>) -> Vec<Node<'_>> {
    // Longer ones are left alone: each list in a list would be looked through again.
    const MOST: usize = 64;
    let mut parts = Vec::new();
    let mut list = node;
    while parts.len() < MOST {
        let children: Vec<Node<'_>> = list.children(&mut list.walk()).collect();
        let [left, sign, right] = children[..] else {
            return Vec::new();
        };
        if sign.kind() != "&&" {
            return Vec::new();
        }
        parts.push(right);
        if left.kind() != "list" {
            parts.push(left);
            parts.reverse();
            return parts;
        }
        list = left;
    }
    Vec::new()
}

/// What surrounds the commands in a statement.
fn within<'t>(around: &NodeContext<'t>) -> NodeContext<'t> {
    NodeContext {
        input: around.input.clone(),
        ..NodeContext::default()
    }
}

fn arithmetic<'t>() -> NodeContext<'t> {
    NodeContext {
        arithmetic: true,
        compared: true,
        ..NodeContext::default()
    }
}
