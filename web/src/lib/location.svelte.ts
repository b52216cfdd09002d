import { isPlainClick } from './router';

/** The address of the current screen. */
class Place {
  path = $state(window.location.pathname);
  search = $state(window.location.search);
  hash = $state(window.location.hash);

  get query(): URLSearchParams {
    return new URLSearchParams(this.search);
  }

  read(): void {
    this.path = window.location.pathname;
    this.search = window.location.search;
    this.hash = window.location.hash;
  }
}

export const place = new Place();

export function navigate(to: string, options: { replace?: boolean } = {}): void {
  const { pathname, search, hash } = window.location;
  if (to === pathname + search + hash) return;
  if (options.replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  place.read();
}

/** Paths that the server answers itself. */
const SERVER_PATHS =
  /^\/(v1|dev|docs|confirm|platform|oidc|oauth|directory|claim|\.well-known|llms\.txt|metrics|healthz|readyz)(\/|$)/;

/** Follows links inside the dashboard without loading the page again. */
export function followLinks(): void {
  window.addEventListener('popstate', () => place.read());
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || !isPlainClick(event)) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.target || link.hasAttribute('download')) return;
    if (link.origin !== window.location.origin || SERVER_PATHS.test(link.pathname)) return;
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  });
}
