/** One event of the stream, in the envelope form. */
export interface StreamEvent {
  id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
}

export type StreamState = 'connecting' | 'live' | 'stale' | 'waiting' | 'ended';

export interface Socket {
  send(data: string): void;
  close(code?: number): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
}

export interface StreamOptions {
  /** Returns a fresh single-use token. An error with status 401 or 403 ends the stream. */
  token: () => Promise<string>;
  open: (token: string) => Socket;
  onEvent: (event: StreamEvent) => void;
  onState: (state: StreamState) => void;
  /** Called when events were missed and screens must load again. */
  onGap: () => void;
  random?: () => number;
}

/** Close codes after which a new connection would be refused too. */
const FINAL_CODES = new Set([1008, 1009, 4001, 4003]);

/** After so much silence the client asks whether the server still answers. */
const ASK_MS = 2000;
/** After so much silence the stream is shown as stale. */
const STALE_MS = 4500;
/** How often silence is measured. */
const TICK_MS = 500;

/** The wait before the next connection: doubles to 30 s, jittered to 50–100 %. */
export function backoff(attempt: number, random: number): number {
  return Math.min(30_000, 1000 * 2 ** attempt) * (0.5 + random / 2);
}

/** Keeps one WebSocket open, and resumes after the last event when it breaks. */
export class StreamClient {
  private socket: Socket | null = null;
  private last: string | null = null;
  private readonly seen = new Set<string>();
  private attempt = 0;
  private heartbeat = 30_000;
  private heard = 0;
  private asked = 0;
  private ticked = 0;
  private isStale = false;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private beat: ReturnType<typeof setInterval> | null = null;
  private stopped = true;

  constructor(private readonly options: StreamOptions) {}

  start(): void {
    if (!this.stopped) return;
    this.stopped = false;
    void this.connect();
  }

  stop(): void {
    this.stopped = true;
    this.clear();
    this.socket?.close(1000);
    this.socket = null;
  }

  /** Connects at once instead of waiting, for example when the network returns. */
  retryNow(): void {
    if (this.stopped || this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    void this.connect();
  }

  private async connect(): Promise<void> {
    this.options.onState('connecting');
    let token: string;
    try {
      token = await this.options.token();
    } catch (error) {
      const status = (error as { status?: number }).status ?? 0;
      if (status === 401 || status === 403) return this.end();
      const wait = (error as { details?: { retry_after_seconds?: number } }).details?.retry_after_seconds;
      return this.retry(wait ? wait * 1000 : 0);
    }
    if (this.stopped) return;
    const socket = this.options.open(token);
    this.socket = socket;
    socket.onopen = () => {
      socket.send(
        JSON.stringify({
          type: 'subscribe',
          payload: 'envelope',
          ...(this.last === null ? {} : { since: this.last }),
        }),
      );
    };
    socket.onmessage = (event) => this.read(event.data);
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.clear();
      if (this.stopped) return;
      if (FINAL_CODES.has(event.code)) this.end();
      else this.retry(0);
    };
  }

  private read(data: unknown): void {
    this.heard = Date.now();
    if (this.isStale) {
      this.isStale = false;
      this.options.onState('live');
    }
    const frame = JSON.parse(String(data)) as {
      type: string;
      event?: StreamEvent;
      heartbeat_seconds?: number;
      replay_truncated?: boolean;
      code?: string;
    };
    if (frame.type === 'hello') {
      this.heartbeat = (frame.heartbeat_seconds ?? 30) * 1000;
      this.keepAlive();
    } else if (frame.type === 'subscribed') {
      this.attempt = 0;
      // Without an event to resume after, events between loading and subscribing may be missed.
      const gap = this.last === null || frame.replay_truncated === true;
      this.options.onState('live');
      if (gap) this.options.onGap();
    } else if (frame.type === 'event' && frame.event) {
      this.deliver(frame.event);
    } else if (frame.type === 'error') {
      // The event to resume after is gone.
      this.last = null;
      this.socket?.close(4000);
    }
  }

  private deliver(event: StreamEvent): void {
    this.last = event.id;
    if (this.seen.has(event.id)) return;
    this.seen.add(event.id);
    if (this.seen.size > 2000) {
      for (const id of [...this.seen].slice(0, 1000)) this.seen.delete(id);
    }
    this.options.onEvent(event);
  }

  private keepAlive(): void {
    if (this.beat !== null) clearInterval(this.beat);
    this.ticked = Date.now();
    this.beat = setInterval(() => this.tick(), TICK_MS);
  }

  /** Asks a silent server for a sign, and shows the stream as stale, or ends it, without one. */
  private tick(): void {
    const now = Date.now();
    // The browser slept or slowed this tab down: the silence says nothing.
    if (now - this.ticked > 4 * TICK_MS) this.heard = now - ASK_MS;
    this.ticked = now;
    const silence = now - this.heard;
    if (silence > 2 * this.heartbeat) {
      const socket = this.socket;
      this.socket = null;
      this.clear();
      socket?.close(4000);
      this.retry(0);
      return;
    }
    if (silence >= ASK_MS && now - this.asked >= ASK_MS) {
      this.asked = now;
      this.socket?.send('{"type":"ping"}');
    }
    if (silence >= STALE_MS && !this.isStale) {
      this.isStale = true;
      this.options.onState('stale');
    }
  }

  private retry(atLeast: number): void {
    if (this.stopped) return;
    this.options.onState('waiting');
    const random = (this.options.random ?? Math.random)();
    const wait = Math.max(atLeast, backoff(this.attempt, random));
    this.attempt += 1;
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.connect();
    }, wait);
  }

  private end(): void {
    this.stopped = true;
    this.clear();
    this.options.onState('ended');
  }

  private clear(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.beat !== null) clearInterval(this.beat);
    this.timer = null;
    this.beat = null;
    this.isStale = false;
  }
}
