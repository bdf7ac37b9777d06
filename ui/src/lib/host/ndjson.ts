/** Cuts a stream of text into its complete lines and parses each as JSON; an incomplete tail waits for the next piece. */
export class LineReader {
  #tail = '';

  /** The values of every line completed by this piece. A line that is not JSON is a broken stream and throws. */
  push(piece: string): unknown[] {
    const lines = (this.#tail + piece).split('\n');
    this.#tail = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as unknown);
  }
}
