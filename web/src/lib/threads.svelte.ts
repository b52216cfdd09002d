import { api, everything, ok, summary, type Message, type Schemas } from './api';
import { categoryLabel, type Category } from './categories';
import { Pages } from './load.svelte';
import type { StreamEvent } from './stream-client';

export type Thread = Schemas['MailThread'];

/** What the list shows: one inbox, or all of them, with labels; or the mail of one inbox and category. */
export interface ThreadFilter {
  inbox: string | null;
  labels: string;
  category: Category | null;
}

/** Returns the row of a message in a list by category. */
function rowOf(message: Message): Thread {
  return {
    id: message.thread_id,
    inbox_id: message.inbox_id,
    subject: message.subject,
    participants: [message.from],
    message_count: 1,
    unread_count: message.is_read ? 0 : 1,
    last_message_at: message.created_at,
    created_at: message.created_at,
    labels: message.labels,
    metadata: {},
    newest: {
      id: message.id,
      direction: message.direction,
      from: message.from,
      preview: message.extracted_text ?? '',
    },
  };
}

/** The threads of a screen: loaded by page, kept current by the stream. */
export class ThreadList {
  readonly pages: Pages<Thread>;
  /** Threads that changed while the list must not move. */
  waiting = $state.raw<Thread[]>([]);
  private filter: ThreadFilter = { inbox: null, labels: '', category: null };
  /** Events that arrived while the list was loading. */
  private missed: StreamEvent[] = [];
  private turn = 0;

  constructor() {
    this.pages = new Pages((cursor) => this.fetch(cursor));
  }

  async open(filter: ThreadFilter): Promise<void> {
    const same =
      filter.inbox === this.filter.inbox &&
      filter.labels === this.filter.labels &&
      filter.category === this.filter.category;
    const turn = ++this.turn;
    this.filter = filter;
    this.waiting = [];
    this.missed = [];
    if (same && this.pages.loaded) {
      await this.pages.renew((one, last) => one.last_message_at < last.last_message_at);
    } else {
      if (!same) this.pages.reset();
      await this.pages.restart();
    }
    if (turn !== this.turn) return;
    for (const event of this.missed.splice(0)) {
      const known = this.pages.items.find((one) => one.id === event.data.thread_id);
      // The clock of the message may be a little behind that of its event.
      const since = Date.parse(event.created_at) - 1000;
      if (!known || Date.parse(known.last_message_at) < since) this.take(event, false);
    }
  }

  /** Takes an event into the list. `hold` keeps the order until `release`. */
  take(event: StreamEvent, hold: boolean): void {
    if (!event.type.startsWith('message.')) return;
    const data = event.data as Partial<Schemas['EnvelopeData']>;
    if (!data.thread_id || !data.inbox_id) return;
    if (this.filter.inbox !== null && this.filter.inbox !== data.inbox_id) return;
    // The category of new mail comes with its answers.
    if (this.filter.category) {
      if (event.type === 'message.enriched' || event.type === 'message.released') void this.open(this.filter);
      return;
    }
    if (event.type !== 'message.received' && event.type !== 'message.sent') return;
    if (this.pages.loading) this.missed.push(event);
    const known = [...this.waiting, ...this.pages.items].find((one) => one.id === data.thread_id);
    if (!known && this.filter.labels !== '') return;
    const thread: Thread = {
      id: data.thread_id,
      inbox_id: data.inbox_id,
      subject: known?.subject ?? data.subject ?? null,
      participants: known?.participants ?? [data.from ?? '', ...(data.to ?? [])].filter((one) => one !== ''),
      message_count: (known?.message_count ?? 0) + 1,
      unread_count: (known?.unread_count ?? 0) + (event.type === 'message.received' ? 1 : 0),
      last_message_at: event.created_at,
      created_at: known?.created_at ?? event.created_at,
      labels: known?.labels ?? [],
      metadata: known?.metadata ?? {},
      newest: data.message_id
        ? {
            id: data.message_id,
            direction: event.type === 'message.sent' ? 'outbound' : 'inbound',
            from: data.from ?? '',
            preview: '',
          }
        : (known?.newest ?? null),
    };
    this.waiting = [thread, ...this.waiting.filter((one) => one.id !== thread.id)];
    if (!hold) this.release();
  }

  /** Moves the threads that waited to the top. Returns by how many rows the list grew. */
  release(): number {
    const ids = new Set(this.waiting.map((one) => one.id));
    const before = this.pages.items.length;
    this.pages.items = [...this.waiting, ...this.pages.items.filter((one) => !ids.has(one.id))];
    this.waiting = [];
    return this.pages.items.length - before;
  }

  replace(thread: Thread): void {
    this.pages.items = this.pages.items.map((one) => (one.id === thread.id ? { ...one, ...thread } : one));
  }

  remove(id: string): void {
    this.pages.items = this.pages.items.filter((one) => one.id !== id);
  }

  markRead(id: string, read: boolean): void {
    const mark = (one: Thread) => (one.id === id ? { ...one, unread_count: read ? 0 : 1 } : one);
    const before = this.pages.items.find((one) => one.id === id);
    if (!before || before.unread_count > 0 !== read) return;
    this.pages.items = this.pages.items.map(mark);
  }

  private fetch(cursor: string | undefined) {
    const { category, inbox } = this.filter;
    if (category && inbox) return this.ofCategory(inbox, category, cursor);
    const query = {
      limit: 100,
      include_newest: true,
      ...(cursor ? { cursor } : {}),
      ...(this.filter.inbox ? { inbox_id: this.filter.inbox } : {}),
      ...(this.filter.labels ? { labels: this.filter.labels.split(',').map((one) => one.trim()) } : {}),
    };
    return ok(api.GET('/v1/threads', { params: { query } }));
  }

  /** Loads messages of a category, one row for each thread. */
  private async ofCategory(inbox: string, category: Category, cursor: string | undefined) {
    const query = {
      limit: 100,
      labels: [categoryLabel(category)],
      promotions: 'include' as const,
      ...everything,
      ...summary,
      ...(cursor ? { cursor } : {}),
    };
    const params = { path: { id: inbox }, query };
    const page = await ok(api.GET('/v1/inboxes/{id}/messages', { params }));
    const rows = new Map<string, Thread>();
    for (const message of page.data) {
      if (!rows.has(message.thread_id)) rows.set(message.thread_id, rowOf(message));
    }
    return { data: [...rows.values()], next_cursor: page.next_cursor };
  }
}
