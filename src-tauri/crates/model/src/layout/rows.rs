//! Rows: a flow too long for its room is broken between two layers, and the rows stand below each other, each laid out for itself.
//!
//! A way on from one row to a later one leaves at the row's end, runs back in the gutter below it and enters at the start of the
//! other. A way back climbs into the gutter above its box: from there straight to the box above, where nothing is in its way, else
//! around the rows. How many rows there are follows from structure and room alone.

use super::absolute::climb;
use super::component::in_one_row;
use super::parts::{GRID, Item, Laid, LaidBar, Link, Port, Room, Route, Run, snap};

/// Room between two rows without anything between them, px.
const ROW_GAP: f64 = 32.0;
/// Room between a row and the ways in the gutter below it, and between those and the next row, px.
const BELOW: f64 = 28.0;
const ABOVE: f64 = 20.0;
/// Room a way takes in a gutter, and beside the rows, px.
const TRACK: f64 = 20.0;
const ASIDE: f64 = 12.0;
/// Room between a row's start and the ways beside it, px.
const START: f64 = 16.0;
/// Room between a row's end and the ways beside it, px.
const END: f64 = 0.0;
/// Two ways share a line of a gutter when they are at least this far apart, px.
const APART: f64 = 16.0;
/// What rows take beside their layers: ports at both ends, ways at their sides, px.
const SIDES: f64 = 104.0;
/// What a layer takes beside its boxes, and a box beside its height, px; estimates.
const LAYER: f64 = 56.0;
const STACK: f64 = 32.0;
const GUTTER: f64 = 48.0;
/// What it costs to break: beside the first way on, by a way back, inside a lane; and a row that is not filled.
const FORWARD: f64 = 2.0;
const BACK: f64 = 3.0;
const IN_LANE: f64 = 1.5;
const UNFILLED: f64 = 4.0;
/// Up to so many items the likeliest breaks are all laid out and the best is taken; above, the estimate decides.
const FEW: usize = 160;
const LIKELY: usize = 4;
/// Up to so many layers every number of rows is thought of.
const SHALLOW: usize = 48;
/// Fewer rows win when they are nearly as large.
const NEARLY: f64 = 0.97;
/// Where on its box the first, the second … way back arrives from below.
const FROM_BELOW: [f64; 4] = [0.36, 0.5, 0.22, 0.64];
const CLIMBING: [f64; 4] = [0.72, 0.84, 0.6, 0.92];
const FALLING: [f64; 4] = [0.28, 0.16, 0.4, 0.08];

/// What the layers of a component take, as far as it is known before they are laid out.
struct Layers {
    /// Along the flow, with the gap after it.
    main: Vec<f64>,
    /// Across it.
    cross: Vec<f64>,
    /// What a break before each layer costs.
    cut: Vec<f64>,
    /// Ways on across the break before each layer.
    ways: Vec<usize>,
}

impl Layers {
    fn of(items: &[Item], links: &[Link], rank: &[usize]) -> Self {
        let depth = rank.iter().max().map_or(0, |last| last + 1);
        let mut main = vec![0.0f64; depth];
        let mut cross = vec![0.0f64; depth];
        let mut gap = vec![LAYER; depth];
        let mut lanes = vec![(usize::MAX, 0); depth];
        let divided = items.iter().any(|item| item.lane > 0);
        for (item, &rank) in items.iter().zip(rank) {
            main[rank] = main[rank].max(item.main);
            cross[rank] += item.cross + STACK;
            lanes[rank] = (lanes[rank].0.min(item.lane), lanes[rank].1.max(item.lane));
        }
        // How many ways begin before a layer and end in it or after it, by adding up where they begin and end.
        let (mut on, mut back) = (vec![0i64; depth + 1], vec![0i64; depth + 1]);
        for link in links {
            let (low, high) = (rank[link.from].min(rank[link.to]), rank[link.from].max(rank[link.to]));
            let count = if link.back { &mut back } else { &mut on };
            count[low + 1] += 1;
            count[high + 1] -= 1;
            if !link.back {
                gap[low] = gap[low].max(link.label_main + 24.0);
            }
        }
        let (mut cut, mut ways) = (Vec::with_capacity(depth), Vec::with_capacity(depth));
        let (mut forward, mut backward) = (0, 0);
        for layer in 0..depth {
            forward += on[layer];
            backward += back[layer];
            let inside = divided && layer > 0 && lanes[layer - 1].1 == lanes[layer].0;
            let lane = if inside { IN_LANE } else { 0.0 };
            cut.push((forward - 1).max(0) as f64 * FORWARD + backward as f64 * BACK + lane);
            ways.push(usize::try_from(forward + backward).unwrap_or(0));
        }
        let main = main.iter().zip(&gap).map(|(main, gap)| main + gap).collect();
        Self { main, cross, cut, ways }
    }

    fn depth(&self) -> usize {
        self.main.len()
    }

    fn length(&self) -> f64 {
        self.main.iter().sum()
    }

    /// The first layer of each row: the cheapest breaks with rows no longer than `most`, if their layers are not.
    fn broken(&self, most: f64) -> Vec<usize> {
        let depth = self.depth();
        // The least cost of everything from a layer on, and where the row that begins there ends.
        let mut best = vec![(0.0f64, depth); depth + 1];
        for start in (0..depth).rev() {
            let mut length = 0.0;
            let mut found: Option<(f64, usize)> = None;
            for (end, &(rest, _)) in best.iter().enumerate().skip(start + 1) {
                length += self.main[end - 1];
                if length > most && end > start + 1 {
                    break;
                }
                let free = ((most - length) / most).max(0.0);
                let cost = match end == depth {
                    true => free * free,
                    false => free * free * UNFILLED + self.cut[end] + rest,
                };
                if found.is_none_or(|(least, _)| cost <= least) {
                    found = Some((cost, end));
                }
            }
            best[start] = found.unwrap_or((0.0, depth));
        }
        let mut starts = vec![0];
        let mut at = best[0].1;
        while at < depth {
            starts.push(at);
            at = best[at].1;
        }
        starts
    }

    /// Size of the drawing with these rows, about.
    fn size(&self, starts: &[usize], header: f64) -> (f64, f64) {
        let (mut main, mut cross) = (0.0f64, 0.0f64);
        for (row, &start) in starts.iter().enumerate() {
            let end = starts.get(row + 1).copied().unwrap_or(self.depth());
            let ways = if row == 0 {
                0
            } else {
                self.ways[start].saturating_sub(1)
            };
            main = main.max(self.main[start..end].iter().sum::<f64>() + ways as f64 * ASIDE);
            cross += self.cross[start..end].iter().copied().fold(0.0, f64::max) + header;
            if row > 0 {
                cross += GUTTER - STACK + ways as f64 * TRACK;
            }
        }
        (main + SIDES - LAYER, cross)
    }
}

impl Room {
    /// How much a drawing of this size is shrunk to fit; never blown up.
    fn scale(self, (main, cross): (f64, f64)) -> f64 {
        (self.main / main.max(1.0)).min(self.cross / cross.max(1.0)).min(1.0)
    }
}

/// Lays a component out in as many rows as fill the room best, and as few as that takes. Also the bars that lines go a long way
/// around for.
pub(super) fn fitted(items: Vec<Item>, links: Vec<Link>, rank: &[usize], room: Room) -> (Laid, Vec<usize>) {
    let layers = Layers::of(&items, &links, rank);
    let length = layers.length();
    // A row that is far too long need not be measured.
    let one = (length < 4.0 * room.main).then(|| in_one_row(items.clone(), links.clone(), rank));
    if let Some(one) = one.as_ref().filter(|(laid, _)| laid.main <= room.main) {
        return one.clone();
    }
    let found = likely(&layers, room);
    let mut best = one.map(|one| (room.scale((one.0.main, one.0.cross)), one));
    let tried = if items.len() <= FEW { LIKELY } else { 1 };
    for starts in found.iter().take(tried) {
        let laid = in_rows(&items, &links, rank, starts, room.header);
        let scale = room.scale((laid.0.main, laid.0.cross));
        if best.as_ref().is_none_or(|(most, _)| scale * NEARLY > *most) {
            best = Some((scale, laid));
        }
    }
    best.map_or_else(|| in_one_row(items, links, rank), |(_, laid)| laid)
}

/// Ways to break, fewest rows first among those that are nearly as large as the largest; the largest of all is the first where
/// only one is asked for.
fn likely(layers: &Layers, room: Room) -> Vec<Vec<usize>> {
    let (depth, length) = (layers.depth(), layers.length());
    let widest = layers.main.iter().copied().fold(0.0, f64::max);
    let tall = layers.size(&[0], room.header).1.max(1.0);
    // More rows than fill the width make nothing larger.
    let enough = length / room.main.max(1.0);
    let ideal = (length * room.cross / (room.main.max(1.0) * tall)).sqrt().min(enough);
    let numbers = match depth <= SHALLOW {
        true => 2..=depth.max(2),
        false => (ideal * 0.7).floor().max(2.0) as usize..=((ideal * 1.6).ceil() as usize + 2).min(depth),
    };
    // Many numbers of rows lie between the two bounds of a long flow: about a dozen of them tell enough.
    let step = ((numbers.end() + 1).saturating_sub(*numbers.start()) / 12).max(1);
    let step = if depth <= SHALLOW { 1 } else { step };
    let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
    for number in numbers.step_by(step) {
        let most = (length / number as f64 * 1.04).max(widest);
        let starts = layers.broken(most);
        if starts.len() > 1 && found.iter().all(|(_, other)| *other != starts) {
            found.push((room.scale(layers.size(&starts, room.header)), starts));
        }
    }
    let most = found.iter().map(|(scale, _)| *scale).fold(0.0, f64::max);
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.len().cmp(&b.1.len())));
    found.truncate(LIKELY);
    found.retain(|(scale, _)| *scale >= most * 0.8);
    found.sort_by_key(|(scale, starts)| (*scale < most * NEARLY, starts.len()));
    found.into_iter().map(|(_, starts)| starts).collect()
}

/// What becomes of a link: it stays in its row, or leaves one and enters another.
#[derive(Clone, Copy)]
enum Part {
    /// By its place among the row's links.
    Within(usize),
    /// By the places of its halves among the links of both rows.
    On(usize, usize),
    Back,
}

/// A row by itself.
struct Row {
    /// Its items by their places in the component; ports at its ends have none.
    own: Vec<usize>,
    sizes: Vec<(f64, f64)>,
    laid: Laid,
    cut: Vec<usize>,
}

/// A straight stretch in a gutter, or beside the rows.
struct Stretch {
    low: f64,
    high: f64,
    /// What orders it: smaller ones lie nearer to where the tracks begin.
    key: (u8, f64),
    link: usize,
}

/// The track of each stretch, and how many tracks there are. Stretches that are apart share one.
fn tracks(mut stretches: Vec<Stretch>, links: usize) -> (Vec<usize>, usize) {
    stretches.sort_by(|a, b| {
        (a.key.0.cmp(&b.key.0))
            .then(a.key.1.total_cmp(&b.key.1))
            .then(a.link.cmp(&b.link))
    });
    let mut track = vec![0; links];
    let mut taken: Vec<Vec<(f64, f64)>> = Vec::new();
    for stretch in stretches {
        let free = |taken: &Vec<(f64, f64)>| {
            taken
                .iter()
                .all(|&(low, high)| high + APART <= stretch.low || stretch.high + APART <= low)
        };
        let at = taken.iter().position(free).unwrap_or_else(|| {
            taken.push(Vec::new());
            taken.len() - 1
        });
        taken[at].push((stretch.low, stretch.high));
        track[stretch.link] = at;
    }
    (track, taken.len())
}

/// A way back between two rows, in coordinates of its rows.
struct Climb {
    link: usize,
    from: usize,
    to: usize,
    /// Up from its box to the upper edge of its row.
    up: Vec<(f64, f64)>,
    /// From its box, upwards or (where it arrives from below) downwards, to the edge of that row.
    down: Vec<(f64, f64)>,
    from_below: bool,
}

/// Lays the component out in rows that begin with these layers.
fn in_rows(items: &[Item], links: &[Link], rank: &[usize], starts: &[usize], header: f64) -> (Laid, Vec<usize>) {
    let row_of = |item: usize| starts.partition_point(|&start| start <= rank[item]) - 1;
    let (rows, parts) = divided(items, links, rank, starts, &row_of);
    let mut local = vec![0; items.len()];
    for row in &rows {
        for (place, &item) in row.own.iter().enumerate() {
            local[item] = place;
        }
    }
    // Boxes begin below each other; a row that others lead into has its ports before them.
    let first = |row: &Row| {
        let starts = row.own.iter().zip(&row.laid.items).map(|(_, at)| at.0);
        starts.fold(f64::INFINITY, f64::min).min(row.laid.main)
    };
    let furthest = rows.iter().map(first).fold(0.0, f64::max);
    let indent: Vec<f64> = rows.iter().map(|row| snap(furthest - first(row))).collect();
    let end = |row: usize| indent[row] + rows[row].laid.main;
    let exit = |link: usize, half: usize| match &rows[row_of(links[link].from)].laid.routes[half] {
        Route::Across(runs) => runs.last().map_or(0.0, |run| run.cross),
        _ => 0.0,
    };

    let climbs = climbs(links, &rows, &local, &indent, &row_of);
    // Beside each row's end: the lowest way turns first, so that no two cross there.
    let mut turns: Vec<Vec<(f64, usize)>> = vec![Vec::new(); rows.len()];
    for (link, part) in parts.iter().enumerate() {
        if let Part::On(leaving, _) = *part {
            turns[row_of(links[link].from)].push((exit(link, leaving), link));
        }
    }
    let mut turn = vec![0usize; links.len()];
    for turns in &mut turns {
        turns.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (place, &(_, link)) in turns.iter().enumerate() {
            turn[link] = place;
        }
    }
    let turn_at = |row: usize, link: usize| end(row) + END + turn[link] as f64 * ASIDE;
    let widest = (0..rows.len())
        .map(|row| end(row) + END + turns[row].len() as f64 * ASIDE)
        .fold(0.0, f64::max);

    // The gutter above each row: ways on from the row before, then ways back.
    let mut gutters: Vec<Vec<Stretch>> = rows.iter().map(|_| Vec::new()).collect();
    for (link, part) in parts.iter().enumerate() {
        if let Part::On(..) = part {
            let row = row_of(links[link].from);
            gutters[row + 1].push(Stretch {
                low: -START,
                high: turn_at(row, link),
                key: (1, turn[link] as f64),
                link,
            });
        }
    }
    // A way back runs on the side that is nearer.
    let meets = |points: &[(f64, f64)]| points.last().map_or(0.0, |point| point.0);
    let is_right = |climb: &Climb| 2.0 * widest <= meets(&climb.up) + meets(&climb.down) + widest;
    let mut falls: Vec<Vec<Stretch>> = rows.iter().map(|_| Vec::new()).collect();
    for climb in &climbs {
        let (up, down) = (meets(&climb.up), meets(&climb.down));
        let span = |at: f64| if is_right(climb) { (at, widest) } else { (-START, at) };
        if climb.from_below {
            gutters[climb.from].push(Stretch {
                low: up.min(down),
                high: up.max(down),
                key: (0, (up - down).abs()),
                link: climb.link,
            });
        } else {
            let (low, high) = span(up);
            gutters[climb.from].push(Stretch {
                low,
                high,
                key: (2, high - low),
                link: climb.link,
            });
            let (low, high) = span(down);
            falls[climb.to].push(Stretch {
                low,
                high,
                key: (2, high - low),
                link: climb.link,
            });
        }
    }
    // What arrives in a gutter lies below what leaves in it, so both have tracks of their own.
    let gutters: Vec<(Vec<usize>, usize)> = gutters.into_iter().map(|all| tracks(all, links.len())).collect();
    let falls: Vec<(Vec<usize>, usize)> = falls.into_iter().map(|all| tracks(all, links.len())).collect();
    let mut tops: Vec<f64> = Vec::with_capacity(rows.len());
    let mut gutter_at: Vec<f64> = Vec::with_capacity(rows.len());
    let mut cross = 0.0;
    for (row, one) in rows.iter().enumerate() {
        let count = gutters[row].1 + falls[row].1;
        let height = match (row, count) {
            (0, 0) => 0.0,
            (0, _) => (count as f64 - 1.0) * TRACK + ABOVE + 8.0,
            (_, 0) => ROW_GAP,
            _ => BELOW + (count as f64 - 1.0) * TRACK + ABOVE,
        };
        gutter_at.push(cross + if row == 0 { 8.0 } else { BELOW });
        cross += height + if row == 0 { 0.0 } else { header };
        tops.push(cross);
        cross += one.laid.cross;
    }
    let gutter_y = |row: usize, link: usize| gutter_at[row] + gutters[row].0[link] as f64 * TRACK;
    let fall_y = |row: usize, link: usize| gutter_at[row] + (gutters[row].1 + falls[row].0[link]) as f64 * TRACK;

    let entry = |link: usize, half: usize| match &rows[row_of(links[link].to)].laid.routes[half] {
        Route::Across(runs) => runs.first().map_or(0.0, |run| run.cross),
        _ => 0.0,
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (link, part) in parts.iter().enumerate() {
        if let Part::On(_, arriving) = *part {
            let (from, to) = (row_of(links[link].from), row_of(links[link].to));
            let (low, high) = (gutter_y(from + 1, link), tops[to] + entry(link, arriving));
            left.push(Stretch {
                low,
                high,
                key: (0, high - low),
                link,
            });
        }
    }
    for climb in climbs.iter().filter(|climb| !climb.from_below) {
        let (low, high) = (fall_y(climb.to, climb.link), gutter_y(climb.from, climb.link));
        let side = if is_right(climb) { &mut right } else { &mut left };
        side.push(Stretch {
            low,
            high,
            key: (1, high - low),
            link: climb.link,
        });
    }
    let (left, left_count) = tracks(left, links.len());
    let (right, right_count) = tracks(right, links.len());
    // Everything so far lies as if the boxes' rows began at 0.
    let outermost = climbs.iter().flat_map(|climb| climb.up.iter().chain(&climb.down));
    let outermost = outermost.map(|point| point.0).fold(0.0, f64::min);
    let shift = match left_count {
        0 if outermost < 0.0 => START,
        0 => 0.0,
        count => START + (count as f64 - 1.0) * ASIDE,
    };
    let left_x = |link: usize| shift - START + 4.0 - left[link] as f64 * ASIDE;
    let right_x = |link: usize| shift + widest + ASIDE + right[link] as f64 * ASIDE;
    let main = match right_count {
        0 => shift + widest,
        count => shift + widest + ASIDE + count as f64 * ASIDE,
    };

    // They are in the order of their links.
    let climb_of = |link: usize| {
        let place = climbs.binary_search_by_key(&link, |climb| climb.link);
        place.ok().map(|place| &climbs[place])
    };
    let routes = parts.iter().enumerate().map(|(link, part)| {
        let (from, to) = (row_of(links[link].from), row_of(links[link].to));
        let moved = |row: usize, half: usize| {
            let mut route = rows[row].laid.routes[half].clone();
            route.shift(shift + indent[row], tops[row]);
            route
        };
        match *part {
            Part::Within(half) => moved(from, half),
            Part::On(leaving, arriving) => {
                let (Route::Across(out), Route::Across(home)) = (moved(from, leaving), moved(to, arriving)) else {
                    return Route::Around(Vec::new());
                };
                let exit = out.last().copied().unwrap_or(NOWHERE);
                let entry = home.first().copied().unwrap_or(NOWHERE);
                let turn = shift + turn_at(from, link);
                let line = gutter_y(from + 1, link);
                let between = vec![
                    (turn, exit.cross),
                    (turn, line),
                    (left_x(link), line),
                    (left_x(link), entry.cross),
                    (entry.start, entry.cross),
                ];
                Route::Broken { out, between, home }
            }
            Part::Back => climb_of(link).map_or(Route::Around(Vec::new()), |climb| {
                let moved = |points: &[(f64, f64)], row: usize| -> Vec<(f64, f64)> {
                    points
                        .iter()
                        .map(|point| (point.0 + shift, point.1 + tops[row]))
                        .collect()
                };
                let (mut points, down) = (moved(&climb.up, from), moved(&climb.down, to));
                let (up_x, down_x) = (shift + meets(&climb.up), shift + meets(&climb.down));
                points.pop();
                let line = gutter_y(from, link);
                points.push((up_x, line));
                if !climb.from_below {
                    let side = if is_right(climb) { right_x(link) } else { left_x(link) };
                    let other = fall_y(to, link);
                    points.extend([(side, line), (side, other), (down_x, other)]);
                } else {
                    points.push((down_x, line));
                }
                points.extend(down.into_iter().rev().skip(1));
                Route::Around(points)
            }),
        }
    });
    let routes: Vec<Route> = routes.collect();

    let mut places = vec![(0.0, 0.0); items.len()];
    let mut layer_start = vec![0.0; items.len()];
    let mut row_top = vec![None; items.len()];
    let bottoms: Vec<f64> = rows.iter().zip(&tops).map(|(row, top)| top + row.laid.cross).collect();
    let mut bars: Vec<(usize, LaidBar)> = Vec::new();
    let mut cut = Vec::new();
    let all_bars: Vec<usize> = (0..items.len()).filter(|&item| items[item].port == Port::Bar).collect();
    for (row, one) in rows.into_iter().enumerate() {
        let by = shift + indent[row];
        for (place, &item) in one.own.iter().enumerate() {
            places[item] = (one.laid.items[place].0 + by, one.laid.items[place].1 + tops[row]);
            layer_start[item] = one.laid.layer_start[place] + by;
            row_top[item] = (row > 0).then_some(tops[row]);
        }
        let own_bars: Vec<usize> = (one.own.iter().copied())
            .filter(|&item| items[item].port == Port::Bar)
            .collect();
        let place_of = |bar: usize| all_bars.binary_search(&own_bars[bar]).unwrap_or(0);
        cut.extend(one.cut.iter().map(|&bar| place_of(bar)));
        for (bar, mut laid) in one.laid.bars.into_iter().enumerate() {
            laid.main += by;
            laid.low += tops[row];
            laid.high += tops[row];
            bars.push((own_bars[bar], laid));
        }
    }
    cut.sort_unstable();
    bars.sort_by_key(|(item, _)| *item);
    let laid = Laid {
        main: (main / GRID).ceil() * GRID,
        cross: (cross / GRID).ceil() * GRID,
        rows: tops.into_iter().zip(bottoms).collect(),
        items: places,
        layer_start,
        row_top,
        label_after: vec![0; routes.len()],
        implied: vec![false; routes.len()],
        routes,
        bars: bars.into_iter().map(|(_, bar)| bar).collect(),
    };
    (laid, cut)
}

const NOWHERE: Run = Run {
    start: 0.0,
    end: 0.0,
    cross: 0.0,
};

/// Every row laid out for itself, and what became of each link.
fn divided(
    items: &[Item],
    links: &[Link],
    rank: &[usize],
    starts: &[usize],
    row_of: &dyn Fn(usize) -> usize,
) -> (Vec<Row>, Vec<Part>) {
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); starts.len()];
    let mut local = vec![0; items.len()];
    for (item, local) in local.iter_mut().enumerate() {
        let row = row_of(item);
        *local = own[row].len();
        own[row].push(item);
    }
    let mut row_items: Vec<Vec<Item>> = own
        .iter()
        .map(|own| own.iter().map(|&item| items[item].clone()).collect())
        .collect();
    let mut row_rank: Vec<Vec<usize>> = own
        .iter()
        .zip(starts)
        .map(|(own, start)| own.iter().map(|&item| rank[item] - start + 1).collect())
        .collect();
    let last: Vec<usize> = row_rank
        .iter()
        .map(|rank| rank.iter().copied().max().unwrap_or(0) + 1)
        .collect();
    let mut row_links: Vec<Vec<Link>> = vec![Vec::new(); starts.len()];
    let mut port = |row: usize, kind: Port, lane: usize| {
        row_items[row].push(Item {
            main: 0.0,
            cross: 0.0,
            port: kind,
            lane,
        });
        row_rank[row].push(if kind == Port::Entry { 0 } else { last[row] });
        row_items[row].len() - 1
    };
    let parts: Vec<Part> = links
        .iter()
        .map(|link| {
            let (from, to) = (row_of(link.from), row_of(link.to));
            if from == to {
                row_links[from].push(Link {
                    from: local[link.from],
                    to: local[link.to],
                    ..link.clone()
                });
                return Part::Within(row_links[from].len() - 1);
            }
            if from > to {
                return Part::Back;
            }
            let exit = port(from, Port::Exit, items[link.from].lane);
            row_links[from].push(Link {
                from: local[link.from],
                to: exit,
                to_port: None,
                to_top: None,
                ..link.clone()
            });
            let entry = port(to, Port::Entry, items[link.to].lane);
            row_links[to].push(Link {
                from: entry,
                to: local[link.to],
                from_port: None,
                from_top: None,
                // The label stands where the way begins.
                label_main: 0.0,
                label_cross: 0.0,
                ..link.clone()
            });
            Part::On(row_links[from].len() - 1, row_links[to].len() - 1)
        })
        .collect();
    let rows = own
        .into_iter()
        .zip(row_items)
        .zip(row_rank.into_iter().zip(row_links))
        .map(|((own, items), (mut rank, links))| {
            // A row that nothing leads into has no layer of ports.
            let lowest = rank.iter().copied().min().unwrap_or(0);
            for rank in &mut rank {
                *rank -= lowest;
            }
            let sizes = items.iter().map(|item| (item.main, item.cross)).collect();
            let (laid, cut) = in_one_row(items, links, &rank);
            Row { own, sizes, laid, cut }
        })
        .collect();
    (rows, parts)
}

/// The ways back between rows, from their boxes to the edges of their rows.
fn climbs(
    links: &[Link],
    rows: &[Row],
    local: &[usize],
    indent: &[f64],
    row_of: &dyn Fn(usize) -> usize,
) -> Vec<Climb> {
    let mut used = vec![[0usize; 3]; local.len()];
    let mut part = |item: usize, which: usize, parts: [f64; 4]| {
        let at = used[item][which];
        used[item][which] += 1;
        parts[at % parts.len()]
    };
    let up = |item: usize, known: Option<f64>, part: f64| {
        let row = &rows[row_of(item)];
        let (points, _) = climb(
            &row.laid.items,
            &row.sizes,
            &row.laid.layer_start,
            None,
            local[item],
            known,
            part,
        );
        let by = indent[row_of(item)];
        points
            .into_iter()
            .map(|(main, cross)| (main + by, cross))
            .collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for (index, link) in links.iter().enumerate() {
        let (from, to) = (row_of(link.from), row_of(link.to));
        if from <= to {
            continue;
        }
        let leaves = up(link.from, link.from_top, part(link.from, 0, CLIMBING));
        let below = (from == to + 1 && link.to_top.is_none())
            .then(|| below(&rows[to], local[link.to], part(link.to, 1, FROM_BELOW)))
            .flatten();
        let (down, from_below) = match below {
            Some((main, low, edge)) => {
                let main = main + indent[to];
                (vec![(main, low), (main, edge)], true)
            }
            None => (up(link.to, link.to_top, part(link.to, 2, FALLING)), false),
        };
        found.push(Climb {
            link: index,
            from,
            to,
            up: leaves,
            down,
            from_below,
        });
    }
    found
}

/// Where a way reaches the lower edge of a box from below, and the row's lower edge; `None` when something stands there.
fn below(row: &Row, slot: usize, part: f64) -> Option<(f64, f64, f64)> {
    let (at, size) = (row.laid.items[slot], row.sizes[slot]);
    let (main, low) = (at.0 + snap(size.0 * part), at.1 + size.1);
    let others = row.laid.items.iter().zip(&row.sizes).enumerate();
    let is_free = others
        .filter(|(other, _)| *other != slot)
        .all(|(_, (place, size))| place.1 + size.1 <= low || main + 8.0 < place.0 || place.0 + size.0 + 8.0 < main);
    is_free.then_some((main, low, row.laid.cross))
}
