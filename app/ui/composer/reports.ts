/** Reports of the typed text to the server: at most one in 60 ms, and fewer for a long text. */

const REPORT_MS = 60;
const CHARACTERS_PER_MS = 2000;

export class Reports {
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Call `report` after the delay for a text of this length. Does nothing if a report is already planned. */
  plan(length: number, report: () => void): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        report();
      },
      REPORT_MS + length / CHARACTERS_PER_MS,
    );
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
