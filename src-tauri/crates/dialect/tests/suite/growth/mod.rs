//! Whether work takes time that grows with the length of a text and no faster.

use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// `head`, then pieces numbered from 1, until the text has this size.
pub fn numbered(head: &str, piece: impl Fn(usize) -> String, size: usize) -> String {
    let mut text = head.to_owned();
    let mut n = 1;
    while text.len() < size {
        text.push_str(&piece(n));
        n += 1;
    }
    text
}

/// Processor time of this thread: how much else the machine has to do does not count.
fn now() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .expect("every thread has one")
        .into()
}

fn time(text: &str, work: impl Fn(&str)) -> Duration {
    let start = now();
    work(text);
    now() - start
}

/// Sixteen times the length takes sixteen times as long, some more where memory grows slower; time with the square of the
/// length would be 256 times. Another program on the machine slows some of the rounds; the fastest of each length tell.
/// `short`: the shorter length, in bytes.
pub fn grows_evenly_from(short: usize, name: &str, text: impl Fn(usize) -> String, work: impl Fn(&str)) {
    const FACTOR: usize = 16;
    let (short, long) = (text(short), text(short * FACTOR));
    let mut fastest = (Duration::MAX, Duration::MAX);
    for _ in 0..12 {
        fastest = (fastest.0.min(time(&short, &work)), fastest.1.min(time(&long, &work)));
        if fastest.1.as_secs_f64() < 6.0 * FACTOR as f64 * fastest.0.as_secs_f64().max(1e-5) {
            return;
        }
    }
    panic!("{name:?}: {fastest:?}");
}
