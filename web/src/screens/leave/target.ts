/** Where a link leads. */
export interface Target {
  kind: 'page' | 'mail' | 'phone';
  href: string;
  /** The server, the address or the number. */
  where: string;
  /** What stands before an `@` in front of the server. */
  user: string;
  plain: boolean;
}

const KINDS: Record<string, Target['kind']> = {
  'https:': 'page',
  'http:': 'page',
  'mailto:': 'mail',
  'tel:': 'phone',
};

/** Reads the target of a link from the fragment of the page; null if it cannot be followed. */
export function target(fragment: string): Target | null {
  try {
    const found = new URL(decodeURIComponent(fragment.slice(1)));
    const kind = KINDS[found.protocol];
    if (!kind) return null;
    const where = kind === 'page' ? found.host : decodeURIComponent(found.pathname);
    return { kind, href: found.href, where, user: found.username, plain: found.protocol === 'http:' };
  } catch {
    return null;
  }
}
