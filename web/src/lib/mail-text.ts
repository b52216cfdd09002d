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
