import { visible } from './given';

export interface Mailbox {
  name: string;
  address: string;
  /** Whether the name looks like an address, so that it could be taken for the true one. */
  claims: boolean;
}

/** Splits `Name <addr>` into its parts; the name is empty for a bare address. */
export function mailbox(value: string): Mailbox {
  const match = /^\s*(.*?)\s*<([^<>]*)>\s*$/s.exec(value);
  if (!match) return { name: '', address: value.trim(), claims: false };
  const name = (match[1] ?? '').replace(/^"(.*)"$/s, '$1').replaceAll(/\\(.)/gs, '$1');
  return { name, address: match[2] ?? '', claims: looksLikeAddress(name) };
}

/** Whether a name could be taken for an address. */
export function looksLikeAddress(name: string): boolean {
  return /[@\uff20\ufe6b]/.test(name);
}

/** The true address of a participant, as one word of a list. */
export function addressOf(value: string): string {
  return visible(mailbox(value).address) || 'no sender';
}

/** Whether a participant has this address, whatever the name says. */
export function hasAddress(value: string, address: string): boolean {
  return mailbox(value).address.toLowerCase() === address.toLowerCase();
}

/** What a row of a list shows for a participant: the address, then the name unless it looks like an address. */
export function rowName(value: string): string {
  const { name, claims } = mailbox(value);
  return name === '' || claims ? addressOf(value) : `${addressOf(value)} · ${visible(name)}`;
}

/** Splits what a person typed into a recipient field. Commas inside quotes do not split. */
export function recipients(typed: string): string[] {
  const found: string[] = [];
  let current = '';
  let quoted = false;
  let escaped = false;
  for (const character of typed) {
    if (character === '"' && !escaped) quoted = !quoted;
    escaped = quoted && character === '\\' && !escaped;
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
