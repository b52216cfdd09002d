import { loadAgent, type OwnAgent } from './load-agent';

/** Requests at the same time: a list of agents asks for each of them. */
const AT_ONCE = 4;

/** The agents behind the rows of a list, loaded one by one because no route lists them with their cards. */
export class Bundles {
  known = $state.raw<ReadonlyMap<string, OwnAgent>>(new Map());
  failed = $state.raw<ReadonlySet<string>>(new Set());
  private asked = new Set<string>();
  private waiting: string[] = [];
  private running = 0;

  /** Loads the agents that were not asked for yet. */
  want(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.asked.has(id)) continue;
      this.asked.add(id);
      this.waiting.push(id);
    }
    this.work();
  }

  /** Loads one agent of the list, or all of them, again; what is known stays until then. */
  refresh(only?: string): void {
    const ids = only ? [only] : [...this.asked];
    this.waiting.push(...ids.filter((id) => this.asked.has(id) && !this.waiting.includes(id)));
    this.work();
  }

  private work(): void {
    while (this.running < AT_ONCE) {
      const id = this.waiting.shift();
      if (id === undefined) return;
      this.running += 1;
      loadAgent(id)
        .then((bundle) => (this.known = new Map([...this.known, [id, bundle]])))
        .catch(() => (this.failed = new Set([...this.failed, id])))
        .finally(() => {
          this.running -= 1;
          this.work();
        });
    }
  }
}
