export interface Mailbox {
  name: string;
  address: string;
}

/** Splits `Name <addr>` into its parts; the name is empty for a bare address. */
export function mailbox(value: string): Mailbox {
  const match = /^\s*(.*?)\s*<([^<>]*)>\s*$/.exec(value);
  if (!match) return { name: '', address: value.trim() };
  return { name: (match[1] ?? '').replace(/^"(.*)"$/, '$1').replaceAll('\\"', '"'), address: match[2] ?? '' };
}

/** What a list shows for a participant: the name, or the address. */
export function shortName(value: string): string {
  const { name, address } = mailbox(value);
  return name || address || 'no sender';
}

/** Splits what a person typed into a recipient field. Commas inside quotes do not split. */
export function recipients(typed: string): string[] {
  const found: string[] = [];
  let current = '';
  let quoted = false;
  for (const character of typed) {
    if (character === '"') quoted = !quoted;
    if (!quoted && (character === ',' || character === ';' || character === '\n')) {
      found.push(current);
      current = '';
    } else {
      current += character;
    }
  }
  found.push(current);
  return found.map((one) => one.trim()).filter((one) => one !== '');
}

export function domainOf(value: string): string {
  return mailbox(value).address.split('@').at(-1)?.toLowerCase() ?? '';
}
