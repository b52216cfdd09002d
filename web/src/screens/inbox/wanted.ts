import { tick } from 'svelte';
import type { Conversation, Message } from '../../lib/conversation.svelte';

/** Returns the message that the fragment of the address names. */
export function wantedMessage(fragment: string): string | null {
  return /^#message-([\w-]+)$/.exec(fragment)?.[1] ?? null;
}

/** Scrolls to a message of a thread, which may be among the earlier ones. */
export async function showMessage(conversation: Conversation, id: string): Promise<void> {
  const thread = conversation.thread?.id;
  const known = () => conversation.messages.some((one) => one.id === id);
  while (!known() && conversation.earlier && conversation.thread?.id === thread) {
    const before = conversation.earlier;
    await conversation.loadEarlier();
    if (conversation.earlier === before) return;
  }
  await tick();
  const item = document.getElementById(`message-${id}`);
  item?.focus({ preventScroll: true });
  item?.scrollIntoView({ block: 'start' });
}

/** Scrolls to the first unread message of a long thread, or to the last one. */
export async function showNewest(messages: readonly Message[]): Promise<void> {
  const newest = messages.find((one) => one.direction === 'inbound' && !one.is_read) ?? messages.at(-1);
  await tick();
  const item = newest && document.getElementById(`message-${newest.id}`);
  // A message whose beginning is in view stays where it is.
  if (item && item.getBoundingClientRect().top > window.innerHeight * 0.7)
    item.scrollIntoView({ block: 'start' });
}
