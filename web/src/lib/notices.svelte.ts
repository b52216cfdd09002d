export interface Notice {
  id: number;
  text: string;
  undo: (() => Promise<unknown>) | null;
}

/** Short confirmations at the bottom of the screen, with an undo where the API has one. */
class Notices {
  list = $state<Notice[]>([]);
  private last = 0;

  show(text: string, undo: Notice['undo'] = null): void {
    const id = ++this.last;
    this.list = [...this.list.slice(-2), { id, text, undo }];
    setTimeout(() => this.drop(id), undo ? 10_000 : 5_000);
  }

  drop(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id);
  }
}

export const notices = new Notices();
