/** A part of a query as the server reads it: a minus, a name with a colon, a phrase or a word. */
const PIECE =
  /-?(?:(from|to|subject|label|has|before|after):)?(?:["\u201c\u201d]([^"\u201c\u201d]*)["\u201c\u201d]?|([^\s"\u201c\u201d]*))/giu;
const DAY = /^\d{4}[-/]\d{2}[-/]\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/iu;
const CHARACTERS_MAX = 500;

/** Whether the server takes a part that may still be being typed. */
function isWhole(name: string | undefined, value: string): boolean {
  switch (name?.toLowerCase()) {
    case 'label':
      return value !== '';
    case 'has':
      return /^attachments?$/iu.test(value);
    case 'before':
    case 'after':
      return DAY.test(value) && !Number.isNaN(Date.parse(value.replaceAll('/', '-')));
    default:
      return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(value);
  }
}

/**
 * What can be searched for while somebody types a query: without parts that are not whole yet, such as `"` and `has:`.
 * Null if nothing is left.
 */
export function liveQuery(typed: string): string | null {
  const whole = [...typed.slice(0, CHARACTERS_MAX).matchAll(PIECE)].filter(
    ([piece, name, phrase, word]) => piece !== '' && isWhole(name, (phrase ?? word ?? '').trim()),
  );
  const query = whole.map(([piece]) => piece).join(' ');
  return query === '' ? null : query;
}
