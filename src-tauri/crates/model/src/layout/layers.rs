//! The layered graph between the steps of the drawing: cells in layers, and segments between neighbouring layers.
//!
//! Directions are named after a drawing that runs to the right: the *main* axis runs along the flow, the *cross* axis downwards;
//! `up` and `down` are cross directions, `before` and `after` main ones.

/// What a cell stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A box, by its item.
    Item(usize),
    /// The place where a link passes through a layer, by its link.
    Pass(usize),
}

/// One place in a layer.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) layer: usize,
    pub(super) what: What,
    /// Room above and below the line its edges hold to, in px.
    pub(super) up: f64,
    pub(super) down: f64,
}

/// A piece of an edge between a cell and one in the next layer.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) before: usize,
    pub(super) after: usize,
    /// Distance of the attachment from the cell's line, in px; not zero for the ports of a group.
    pub(super) before_off: f64,
    pub(super) after_off: f64,
    /// 0 when it leaves the lanes above a box, 1 when it leaves the box itself: lanes lie above what leaves the box.
    pub(super) before_sub: u32,
    pub(super) after_sub: u32,
    /// How much a straight line is worth; 0 means the ends are never aligned.
    pub(super) priority: u8,
}

/// Segment indices by cell, in one allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjacency {
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Adjacency {
    fn new(cells: usize, ends: impl Iterator<Item = usize> + Clone) -> Self {
        let mut starts = vec![0u32; cells + 1];
        for cell in ends.clone() {
            starts[cell + 1] += 1;
        }
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        let mut list = vec![0u32; starts[cells] as usize];
        let mut next = starts.clone();
        for (segment, cell) in ends.enumerate() {
            list[next[cell] as usize] = segment as u32;
            next[cell] += 1;
        }
        Self { starts, list }
    }

    /// The segments of `cell`, in the order they were given.
    pub(super) fn of(&self, cell: usize) -> impl Iterator<Item = usize> + '_ {
        self.list[self.starts[cell] as usize..self.starts[cell + 1] as usize]
            .iter()
            .map(|&segment| segment as usize)
    }
}

/// Cells in layers, in an order.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    pub(super) cells: Vec<Cell>,
    pub(super) segments: Vec<Segment>,
    /// Cells of each layer from top to bottom.
    pub(super) layers: Vec<Vec<usize>>,
    /// Segments that arrive at a cell from the layer before, and that leave it for the layer after.
    pub(super) arriving: Adjacency,
    pub(super) leaving: Adjacency,
    /// Place of each cell in its layer.
    pub(super) place: Vec<usize>,
}

impl Layers {
    pub(super) fn new(cells: Vec<Cell>, segments: Vec<Segment>) -> Self {
        let depth = cells.iter().map(|cell| cell.layer + 1).max().unwrap_or(0);
        let mut layers = vec![Vec::new(); depth];
        for (index, cell) in cells.iter().enumerate() {
            layers[cell.layer].push(index);
        }
        let arriving = Adjacency::new(cells.len(), segments.iter().map(|segment| segment.after));
        let leaving = Adjacency::new(cells.len(), segments.iter().map(|segment| segment.before));
        let place = vec![0; cells.len()];
        let mut this = Self {
            cells,
            segments,
            layers,
            arriving,
            leaving,
            place,
        };
        this.number();
        this
    }

    /// Brings `place` in step with `layers`.
    pub(super) fn number(&mut self) {
        for layer in &self.layers {
            for (place, &cell) in layer.iter().enumerate() {
                self.place[cell] = place;
            }
        }
    }

    /// Whether a cell is no box but the passage of a long edge.
    pub(super) fn is_pass(&self, cell: usize) -> bool {
        matches!(self.cells[cell].what, What::Pass(_))
    }

    /// Where a segment's end stands in its layer: twice the place, plus the part of the cell.
    pub(super) fn key_before(&self, segment: usize) -> u32 {
        let segment = &self.segments[segment];
        self.place[segment.before] as u32 * 2 + segment.before_sub
    }

    pub(super) fn key_after(&self, segment: usize) -> u32 {
        let segment = &self.segments[segment];
        self.place[segment.after] as u32 * 2 + segment.after_sub
    }
}
