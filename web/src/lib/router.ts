/** A route: its name and the pattern of its path. `:name` matches one segment. */
export interface Route<Name extends string = string> {
  name: Name;
  pattern: string;
}

export interface Match<Name extends string = string> {
  name: Name;
  params: Record<string, string>;
}

/** Returns the first route whose pattern matches the path. */
export function matchRoute<Name extends string>(
  routes: readonly Route<Name>[],
  path: string,
): Match<Name> | null {
  const parts = split(path);
  for (const route of routes) {
    const wanted = split(route.pattern);
    if (wanted.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = wanted.every((part, index) => {
      const given = parts[index] ?? '';
      if (!part.startsWith(':')) return part === given;
      const value = decode(given);
      if (value === null) return false;
      params[part.slice(1)] = value;
      return true;
    });
    if (fits) return { name: route.name, params };
  }
  return null;
}

/** Builds a URL from a path and the query members that have a value. */
export function url(path: string, query: Record<string, string | null | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value != null && value !== '') search.set(name, value);
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Whether a click on a link is one that the router handles. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}

function split(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
