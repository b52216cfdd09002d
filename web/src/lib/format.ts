const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns a cached formatter: making one takes longer than using it a hundred times. */
function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', options);
  formatters.set(key, made);
  return made;
}

/** Writes how long ago a time was, or how far ahead it is: `now`, `5 min ago`, `in 3 h`, `22 Nov`. */
export function relative(time: number, now: number): string {
  const gap = now - time;
  const size = Math.abs(gap);
  // The clocks of server and browser differ by seconds.
  if (size < MINUTE) return gap < -MINUTE / 2 ? 'in a minute' : 'now';
  if (size >= 7 * DAY) return day(time, now);
  const amount =
    size < HOUR
      ? `${Math.floor(size / MINUTE)} min`
      : size < DAY
        ? `${Math.floor(size / HOUR)} h`
        : `${Math.floor(size / DAY)} d`;
  return gap > 0 ? `${amount} ago` : `in ${amount}`;
}

/** Writes a date and time in the person's zone: `22 Nov, 10:02`, with the year when it is another one. */
export function exact(time: number, now: number = Date.now(), zone?: string): string {
  const clock = formatter({ hour: '2-digit', minute: '2-digit', timeZone: zone });
  return `${day(time, now, zone)}, ${clock.format(time)}`;
}

/** Like `exact`, with seconds and the zone, for tooltips. */
export function precise(time: number): string {
  return formatter({
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  }).format(time);
}

export function clockTime(time: number): string {
  return formatter({
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(time);
}

/** Writes a day of a calendar, `2026-11-22`, which has no zone: `22 Nov`. */
export function calendarDay(date: string, now: number = Date.now()): string {
  return day(Date.parse(date), now, 'UTC');
}

function day(time: number, now: number, zone?: string): string {
  const year = (at: number) => formatter({ year: 'numeric', timeZone: zone }).format(at);
  const parts: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', timeZone: zone };
  if (year(time) !== year(now)) parts.year = 'numeric';
  return formatter(parts).format(time);
}

/** Writes a size: `812 B`, `12 KB`, `1.4 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = -1;
  do {
    value /= 1000;
    unit += 1;
  } while (value >= 999.5 && unit < units.length - 1);
  return `${value < 9.95 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Writes a count with thin separators: `12 345`. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** Writes a count and its noun: `1 draft`, `3 drafts`. */
export function plural(value: number, noun: string, many = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : many}`;
}

/** Writes a rate between 0 and 1 in percent. */
export function percent(rate: number): string {
  if (rate === 0) return '0\u202f%';
  const digits = (rate * 100).toFixed(rate < 0.01 ? 2 : 1);
  return `${digits.replace(/\.?0+$/, '')}\u202f%`;
}

/** Writes a duration: `84 ms`, `1.2 s`. */
export function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Writes a time as the value of a `datetime-local` field, in the person's zone. */
export function localInput(time: number): string {
  const zone = new Date(time).getTimezoneOffset() * MINUTE;
  return new Date(time - zone).toISOString().slice(0, 16);
}
