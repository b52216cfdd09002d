/** How long something is on the screen before a single key may act on it. */
const SEEN_MS = 1000;

/** Tells a key that was pressed for what is on the screen from one that was pressed for what was there before. */
export class Seen {
  /** Whether the time is over. */
  enough = $state(false);
  private since = Infinity;

  /** Starts when what is shown now is painted. Returns how to stop. */
  watch(): () => void {
    this.enough = false;
    this.since = Infinity;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The second frame begins after the first one was painted.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame((now) => {
        this.since = now;
        timer = setTimeout(() => (this.enough = true), SEEN_MS);
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }

  /** Whether it was on the screen long enough when the key was pressed, which a busy page can learn late. */
  covers(event: KeyboardEvent): boolean {
    return this.enough && event.timeStamp - this.since >= SEEN_MS;
  }
}
