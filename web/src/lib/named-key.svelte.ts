import { platform, type ApiKey } from './platform';

/** A key that works, for commands to name. */
class NamedKey {
  key = $state.raw<ApiKey | null>(null);
  loaded = $state(false);

  async load(): Promise<void> {
    const keys = await platform.keys().catch(() => null);
    if (!keys) return;
    const working = keys.data.filter((one) => one.revoked_at === null);
    // One of all inboxes serves every command.
    this.key = working.find((one) => one.inbox_id === null) ?? working[0] ?? null;
    this.loaded = true;
  }
}

export const namedKey = new NamedKey();
