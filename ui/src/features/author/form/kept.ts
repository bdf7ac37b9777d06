/**
 * Keys of rows, by what stands in them. A row keeps its own where another one comes, goes or moves, so that what is being typed in it stays in
 * it, and is written there when it is left.
 */
export class Kept {
  #rows: readonly { row: string; key: number }[] = [];
  #next = 0;

  /** The key of each row, as they stand now. */
  of(rows: readonly string[]): number[] {
    const left = [...this.#rows];
    const known = rows.map((row) => {
      const at = left.findIndex((one) => one.row === row);
      return at < 0 ? undefined : left.splice(at, 1)[0]?.key;
    });
    // As many as are gone have come: those are the same rows, with something else in them.
    const changed = known.filter((key) => key === undefined).length === left.length;
    const keys = known.map((key) => key ?? (changed ? left.shift()?.key : undefined) ?? this.#next++);
    this.#rows = rows.map((row, i) => ({ row, key: keys[i]! }));
    return keys;
  }
}
