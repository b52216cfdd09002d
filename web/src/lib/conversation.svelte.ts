import { api, everything, ok, isWithheld, type Message, type Schemas } from './api';
import { asApiError, type ApiError } from './errors';

export type { Message };
export type Thread = Schemas['MailThread'];

/** One thread with its messages, kept current by the stream. */
export class Conversation {
  thread = $state.raw<Thread | null>(null);
  messages = $state.raw<Message[]>([]);
  earlier = $state<string | null>(null);
  error = $state.raw<ApiError | null>(null);
  private id = '';

  async open(id: string): Promise<void> {
    const fresh = id !== this.id;
    this.id = id;
    if (fresh) {
      this.thread = null;
      this.messages = [];
      this.earlier = null;
      this.error = null;
    }
    try {
      const { messages, earlier_cursor, ...thread } = await this.fetch(id);
      if (id !== this.id) return;
      this.thread = thread;
      this.messages = messages;
      this.earlier = earlier_cursor;
      this.error = null;
    } catch (error) {
      if (id === this.id) this.error = asApiError(error);
    }
  }

  async loadEarlier(): Promise<void> {
    const id = this.id;
    if (!this.earlier) return;
    const answer = await this.fetch(id, this.earlier);
    if (id !== this.id) return;
    this.messages = [...answer.messages, ...this.messages];
    this.earlier = answer.earlier_cursor;
  }

  /** Reads one message again, or adds it. */
  async refresh(message: string): Promise<void> {
    const id = this.id;
    const read = await ok(
      api.GET('/v1/messages/{id}', { params: { path: { id: message }, query: everything } }),
    ).catch(() => null);
    if (read && id === this.id && read.thread_id === id) this.put(read);
  }

  put(message: Message): void {
    const known = this.messages.some((one) => one.id === message.id);
    this.messages = known
      ? this.messages.map((one) => (one.id === message.id ? message : one))
      : [...this.messages, message];
  }

  async markRead(read: boolean): Promise<void> {
    // An agent that gets a message later must still find it unread.
    const ids = this.messages
      .filter((one) => one.direction === 'inbound' && one.is_read !== read && !isWithheld(one))
      .map((one) => one.id);
    const changed = read ? ids : ids.slice(-1);
    if (changed.length === 0) return;
    const body = { ids: changed, is_read: read };
    const answer = await ok(api.POST('/v1/messages/batch-update', { body }));
    const state = new Map(answer.data.map((one) => [one.id, one.is_read]));
    this.messages = this.messages.map((one) => ({ ...one, is_read: state.get(one.id) ?? one.is_read }));
  }

  private fetch(id: string, cursor?: string) {
    const query = { ...everything, ...(cursor ? { cursor } : {}) };
    return ok(api.GET('/v1/threads/{id}', { params: { path: { id }, query } }));
  }
}
