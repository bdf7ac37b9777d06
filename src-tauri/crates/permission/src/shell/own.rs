//! Variables that a script gave a value itself, and the functions that do it for it.

use std::collections::BTreeSet;
use std::rc::Rc;

/// The variables that a function gives a value when it is called. Shared: functions that call each other name the same ones.
#[derive(Debug, Clone)]
pub(super) struct Body {
    /// Which of all bodies it is.
    number: usize,
    names: Rc<[Rc<str>]>,
}

impl Body {
    pub fn new(number: usize, names: Vec<Rc<str>>) -> Self {
        let names = names.into();
        Self { number, names }
    }
}

#[derive(Debug)]
enum Given {
    Name(Rc<str>),
    Body(usize),
}

/// Variables that hold what the script gave them, in the order in which it did.
#[derive(Debug, Default)]
pub(super) struct Own {
    names: BTreeSet<Rc<str>>,
    /// Bodies all of whose variables are among these.
    bodies: BTreeSet<usize>,
    order: Vec<Given>,
}

impl Own {
    pub fn insert(&mut self, name: Rc<str>) {
        if self.names.insert(Rc::clone(&name)) {
            self.order.push(Given::Name(name));
        }
    }

    /// A function was called. How many names had to be looked at: none where it was called before.
    pub fn call(&mut self, body: &Body) -> usize {
        if !self.bodies.insert(body.number) {
            return 0;
        }
        self.order.push(Given::Body(body.number));
        body.names.iter().for_each(|name| self.insert(Rc::clone(name)));
        body.names.len()
    }

    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// A moment of the script: how much was given by now.
    pub fn moment(&self) -> usize {
        self.order.len()
    }

    /// What was given since a moment was given in a shell of its own, or maybe never. These are the names.
    pub fn back_to(&mut self, moment: usize) -> Vec<Rc<str>> {
        let mut names = Vec::new();
        for given in self.order.split_off(moment.min(self.order.len())) {
            match given {
                Given::Name(name) => {
                    self.names.remove(&name);
                    names.push(name);
                }
                Given::Body(number) => drop(self.bodies.remove(&number)),
            }
        }
        names
    }
}
