import type { Message } from './api';
import type { Mark } from './mail-text';

/** The injection risk from which the words that raised it are marked. */
const INJECTION_MIN = 0.5;

/** Returns a reason of the local screen in words. */
export function reasonText(code: string): string {
  return code.replaceAll('_', ' ');
}

/** Returns the position of the nth Unicode character in a text, in units of UTF-16. */
function unitsAt(text: string, characters: number): number {
  let at = 0;
  for (let n = 0; n < characters && at < text.length; n += 1) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/** Returns the places in the text of a message that made it risky, in order and without overlaps. */
export function marksOf({ text, ai }: Pick<Message, 'text' | 'ai'>): Mark[] {
  if (!text) return [];
  const all: Mark[] = (ai.local_screen?.reasons ?? [])
    .filter((one) => one.part === 'text' && one.end > one.start)
    .map((one) => ({
      start: unitsAt(text, one.start),
      end: unitsAt(text, one.end),
      title: reasonText(one.code),
    }));
  const at = ai.risk?.injection_at;
  const [first, last] = at ?? [];
  if (first !== undefined && last !== undefined && (ai.risk?.injection ?? 0) >= INJECTION_MIN) {
    // These offsets count bytes.
    const bytes = new TextEncoder().encode(text);
    const units = (count: number) => new TextDecoder().decode(bytes.slice(0, count)).length;
    all.push({ start: units(first), end: units(last), title: 'instruction to an agent' });
  }
  all.sort((one, other) => one.start - other.start || other.end - one.end);
  const marks: Mark[] = [];
  for (const one of all) {
    const before = marks.at(-1);
    if (before && one.start < before.end) {
      before.end = Math.max(before.end, one.end);
      if (!before.title.split(', ').includes(one.title)) before.title += `, ${one.title}`;
    } else {
      marks.push({ ...one });
    }
  }
  return marks;
}
