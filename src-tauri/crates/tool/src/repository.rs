//! What Git knows ([`crate::git`]) as tools.

use crate::{Answer, Context, Leash, Outcome, Source, Spec, git};
use serde_json::Value;

/// Shows what Git knows of the project.
#[derive(Debug)]
pub(crate) struct Repository;

impl Source for Repository {
    fn specs(&self) -> Vec<Spec> {
        git::tools()
    }

    fn call<'a>(&'a self, name: &'a str, args: &'a Value, context: &'a Context, leash: &'a Leash) -> Answer<'a> {
        let (name, args, context, stop) = (name.to_owned(), args.clone(), context.clone(), leash.flag());
        Box::pin(leash.blocking(move || {
            let mut view = git::View::new(&context.root, &context.policy);
            view.stop = stop;
            match git::call(&name, &view, &args) {
                Some(Ok(shown)) => Outcome::completed(shown),
                Some(Err(error)) => Outcome::failed(error.to_string()),
                None => Outcome::failed(format!("`{name}` is not one of these tools")),
            }
        }))
    }
}
