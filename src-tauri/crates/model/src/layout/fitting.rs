//! One component: in one row, or in several where it has to fit into a room.

use super::bars;
use super::component::in_one_row;
use super::forks::{forks, with_bars};
use super::parts::{Item, Laid, Link, Room};
use super::ranks::layers_of;
use super::rows;

/// More items than this are looked at from afar: there a few cut bars are not worth a third drawing.
const MANY: usize = 300;

/// Places the items of one component and routes its links; where it has to fit into a room, in rows.
pub(super) fn lay_out(items: Vec<Item>, links: Vec<Link>, room: Option<Room>) -> Laid {
    let mut rank = layers_of(&items, &links);
    let lanes: Vec<usize> = items.iter().map(|item| item.lane).collect();
    super::bands::apart(&mut rank, &lanes);
    if !links.iter().any(|link| link.depends) {
        return place(items, links, &rank, room).0;
    }
    let mut forks = forks(&items, &links, &rank);
    let count = items.len();
    let mut attempts = 0..if count > MANY { 1 } else { 2 };
    loop {
        let barred = with_bars(items.clone(), links.clone(), &rank, &forks);
        let (laid, mut cut) = place(barred.items, barred.links, &barred.rank, room);
        cut.retain(|&bar| forks.sheaves[bar].is_dispensable());
        // Few attempts: another cut bar is less bad than a slow drawing.
        if cut.is_empty() || attempts.next().is_none() {
            return bars::joined(laid, count, &barred.pieces, forks);
        }
        // Where many lead to many the bars often are in each other's way; the others may find room without them.
        let knots: Vec<usize> = cut
            .iter()
            .copied()
            .filter(|&bar| forks.sheaves[bar].is_knot())
            .collect();
        forks.without(if knots.is_empty() { &cut } else { &knots });
    }
}

/// Also the bars that lines go a long way around for, by their place among the bars.
fn place(items: Vec<Item>, links: Vec<Link>, rank: &[usize], room: Option<Room>) -> (Laid, Vec<usize>) {
    match room {
        Some(room) => rows::fitted(items, links, rank, room),
        None => in_one_row(items, links, rank),
    }
}
