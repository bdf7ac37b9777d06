//! What somebody ordered a run to do, as its log and its page say it.

use crate::gate::decisions::Signed;
use crate::settings::identity;
use crate::text::safe;
use crate::words;
use engine::{EndStatus, Given, Order, OrderKind, RunState, RunStatus};
use history::Events;
use store::Stored;

/// How an order was given, behind what was ordered: ` on the command line, signed with the key 7F3A…C2`; empty where that is not recorded.
pub fn given(given: Option<&Given>) -> String {
    let Some(given) = given else {
        return String::new();
    };
    let key = with_key(given).unwrap_or_else(|| ", not signed".to_owned());
    format!("{}{key}", way(given))
}

fn way(given: &Given) -> String {
    match words::way(&given.via) {
        "" => String::new(),
        way => format!(" {way}"),
    }
}

fn with_key(given: &Given) -> Option<String> {
    let signature = given.signature.as_ref()?;
    Some(format!(", signed with the key {}", identity::short(&signature.key)))
}

/// That an order was given in a name with a key that belongs to another one, in a sentence; `None`: it was not.
pub fn for_another(order: Order<'_>, given: Option<&Given>) -> Option<String> {
    let given = given.filter(|given| given.signature.is_some())?;
    let owner = given.key_name.as_deref().filter(|owner| *owner != order.by)?;
    Some(format!(
        "{} gave this order with the key of {}.",
        safe::visible(order.by),
        safe::visible(owner)
    ))
}

/// Who holds a run where it stands, because they paused or stopped it, and what is known of their signature; `None`: nobody did. `events`: those up to
/// how it stands.
pub fn standing(events: Events<'_>, state: &RunState, signed: &dyn Fn(&Stored) -> Option<Signed>) -> Option<String> {
    let (wanted, did) = match state.status {
        RunStatus::Ended(EndStatus::Aborted) => (OrderKind::Stop, "Stopped"),
        _ if state.paused && !state.status.ended() => (OrderKind::Pause, "Paused"),
        _ => return None,
    };
    let (stored, order, given) = events.iter().rev().find_map(|stored| {
        let (order, given) = Order::of(&stored.event)?;
        (order.kind == wanted).then_some((stored, order, given))
    })?;
    Some(told(did, (order, given), signed(stored)))
}

/// `Stopped by Ada Lund on the command line, signed with the key 7F3A…C2. Your key.` That nobody signed it is said once.
fn told(did: &str, (order, given): (Order<'_>, Option<&Given>), signed: Option<Signed>) -> String {
    let way = given.map(way).unwrap_or_default();
    let key = given.and_then(with_key).unwrap_or_default();
    let known = match signed {
        Some(signed) if signed.holds => signed.whose.words,
        Some(_) => "The signature does not hold: something was changed afterwards. Do not rely on it.".to_owned(),
        None => "Nobody signed that: the name is what was given.".to_owned(),
    };
    let sentences: Vec<String> = for_another(order, given).into_iter().chain([known]).collect();
    format!(
        "{did} by {}{way}{key}. {}",
        safe::visible(order.by),
        sentences.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::people_view::{KeyStanding, Standing};
    use engine::Signature;

    #[test]
    fn how_an_order_was_given_is_told_once_and_whose_key_it_is() {
        let stop = Order::to(OrderKind::Stop, "Bo Berg");
        let given = |key_name: Option<&str>, is_signed: bool| Given {
            via: "cli".to_owned(),
            key_name: key_name.map(str::to_owned),
            signature: is_signed.then(|| Signature {
                key: "7f3a00000000c2".to_owned(),
                signature: String::new(),
                grounds: None,
            }),
        };
        let known = || {
            Some(Signed {
                holds: true,
                whose: KeyStanding {
                    standing: Standing::Own,
                    words: "Your key.".to_owned(),
                },
            })
        };
        let unsigned = "Nobody signed that: the name is what was given.";
        let told = |given: Option<&Given>, known| told("Stopped", (stop, given), known);
        assert_eq!(told(None, None), format!("Stopped by Bo Berg. {unsigned}"));
        // What nobody signed says nothing of a key.
        let one = given(Some("Ada Lund"), false);
        assert_eq!(
            told(Some(&one), None),
            format!("Stopped by Bo Berg on the command line. {unsigned}")
        );
        let signed = "Stopped by Bo Berg on the command line, signed with the key 7F3A…C2.";
        assert_eq!(told(Some(&given(None, true)), known()), format!("{signed} Your key."));
        assert_eq!(
            told(Some(&given(Some("Ada Lund"), true)), known()),
            format!("{signed} Bo Berg gave this order with the key of Ada Lund. Your key.")
        );
    }
}
