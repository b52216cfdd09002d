import { api, ok, type Schemas } from './api';

export type LoggedEvent = Schemas['Event'];

/** Finds one event in the log, which has no route for a single event. Looks at the newest 2,000 of its type. */
export async function findEvent(id: string, type: string): Promise<LoggedEvent | null> {
  let after: string | undefined;
  for (let page = 0; page < 20; page += 1) {
    const query = { types: [type] as never, limit: 100, ...(after ? { after } : {}) };
    const answer = await ok(api.GET('/v1/events', { params: { query } }));
    const found = answer.data.find((event) => event.id === id);
    if (found) return found as LoggedEvent;
    if (answer.next_cursor === null || answer.data.length === 0) return null;
    after = answer.next_cursor;
  }
  return null;
}
