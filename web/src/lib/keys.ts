export type Keymap = Record<string, (event: KeyboardEvent) => void>;

/** Keys that only move: they repeat while they are held. Every other key acts once for each press. */
const MOVES = new Set(['j', 'k']);

/** Whether typing belongs to the focused element. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

/** Runs the handler of a single key, unless somebody types or a dialog is open, or the key is held. Returns how to stop. */
export function shortcuts(map: Keymap): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const handler = map[event.key];
    if (!handler) return;
    event.preventDefault();
    if (!event.repeat || MOVES.has(event.key)) handler(event);
  };
  window.addEventListener('keydown', listener);
  return () => window.removeEventListener('keydown', listener);
}
