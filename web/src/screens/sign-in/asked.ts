/** The page that was asked for before a link was sent, for the tab in which the link opens. */
const KEY = 'posthouse.asked';
/** A sign-in link works as long. */
const LASTS_MS = 15 * 60_000;

export function rememberAsked(path: string): void {
  localStorage.setItem(KEY, JSON.stringify({ path, at: Date.now() }));
}

/** Returns the page once. */
export function takeAsked(): string | null {
  const stored = localStorage.getItem(KEY);
  localStorage.removeItem(KEY);
  if (!stored) return null;
  const { path, at } = JSON.parse(stored) as { path: string; at: number };
  return Date.now() - at < LASTS_MS && /^\/(?![/\\])/.test(path) ? path : null;
}
