import { tick } from 'svelte';
import type { Conversation } from '../../lib/conversation.svelte';

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
