import { api, ok, summary, type SearchHit } from '../../lib/api';

/** Waits until the person pauses, so that not every letter is a search. */
const PAUSE_MS = 150;
const HITS = 5;

/** Mail that fits what is typed, found while the person types. */
export class MailHits {
  items = $state.raw<SearchHit[]>([]);
  private turn = 0;

  /** Searches for the words after a pause. Returns how to stop. */
  find(words: string): () => void {
    const turn = ++this.turn;
    if (words === '') {
      this.items = [];
      return () => {};
    }
    const timer = setTimeout(() => {
      const query = { q: words, limit: HITS, ...summary };
      ok(api.GET('/v1/search', { params: { query } })).then(
        (found) => {
          if (turn === this.turn) this.items = found.data;
        },
        // The search screen says what is wrong with a query.
        () => {
          if (turn === this.turn) this.items = [];
        },
      );
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }
}
