import { api, ok, summary, type SearchHit } from '../../lib/api';
import { asApiError } from '../../lib/errors';
import { liveQuery } from './live-query';

/** Waits until the person pauses, so that not every letter is a search. */
const PAUSE_MS = 150;
const HITS = 5;

/** Mail that fits what is typed, found while the person types. */
export class MailHits {
  items = $state.raw<SearchHit[]>([]);
  /** What is wrong with the words. */
  problem = $state('');
  private turn = 0;

  /** Searches for the words after a pause. Returns how to stop. */
  find(words: string): () => void {
    const turn = ++this.turn;
    const q = liveQuery(words);
    if (q === null) {
      this.show([]);
      return () => {};
    }
    const timer = setTimeout(() => {
      const query = { q, limit: HITS, ...summary };
      ok(api.GET('/v1/search', { params: { query } })).then(
        (found) => {
          if (turn === this.turn) this.show(found.data);
        },
        (error: unknown) => {
          if (turn === this.turn) this.show([], asApiError(error).message);
        },
      );
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }

  private show(items: SearchHit[], problem = ''): void {
    this.items = items;
    this.problem = problem;
  }
}
