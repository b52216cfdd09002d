export type Keymap = Record<string, (event: KeyboardEvent) => void>;

/** Whether typing belongs to the focused element. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

/** Runs the handler of a single key, unless somebody types or a dialog is open. Returns how to stop. */
export function shortcuts(map: Keymap): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const handler = map[event.key];
    if (!handler) return;
    event.preventDefault();
    handler(event);
  };
  window.addEventListener('keydown', listener);
  return () => window.removeEventListener('keydown', listener);
}
