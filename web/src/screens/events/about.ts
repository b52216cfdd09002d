import { addressOf } from '../../lib/addresses';
import type { LoggedEvent } from '../../lib/event-log';

interface Parts {
  message?: { from?: string; to?: string[]; subject?: string | null; direction?: string } | null;
  draft?: { to?: string[]; subject?: string | null } | null;
  domain?: { domain?: string };
  inbox?: { address?: string } | null;
  workspace?: { name?: string };
  webhook?: { url?: string };
  client?: { name?: string };
}

/** One line about what an event concerns. */
export function about(event: LoggedEvent): string {
  const data = event.data as Parts;
  if (data.message) {
    const { from = '', to = [], subject, direction } = data.message;
    const who = direction === 'outbound' ? `to ${to.map(addressOf).join(', ')}` : `from ${addressOf(from)}`;
    // The subject of mail that a list stopped is withheld.
    return event.type === 'message.received.blocked' ? who : `${who}: ${subject ?? 'no subject'}`;
  }
  if (data.draft)
    return `to ${(data.draft.to ?? []).map(addressOf).join(', ')}: ${data.draft.subject ?? 'no subject'}`;
  if (data.client?.name) return `${data.inbox?.address ?? 'an agent'} at ${data.client.name}`;
  return data.domain?.domain ?? data.webhook?.url ?? data.inbox?.address ?? data.workspace?.name ?? '';
}
