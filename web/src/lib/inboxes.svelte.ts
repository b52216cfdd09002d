import { api, ok, type Schemas } from './api';
import { asApiError, type ApiError } from './errors';

export type Inbox = Schemas['Inbox'];

/** The inboxes of the workspace with their counters, which several screens and the rail show. */
class Inboxes {
  list = $state.raw<Inbox[]>([]);
  loaded = $state(false);
  /** Drafts that wait for their author, which `pending_draft_count` includes. */
  private sentBack = $state(0);
  error = $state.raw<ApiError | null>(null);

  get held(): number {
    return this.list.reduce((sum, inbox) => sum + inbox.held_count, 0);
  }

  /** Drafts that wait for a person. */
  get drafts(): number {
    return Math.max(0, pending(this.list) - this.sentBack);
  }

  get needsHuman(): number {
    return this.list.reduce((sum, inbox) => sum + inbox.needs_human_count, 0);
  }

  find(id: string | null | undefined): Inbox | null {
    return this.list.find((inbox) => inbox.id === id) ?? null;
  }

  address(id: string | null | undefined): string {
    return this.find(id)?.address ?? 'an inbox that is gone';
  }

  put(inbox: Inbox): void {
    const known = this.list.some((one) => one.id === inbox.id);
    this.list = known ? this.list.map((one) => (one.id === inbox.id ? inbox : one)) : [inbox, ...this.list];
  }

  async load(): Promise<void> {
    try {
      const all: Inbox[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: 100, include_temporary: true, ...(cursor ? { cursor } : {}) };
        const page = await ok(api.GET('/v1/inboxes', { params: { query } }));
        all.push(...page.data);
        cursor = page.next_cursor ?? undefined;
      } while (cursor && all.length < 2000);
      this.sentBack = pending(all) === 0 ? 0 : await countSentBack();
      this.list = all;
      this.loaded = true;
      this.error = null;
    } catch (error) {
      this.error = asApiError(error);
    }
  }
}

function pending(list: readonly Inbox[]): number {
  return list.reduce((sum, inbox) => sum + inbox.pending_draft_count, 0);
}

async function countSentBack(): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const query = { sent_back: true, status: ['draft' as const], limit: 100, ...(cursor ? { cursor } : {}) };
    const page = await ok(api.GET('/v1/drafts', { params: { query } }));
    count += page.data.length;
    cursor = page.next_cursor ?? undefined;
  } while (cursor && count < 1000);
  return count;
}

export const inboxes = new Inboxes();
