/** Characters that change the order in which text is shown, and their names. */
const ORDER: Record<string, string> = {
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
};

/** Makes characters that reorder text visible, so that text from strangers reads as it is. */
export function visible(text: string): string {
  return text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, (character) => `[${ORDER[character]}]`);
}
