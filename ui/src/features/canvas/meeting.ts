import type { EdgePath, Fork } from '$lib/api/drawing.gen';

/** How much of a way lies before a bar that it leads through, from 0 to 1; all of it where it never comes there. */
export function before(edge: Pick<EdgePath, 'points'>, bar: Pick<Fork, 'x1' | 'y1' | 'x2' | 'y2'>): number {
  const ON = 1;
  const [left, right] = [Math.min(bar.x1, bar.x2) - ON, Math.max(bar.x1, bar.x2) + ON];
  const [top, bottom] = [Math.min(bar.y1, bar.y2) - ON, Math.max(bar.y1, bar.y2) + ON];
  const upright = right - left < bottom - top;
  let [length, until] = [0, Number.NaN];
  edge.points.slice(1).forEach((to, i) => {
    const from = edge.points[i] ?? to;
    const step = Math.hypot(to.x - from.x, to.y - from.y);
    // Where this stretch crosses the line of the bar.
    const [a, b] = upright ? [from.x, to.x] : [from.y, to.y];
    const line = upright ? bar.x1 : bar.y1;
    const share = a === b ? (Math.abs(a - line) <= ON ? 0 : Number.NaN) : (line - a) / (b - a);
    if (Number.isNaN(until) && share >= 0 && share <= 1) {
      const x = from.x + (to.x - from.x) * share;
      const y = from.y + (to.y - from.y) * share;
      if (x >= left && x <= right && y >= top && y <= bottom) until = length + step * share;
    }
    length += step;
  });
  return Number.isNaN(until) || length === 0 ? 1 : until / length;
}
