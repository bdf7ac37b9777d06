//! The bars between lanes: as long as the lines they gather, and the ways of the dependencies through them.

use super::forks::{BAR, BAR_SPREAD, Forks};
use super::parts::{GRID, Laid, LaidBar, Plan, Port, Route};

/// Room beyond the outermost line, px.
const BEYOND: f64 = 12.0;
/// Room that a bar leaves to what stands or passes beside it in its layer, px.
const ASIDE: f64 = 4.0;

fn floor(value: f64) -> f64 {
    (value / GRID).floor() * GRID
}

fn ceil(value: f64) -> f64 {
    (value / GRID).ceil() * GRID
}

/// How far a line may be moved at a bar before the bar is no help, px.
const AWAY: f64 = 64.0;

/// Makes each bar as long as the lines at it need to run straight, as far as its neighbours leave room, and gives the lines
/// their places at it. Returns the bars that something stands in the middle of, so that lines go a long way around: by their
/// place among the bars.
pub(super) fn stretch(plan: &mut Plan) -> Vec<usize> {
    let mut at_bar: Vec<Vec<usize>> = vec![Vec::new(); plan.items.len()];
    for (index, link) in plan.links.iter().enumerate() {
        for item in [link.from, link.to] {
            if plan.items[item].port == Port::Bar {
                at_bar[item].push(index);
            }
        }
    }
    let bars: Vec<usize> = (0..plan.items.len())
        .filter(|&item| plan.items[item].port == Port::Bar)
        .collect();
    for &bar in &bars {
        let wanted: Vec<f64> = at_bar[bar].iter().map(|&link| beyond(plan, link, bar)).collect();
        let low = wanted.iter().copied().fold(f64::INFINITY, f64::min) - BEYOND;
        let high = wanted.iter().copied().fold(f64::NEG_INFINITY, f64::max) + BEYOND;
        let cell = plan.cell_of[bar];
        let own = &plan.graph.cells[cell];
        let (top, bottom) = (plan.at[cell] - own.up, plan.at[cell] + own.down);
        let layer = &plan.graph.layers[own.layer];
        let place = plan.graph.place[cell];
        let above = place.checked_sub(1).map_or(f64::NEG_INFINITY, |place| {
            plan.at[layer[place]] + plan.graph.cells[layer[place]].down + ASIDE
        });
        let below = layer.get(place + 1).map_or(f64::INFINITY, |&other| {
            plan.at[other] - plan.graph.cells[other].up - ASIDE
        });
        let (mut low, mut high) = (floor(low.max(above)), ceil(high.min(below)));
        if high - low < plan.items[bar].cross {
            // Cut off by its neighbours: what was kept free for it holds all of its lines, close to each other.
            (low, high) = (top, bottom);
        }
        plan.items[bar].cross = high - low;
        let line = plan.items[bar].line();
        plan.at[cell] = low + line;
        let cell = &mut plan.graph.cells[cell];
        (cell.up, cell.down) = (line, high - low - line);
    }
    // One bar after the other has its place now: the lines between two of them know both ends.
    let mut cut = Vec::new();
    for (index, &bar) in bars.iter().enumerate() {
        let mut away = false;
        let at = plan.at[plan.cell_of[bar]];
        for leaving in [true, false] {
            let mut lines: Vec<(f64, usize)> = (at_bar[bar].iter())
                .filter(|&&link| (plan.links[link].from == bar) == leaving)
                .map(|&link| (beyond(plan, link, bar), link))
                .collect();
            lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let places = spread(&lines, at - plan.items[bar].line(), plan.items[bar].cross);
            for (&(wanted, link), place) in lines.iter().zip(places) {
                away |= (wanted - place).abs() > AWAY;
                let link = &mut plan.links[link];
                let port = if leaving {
                    &mut link.from_port
                } else {
                    &mut link.to_port
                };
                *port = Some(place - at);
            }
        }
        if away {
            cut.push(index);
        }
    }
    cut
}

/// Where the line of a link would meet a bar if it came straight from its other end.
fn beyond(plan: &Plan, link: usize, bar: usize) -> f64 {
    let ends = &plan.links[link];
    let leaving = ends.from == bar;
    let passes = &plan.passes[link];
    let next = if leaving { passes.first() } else { passes.last() };
    let (other, port) = if leaving {
        (ends.to, ends.to_port)
    } else {
        (ends.from, ends.from_port)
    };
    next.map_or_else(
        || plan.at[plan.cell_of[other]] + port.unwrap_or(0.0),
        |&pass| plan.at[pass],
    )
}

/// Places for lines, in their order and apart, as near as possible to where each wants to be.
fn spread(lines: &[(f64, usize)], low: f64, length: f64) -> Vec<f64> {
    let end = (BAR_SPREAD / 2.0).min(length / 2.0);
    let (low, high) = (low + end, low + length - end);
    let apart = BAR_SPREAD.min((high - low) / (lines.len().max(2) - 1) as f64);
    let mut places: Vec<f64> = Vec::with_capacity(lines.len());
    for &(wanted, _) in lines {
        let least = places.last().map_or(low, |before| before + apart);
        places.push(wanted.max(least));
    }
    let mut most = high;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - apart;
    }
    places
}

/// Once the boxes have spread their lines, those at a bar follow them, so that they stay straight.
pub(super) fn follow(plan: &Plan, from_ports: &mut [f64], to_ports: &mut [f64]) {
    for (index, link) in plan.links.iter().enumerate() {
        if !plan.passes[index].is_empty() || plan.around[index] {
            continue;
        }
        let (from, to) = (plan.cell_of[link.from], plan.cell_of[link.to]);
        let bars = (
            plan.items[link.from].port == Port::Bar,
            plan.items[link.to].port == Port::Bar,
        );
        let near = |bar: usize, own: f64, wanted: f64| {
            let room = plan.items[bar].line() - BAR_SPREAD / 2.0;
            // Only a little: further away its place was given on purpose.
            if (wanted - own).abs() <= 32.0 && wanted.abs() <= room {
                wanted
            } else {
                own
            }
        };
        match bars {
            (true, false) => {
                from_ports[index] = near(
                    link.from,
                    from_ports[index],
                    plan.at[to] + to_ports[index] - plan.at[from],
                )
            }
            (false, true) => {
                to_ports[index] = near(
                    link.to,
                    to_ports[index],
                    plan.at[from] + from_ports[index] - plan.at[to],
                )
            }
            _ => {}
        }
    }
}

/// The component without its bars as items: each dependency's way leads through the bars on it.
pub(super) fn joined(laid: Laid, items: usize, pieces: &[Vec<usize>], forks: Forks) -> Laid {
    debug_assert_eq!(laid.bars.len(), forks.sheaves.len(), "each sheaf is one bar");
    let bars: Vec<LaidBar> = (laid.bars.into_iter().zip(forks.sheaves))
        .map(|(bar, sheaf)| LaidBar {
            from: sheaf.from,
            to: sheaf.to,
            ..bar
        })
        .collect();
    let mut routes = Vec::with_capacity(pieces.len());
    let mut label_after = Vec::with_capacity(pieces.len());
    for (own, &(_, fork)) in pieces.iter().zip(&forks.through) {
        let mut whole = laid.routes[own[0]].clone();
        // Its number stands where it is alone: after the last bar, or where it only joins others, before that bar.
        let mut after = 0;
        for &piece in &own[1..] {
            let next = &laid.routes[piece];
            if fork.is_some()
                && let Route::Across(runs) = &whole
            {
                after = runs.len();
            }
            whole = through(whole, next.clone());
        }
        routes.push(whole);
        label_after.push(after);
    }
    Laid {
        main: laid.main,
        cross: laid.cross,
        items: laid.items[..items].to_vec(),
        layer_start: laid.layer_start[..items].to_vec(),
        row_top: laid.row_top[..items].to_vec(),
        rows: laid.rows,
        routes,
        label_after,
        implied: forks.implied,
        bars,
    }
}

/// Two ways that meet at a bar: along it from the one to the other.
fn through(first: Route, second: Route) -> Route {
    match (first, second) {
        (Route::Across(mut runs), Route::Across(mut more)) => {
            if let (Some(last), Some(next)) = (runs.last_mut(), more.first_mut()) {
                let middle = last.end + BAR / 2.0;
                (last.end, next.start) = (middle, middle);
            }
            runs.extend(more);
            Route::Across(runs)
        }
        (first, second) => {
            let mut points = first.corners();
            points.extend(second.corners());
            Route::Around(points)
        }
    }
}

/// Where the bars ended up.
pub(super) fn placed(plan: &Plan, items: &[(f64, f64)]) -> Vec<LaidBar> {
    (plan.items.iter().zip(items))
        .filter(|(item, _)| item.port == Port::Bar)
        .map(|(item, &(main, cross))| LaidBar {
            main: main + BAR / 2.0,
            low: cross,
            high: cross + item.cross,
            from: Vec::new(),
            to: Vec::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn lines_keep_their_order_and_apart() {
        let places = |wanted: &[f64], low: f64, length: f64| {
            let lines: Vec<(f64, usize)> = wanted.iter().copied().zip(0..).collect();
            spread(&lines, low, length)
        };
        assert_eq!(places(&[10.0, 50.0], 0.0, 60.0), [10.0, 50.0]);
        assert_eq!(places(&[50.0, 50.0, 50.0], 0.0, 60.0), [40.0, 48.0, 56.0]);
        assert_eq!(places(&[-90.0, 900.0], 0.0, 24.0), [4.0, 20.0]);
        assert_eq!(places(&[7.0, 7.0, 7.0], 0.0, 12.0), [4.0, 6.0, 8.0]);
    }
}
