// Frames of a page, counted in the page itself while a hand moves there: one movement a frame, as a browser hands on
// those of a mouse.
import { Stop } from '../lib/say.mjs';

/** How long is counted, ms. */
export const COUNTED_MS = 3_000;

/**
 * Counts the frames that the page in a window draws.
 * @param {object} window the window under test
 * @param {{gesture?: keyof typeof GESTURES, on?: string, moves?: string, ms?: number}} [options] `on`: CSS selector of
 *   what is moved;
 *   absent: the page. `moves`: of what has another place in most frames, or nothing was measured
 * @returns {Promise<{frames: number, script: number[], parts: Record<string, number>}>} frames a second; script for
 *   each frame, ms; and
 *   what it was spent on, ms a frame
 */
export async function frames(window, { gesture = 'still', on = 'body', moves = null, ms = COUNTED_MS } = {}) {
  const words = [on, moves, ms].map((word) => JSON.stringify(word)).join(', ');
  const source = `(${count})(${GESTURES[gesture]}, ${words}, arguments[0])`;
  const counted = await window.driver.executeAsyncScript(source);
  if (counted.error) throw new Stop(`Frames could not be counted: ${counted.error}`);
  if (moves && counted.places < counted.script.length / 2)
    throw new Stop(
      `${moves} had ${counted.places} places in ${counted.script.length} frames: it did not follow the hand.`,
    );
  return counted;
}

/**
 * What a hand does in one frame: `n`, the how many-th; `say(type, x, y, more)` hands an event on, at a place of 0 to 1
 * each way.
 */
const GESTURES = {
  /** Nothing. */
  still: () => {},
  /** Drags what is under it round and round. */
  drag: (n, say) => {
    const at = (turn, wide) => 0.5 + wide * Math.sin(turn);
    const place = [at(n / 23, 0.35), at(n / 31, 0.3)];
    if (n === 0) say('pointerdown', ...place);
    else say('pointermove', ...place);
  },
  /** Turns the wheel with Ctrl, in for a second and out for a second. */
  zoom: (n, say) => {
    const out = Math.floor(n / 60) % 2 === 1;
    say('wheel', 0.5 + 0.1 * Math.sin(n / 40), 0.5, { ctrlKey: true, deltaY: out ? 5 : -5 });
  },
  /** Holds the playhead and goes from one end to the other and back. */
  scrub: (n, say) => {
    const turn = (n % 180) / 90;
    const x = 0.02 + 0.96 * (turn < 1 ? turn : 2 - turn);
    say(n === 0 ? 'pointerdown' : 'pointermove', x, 0.5);
  },
};

/**
 * In the page: counts frames, and adds up what scripts took between one frame and the next: the hand's events with what
 * follows from them, frames, timers and answers of the program with their reading. The page's clock tells whole
 * milliseconds; over many frames that evens out.
 */
function count(gesture, selector, moves, ms, done) {
  try {
    const target = document.querySelector(selector);
    const moved = moves && document.querySelector(moves);
    if (!target || (moves && !moved)) return done({ error: `there is no ${target ? moves : selector}` });
    const own = { frame: window.requestAnimationFrame, timer: window.setTimeout, fetch: window.fetch };
    const now = () => performance.now();
    let spent = 0;
    let busy = false;
    const parts = {};
    /** What is called from here on, and everything that promises lead to before the next task, counts. */
    const begin = (part) => {
      if (busy) return;
      busy = true;
      const since = now();
      let hops = 64;
      const hop = () => {
        if ((hops -= 1) > 0) return queueMicrotask(hop);
        const took = now() - since;
        spent += took;
        parts[part] = (parts[part] ?? 0) + took;
        busy = false;
      };
      queueMicrotask(hop);
    };
    const counted =
      (part, work) =>
      (...words) => {
        begin(part);
        return work(...words);
      };
    window.requestAnimationFrame = (work) => own.frame.call(window, counted('frames', work));
    window.setTimeout = (work, ...rest) =>
      own.timer.call(window, typeof work === 'function' ? counted('timers', work) : work, ...rest);
    window.fetch = async (...words) => {
      const part = /"method":"([\w.]+)"/.exec(words[1]?.body)?.[1] ?? 'answers';
      const answer = await own.fetch.apply(window, words);
      begin(part);
      const text = answer.text.bind(answer);
      answer.text = () => text().then(counted(part, (said) => said));
      answer.json = () => text().then(counted(part, (said) => JSON.parse(said)));
      return answer;
    };
    const undo = () => {
      window.requestAnimationFrame = own.frame;
      window.setTimeout = own.timer;
      window.fetch = own.fetch;
    };

    const box = target.getBoundingClientRect();
    const hand = { pointerId: 1, pointerType: 'mouse', isPrimary: true, bubbles: true, cancelable: true };
    const say = (type, x, y, more = {}) => {
      const place = { clientX: box.left + x * box.width, clientY: box.top + y * box.height };
      const held = { button: type === 'pointermove' ? -1 : 0, buttons: type === 'pointerup' ? 0 : 1 };
      const event =
        type === 'wheel'
          ? new WheelEvent(type, { ...hand, ...place, ...more })
          : new PointerEvent(type, { ...hand, ...place, ...held, ...more });
      target.dispatchEvent(event);
    };

    const script = [];
    const places = new Set();
    let n = -1;
    let first = 0;
    const frame = () => {
      const at = now();
      if (n >= 0) script.push(spent);
      else first = at;
      spent = 0;
      n += 1;
      if (moved) places.add(moved.style.transform);
      if (at - first >= ms) {
        undo();
        say('pointerup', 0.5, 0.5);
        for (const part of Object.keys(parts)) parts[part] /= n;
        return done({ frames: (n / (at - first)) * 1000, script, parts, places: places.size });
      }
      own.frame.call(window, frame);
      // Behind the frame: what a hand does arrives between two of them, and is drawn with the next.
      own.timer.call(window, () => {
        begin('the hand');
        gesture(n, say);
      });
    };
    own.frame.call(window, frame);
  } catch (error) {
    done({ error: String(error) });
  }
}
