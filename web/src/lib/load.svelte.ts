import { asApiError, type ApiError } from './errors';

/** Something loaded from the API. Stale answers are dropped; old data stays until new data arrives. */
export class Load<T> {
  data = $state.raw<T | null>(null);
  error = $state.raw<ApiError | null>(null);
  loading = $state(false);
  private turn = 0;

  async run(fetcher: () => Promise<T>): Promise<void> {
    const turn = ++this.turn;
    this.loading = true;
    try {
      const data = await fetcher();
      if (turn !== this.turn) return;
      this.data = data;
      this.error = null;
    } catch (error) {
      if (turn !== this.turn) return;
      this.error = asApiError(error);
    }
    this.loading = false;
  }

  clear(): void {
    this.turn += 1;
    this.data = null;
    this.error = null;
    this.loading = false;
  }
}

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** A list loaded page by page. */
export class Pages<T extends { id: string } | { address: string }> {
  items = $state.raw<T[]>([]);
  error = $state.raw<ApiError | null>(null);
  loading = $state(false);
  loaded = $state(false);
  more = $state(false);
  private cursor: string | null = null;
  private turn = 0;

  constructor(private fetcher: (cursor: string | undefined) => Promise<Page<T>>) {}

  /** Starts over, with another query when one is given. Items stay until the first page arrives. */
  async restart(fetcher?: (cursor: string | undefined) => Promise<Page<T>>): Promise<void> {
    if (fetcher) this.fetcher = fetcher;
    this.turn += 1;
    this.cursor = null;
    this.loading = false;
    await this.page(true);
  }

  /** Loads the first page again. What follows it, by `isAfter`, stays. */
  async renew(isAfter: (item: T, last: T) => boolean): Promise<void> {
    const turn = ++this.turn;
    this.loading = true;
    try {
      const page = await this.fetcher(undefined);
      if (turn !== this.turn) return;
      const ids = new Set(page.data.map(keyOf));
      const last = page.data.at(-1);
      const rest =
        last && page.next_cursor !== null
          ? this.items.filter((item) => !ids.has(keyOf(item)) && isAfter(item, last))
          : [];
      if (rest.length === 0) {
        this.cursor = page.next_cursor;
        this.more = page.next_cursor !== null;
      }
      this.items = [...page.data, ...rest];
      this.error = null;
    } catch (error) {
      if (turn !== this.turn) return;
      this.error = asApiError(error);
    }
    this.loading = false;
  }

  async next(): Promise<void> {
    if (this.loading || !this.more) return;
    await this.page(false);
  }

  /** Forgets everything, for a list that shows something else now. */
  reset(): void {
    this.turn += 1;
    this.items = [];
    this.loaded = false;
    this.more = false;
    this.cursor = null;
    this.error = null;
  }

  private async page(first: boolean): Promise<void> {
    const turn = this.turn;
    this.loading = true;
    try {
      const page = await this.fetcher(this.cursor ?? undefined);
      if (turn !== this.turn) return;
      this.items = first ? page.data : [...this.items, ...this.without(page.data)];
      this.cursor = page.next_cursor;
      this.more = page.next_cursor !== null;
      this.error = null;
      this.loaded = true;
    } catch (error) {
      if (turn !== this.turn) return;
      this.error = asApiError(error);
    }
    this.loading = false;
  }

  private without(fresh: T[]): T[] {
    const known = new Set(this.items.map(keyOf));
    return fresh.filter((item) => !known.has(keyOf(item)));
  }
}

function keyOf(item: { id: string } | { address: string }): string {
  return 'id' in item ? item.id : item.address;
}
