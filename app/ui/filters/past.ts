/** Recalls earlier lines, newest first, by the arrows in an empty line or in a recalled one. */
type Write = (line: string) => void;

export class Past {
  #lines: readonly string[] | null = null; // null: not loaded yet
  #place = -1;
  #shown = "";
  #waiting: (1 | -1)[] = []; // directions of keys that were pressed before the lines were loaded

  /** Set the lines and apply the waiting keys; null: the lines are not loaded yet. */
  know(lines: readonly string[] | null, write: Write): void {
    this.#lines = lines;
    if (!lines) return;
    for (const direction of this.#waiting.splice(0)) this.step(direction, write);
  }

  /** Start at the newest line again. */
  rest(): void {
    this.#place = -1;
    this.#waiting = [];
  }

  /** True if the arrows recall earlier lines. */
  walks(line: string): boolean {
    return !line || (this.#place >= 0 && line === this.#shown);
  }

  /** Write the next older line (1) or the next newer one (-1). */
  step(direction: 1 | -1, write: Write): void {
    if (!this.#lines) {
      this.#waiting.push(direction);
      return;
    }
    const next = Math.min(this.#place + direction, this.#lines.length - 1);
    if (next < -1 || next === this.#place) return;
    this.#place = next;
    this.#shown = this.#lines[next] ?? "";
    write(this.#shown);
  }
}
