import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError } from '../src/lib/errors';
import {
  backoff,
  StreamClient,
  type Socket,
  type StreamEvent,
  type StreamState,
} from '../src/lib/stream-client';

class FakeSocket implements Socket {
  sent: Record<string, unknown>[] = [];
  closed: number | null = null;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  send(data: string): void {
    this.sent.push(JSON.parse(data) as Record<string, unknown>);
  }
  close(code = 1000): void {
    this.closed = code;
    this.onclose?.({ code });
  }
  frame(frame: unknown): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

let sockets: FakeSocket[];
let events: StreamEvent[];
let states: StreamState[];
let gaps: number;
let token: () => Promise<string>;

function client(): StreamClient {
  return new StreamClient({
    token: () => token(),
    open: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    onEvent: (event) => events.push(event),
    onState: (state) => states.push(state),
    onGap: () => (gaps += 1),
    random: () => 1,
  });
}

async function live(): Promise<FakeSocket> {
  await vi.advanceTimersByTimeAsync(0);
  const socket = sockets.at(-1);
  if (!socket) throw new Error('no socket');
  socket.onopen?.();
  socket.frame({ type: 'hello', heartbeat_seconds: 30 });
  socket.frame({ type: 'subscribed', replayed: 0 });
  return socket;
}

const event = (id: string) => ({
  type: 'event',
  event: { id, type: 'message.received', created_at: '', data: {} },
});

beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
  events = [];
  states = [];
  gaps = 0;
  token = () => Promise.resolve('st_1');
});
afterEach(() => vi.useRealTimers());

describe('stream', () => {
  test('resumes after the last event and drops repeats', async () => {
    const stream = client();
    stream.start();
    const first = await live();
    expect(first.sent[0]).toEqual({ type: 'subscribe', payload: 'envelope' });
    first.frame(event('e1'));
    first.frame(event('e2'));
    first.close(1001);
    expect(states.at(-1)).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1000);
    const second = await live();
    expect(second.sent[0]).toEqual({ type: 'subscribe', payload: 'envelope', since: 'e2' });
    second.frame(event('e2'));
    second.frame(event('e3'));
    expect(events.map((one) => one.id)).toEqual(['e1', 'e2', 'e3']);
    expect(gaps).toBe(1);
    stream.stop();
  });

  test('reports a gap when the replay is cut, and always without an event to resume after', async () => {
    const stream = client();
    stream.start();
    (await live()).close(1001);
    await vi.advanceTimersByTimeAsync(1000);
    const second = await live();
    expect(gaps).toBe(2);
    second.frame(event('e1'));
    second.close(1006);
    await vi.advanceTimersByTimeAsync(1000);
    sockets.at(-1)?.onopen?.();
    sockets.at(-1)?.frame({ type: 'subscribed', replayed: 1000, replay_truncated: true });
    expect(gaps).toBe(3);
    stream.stop();
  });

  test('reconnects when nothing was heard for two heartbeats', async () => {
    const stream = client();
    stream.start();
    const socket = await live();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(socket.sent.at(-1)).toEqual({ type: 'ping' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(socket.closed).toBe(4000);
    stream.stop();
  });

  test('is stale within five seconds of silence, and live again with an answer', async () => {
    const stream = client();
    stream.start();
    const socket = await live();
    await vi.advanceTimersByTimeAsync(2_500);
    expect(socket.sent.at(-1)).toEqual({ type: 'ping' });
    expect(states.at(-1)).toBe('live');
    await vi.advanceTimersByTimeAsync(2_400);
    expect(states.at(-1)).toBe('stale');
    socket.frame({ type: 'pong' });
    expect(states.at(-1)).toBe('live');
    for (let second = 0; second < 60; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      socket.frame({ type: 'pong' });
    }
    expect(states.at(-1)).toBe('live');
    stream.stop();
  });

  test('ends on a refused token and on final close codes', async () => {
    token = () => Promise.reject(new ApiError(401, 'unauthorized', 'No session.'));
    client().start();
    await vi.advanceTimersByTimeAsync(0);
    expect(states.at(-1)).toBe('ended');
    token = () => Promise.resolve('st_1');
    client().start();
    (await live()).close(4001);
    expect(states.at(-1)).toBe('ended');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sockets).toHaveLength(1);
  });

  test('waits as long as a rate limit says', async () => {
    token = () =>
      Promise.reject(new ApiError(429, 'rate_limited', 'Slow.', null, null, { retry_after_seconds: 20 }));
    const stream = client();
    stream.start();
    await vi.advanceTimersByTimeAsync(0);
    token = () => Promise.resolve('st_1');
    await vi.advanceTimersByTimeAsync(19_000);
    expect(sockets).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(sockets).toHaveLength(1);
    stream.stop();
  });

  test('backs off to 30 seconds', () => {
    expect(backoff(0, 1)).toBe(1000);
    expect(backoff(3, 0)).toBe(4000);
    expect(backoff(20, 1)).toBe(30_000);
  });
});
