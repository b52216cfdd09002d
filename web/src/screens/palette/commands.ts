/** Something the palette can do. */
export interface Command {
  /** What tells it from a command with the same label. */
  id?: string;
  label: string;
  hint: string;
  run: () => void;
}

/** Rates how well a label fits what was typed; 0 does not fit. Words match in any order. */
export function score(label: string, typed: string): number {
  const text = label.toLowerCase();
  let total = 1;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = text.indexOf(word);
    if (at < 0) return 0;
    total += at === 0 ? 4 : /\W/.test(text[at - 1] ?? '') ? 3 : 1;
  }
  return total;
}

/** The commands that fit, best first; equals keep their order. */
export function rank(commands: readonly Command[], typed: string): Command[] {
  return commands
    .map((command, index) => ({ command, index, score: score(command.label, typed) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map((one) => one.command)
    .slice(0, 12);
}
