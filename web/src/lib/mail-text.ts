export interface Split {
  fresh: string;
  quoted: string;
}

const INTRODUCTION =
  /^(on .{6,200} wrote:|am .{6,200} schrieb.*:|le .{6,200} a écrit\s?:|-{2,} ?original message ?-{2,}|-{2,} ?forwarded message ?-{2,})$/i;

/** Splits the text of a mail into what is new and the quoted history below it. */
export function splitQuoted(text: string): Split {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const start = lines.findIndex((line, index) => startsQuote(lines, index, line));
  if (start <= 0) return { fresh: text, quoted: '' };
  const quoted = lines.slice(start);
  // Answers between quoted lines would be hidden: show everything then.
  const tail = quoted.filter((line, index) => index > 0 && line.trim() !== '' && !line.startsWith('>'));
  const below = INTRODUCTION.test(quoted[0]?.trim() ?? '') && !quoted.some((line) => line.startsWith('>'));
  if (tail.length > 2 && !below) return { fresh: text, quoted: '' };
  return { fresh: lines.slice(0, start).join('\n').trimEnd(), quoted: quoted.join('\n').trim() };
}

function startsQuote(lines: string[], index: number, line: string): boolean {
  const trimmed = line.trim();
  if (INTRODUCTION.test(trimmed)) return true;
  // Long introductions wrap: "On Monday, Dana Doe <dana@example.com>" / "wrote:".
  if (/^on .{6,}/i.test(trimmed) && /wrote:$/.test(lines[index + 1]?.trim() ?? '')) return true;
  return line.startsWith('>') && (lines[index + 1]?.startsWith('>') ?? true);
}

export interface TextPart {
  text: string;
  href: string | null;
}

/** A place in a text, in units of UTF-16, and why it is marked. */
export interface Mark {
  start: number;
  end: number;
  title: string;
}

export interface MarkedPart extends TextPart {
  /** Why the part is marked; null if it isn't. */
  mark: string | null;
}

/** Divides the parts of a text, which begins at `offset`, so that marked places are parts of their own. */
export function marked(parts: readonly TextPart[], offset: number, marks: readonly Mark[]): MarkedPart[] {
  const all: MarkedPart[] = [];
  let at = offset;
  for (const { text, href } of parts) {
    const end = at + text.length;
    let done = at;
    const put = (to: number, mark: string | null) => {
      if (to > done) all.push({ text: text.slice(done - at, to - at), href, mark });
      done = Math.max(done, to);
    };
    for (const mark of marks) {
      if (mark.end <= done || mark.start >= end) continue;
      put(Math.max(mark.start, done), null);
      put(Math.min(mark.end, end), mark.title);
    }
    put(end, null);
    at = end;
  }
  return all;
}

/** Finds http and https addresses in a text. */
export function linkify(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(/https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/g)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), href: null });
    parts.push({ text: match[0], href: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null });
  return parts;
}
