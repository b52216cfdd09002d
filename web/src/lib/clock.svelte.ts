/** The current time, updated every 20 seconds, for relative times. */
class Clock {
  now = $state(Date.now());

  constructor() {
    setInterval(() => (this.now = Date.now()), 20_000);
  }
}

export const clock = new Clock();
