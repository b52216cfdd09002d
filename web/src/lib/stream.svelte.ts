import { api, ok } from './api';
import { session } from './session.svelte';
import { StreamClient, type Socket, type StreamEvent, type StreamState } from './stream-client';

type Listener = (event: StreamEvent) => void;

/** The live connection of this tab. */
class Stream {
  state = $state<StreamState>('connecting');
  private readonly listeners = new Set<Listener>();
  private readonly gapListeners = new Set<() => void>();
  private readonly client = new StreamClient({
    token: async () => (await ok(api.POST('/v1/stream/token'))).token,
    open: (token) => {
      const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws';
      const address = `${scheme}://${window.location.host}/v1/stream?token=${encodeURIComponent(token)}`;
      return new WebSocket(address) as unknown as Socket;
    },
    onEvent: (event) => {
      for (const listener of this.listeners) listener(event);
      if (event.type === 'workspace.stopped' || event.type === 'workspace.resumed') void session.load();
    },
    onState: (state) => {
      this.state = state;
      if (state === 'ended') void session.load();
    },
    onGap: () => this.announceGap(),
  });

  start(): void {
    this.client.start();
    window.addEventListener('online', () => this.client.retryNow());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.client.retryNow();
    });
  }

  stop(): void {
    this.client.stop();
  }

  /** Calls `listener` for each event. `onGap` runs when events were missed. Returns how to stop. */
  listen(listener: Listener, onGap?: () => void): () => void {
    this.listeners.add(listener);
    if (onGap) this.gapListeners.add(onGap);
    return () => {
      this.listeners.delete(listener);
      if (onGap) this.gapListeners.delete(onGap);
    };
  }

  private announceGap(): void {
    for (const listener of this.gapListeners) listener();
  }
}

export const stream = new Stream();

/** Reloads at most once per `wait` milliseconds when events of the given prefix arrive. */
export function reloadOn(prefixes: string[], reload: () => void, wait = 250): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const later = () => {
    timer ??= setTimeout(() => {
      timer = null;
      reload();
    }, wait);
  };
  const stop = stream.listen((event) => {
    if (prefixes.some((prefix) => event.type.startsWith(prefix))) later();
  }, later);
  return () => {
    stop();
    if (timer !== null) clearTimeout(timer);
  };
}
