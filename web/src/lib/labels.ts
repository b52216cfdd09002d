/** Hues of label dots, far enough apart to tell. */
const HUES = 12;

/** Returns the color of a label: the same label always has the same. */
export function labelColor(label: string): string {
  let sum = 0;
  for (const character of label) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return `hsl(${(sum % HUES) * (360 / HUES)} 65% 45%)`;
}
