import { api, idempotencyKey, ok } from '../../lib/api';
import { changedParts, type DraftChange } from '../../lib/draft-changes';
import {
  agentVersion,
  changedMeanwhile,
  changes,
  contentOf,
  editedVersion,
  fields,
  forgetEdits,
  forgetVersion,
  isAsWritten,
  isOpen,
  rememberEdits,
  rememberVersion,
  written,
  type Draft,
  type DraftContent,
  type DraftFields,
} from '../../lib/drafts';
import { asApiError } from '../../lib/errors';

/** A draft on the screen, with what the person changed, and the person's decisions. */
export class DraftEditor {
  draft = $state.raw<Draft | null>(null);
  /** What the agent wrote. */
  base = $state.raw<DraftContent | null>(null);
  typed = $state<DraftFields | null>(null);
  meanwhile = $state.raw<{ changes: DraftChange[]; kept: boolean } | null>(null);
  readonly edited = $derived(this.typed && written(this.typed));
  readonly unsaved = $derived(this.draft && this.edited ? changes(contentOf(this.draft), this.edited) : {});
  readonly dirty = $derived(Object.keys(this.unsaved).length > 0);
  readonly open = $derived(this.draft !== null && isOpen(this.draft.status));
  private readonly params;
  private key = idempotencyKey();

  constructor(inbox: string, id: string) {
    this.params = { path: { id: inbox, draft_id: id } };
  }

  /** Loads the draft. What the person typed before and did not save comes back. */
  async load(): Promise<void> {
    const fresh = await this.read();
    const edits = isOpen(fresh.status) ? editedVersion(fresh.id) : null;
    this.take(edits?.shown ?? fresh);
    if (!edits) return;
    this.typed = edits.typed;
    if (fresh.content_sha256 !== edits.shown.content_sha256) this.takeChanged(fresh);
    else this.draft = fresh;
  }

  /** Keeps what the person typed while the screen shows something else. */
  remember(): void {
    if (!this.draft || !this.typed) return;
    if (this.dirty && this.open) rememberEdits(this.draft, this.typed);
    else forgetEdits(this.draft.id);
  }

  async save(): Promise<void> {
    const { draft, base, edited, params } = this;
    if (!this.dirty || !draft || !base || !edited) return;
    // An HTML part would still say what the agent wrote.
    const html = 'text' in this.unsaved && draft.html !== null ? { html: null } : {};
    const body = { ...this.unsaved, ...html };
    const saved = await ok(api.PATCH('/v1/inboxes/{id}/drafts/{draft_id}', { params, body }));
    rememberVersion(saved, base);
    if (!isAsWritten(saved, draft, edited)) {
      this.takeChanged(saved);
      throw changedMeanwhile(saved.status);
    }
    this.take(saved);
  }

  /** Sends exactly what is shown, or shows what changed. */
  async approve(): Promise<void> {
    try {
      // A change since the draft was shown must not be saved over.
      const fresh = await this.read();
      if (fresh.content_sha256 !== this.draft?.content_sha256) {
        this.takeChanged(fresh);
        throw changedMeanwhile(fresh.status);
      }
      await this.save();
      const body = { content_sha256: this.draft?.content_sha256 ?? '' };
      const params = { ...this.params, header: { 'Idempotency-Key': this.key } };
      await this.orShowChange(ok(api.POST('/v1/inboxes/{id}/drafts/{draft_id}/approve', { params, body })));
    } finally {
      this.key = idempotencyKey();
    }
    this.forget();
  }

  async sendBack(note: string): Promise<void> {
    const body = { note, content_sha256: this.draft?.content_sha256 ?? null };
    const { params } = this;
    await this.orShowChange(ok(api.POST('/v1/inboxes/{id}/drafts/{draft_id}/send-back', { params, body })));
    forgetEdits(params.path.draft_id);
  }

  /** Undoes a send-back: the draft waits for approval again, or for the time that it was scheduled for. */
  async takeBack(): Promise<void> {
    const { params } = this;
    const at = this.draft?.send_at;
    await (at
      ? ok(api.POST('/v1/inboxes/{id}/drafts/{draft_id}/schedule', { params, body: { send_at: at } }))
      : ok(api.DELETE('/v1/inboxes/{id}/drafts/{draft_id}/send-back', { params })));
  }

  async discard(): Promise<void> {
    await ok(api.POST('/v1/inboxes/{id}/drafts/{draft_id}/cancel', { params: this.params }));
    this.forget();
  }

  private forget(): void {
    forgetVersion(this.params.path.draft_id);
    forgetEdits(this.params.path.draft_id);
  }

  private read(): Promise<Draft> {
    return ok(api.GET('/v1/inboxes/{id}/drafts/{draft_id}', { params: this.params }));
  }

  private take(fresh: Draft): void {
    this.draft = fresh;
    this.base = agentVersion(fresh);
    this.typed = fields(contentOf(fresh));
  }

  /** Takes the version that somebody else made, shows what they changed, and keeps what the person typed. */
  private takeChanged(fresh: Draft): void {
    if (!this.draft || !this.typed) return;
    const [shown, mine] = [this.draft, { ...this.typed }];
    const found = changedParts(shown, fresh);
    const kept = Object.keys(this.unsaved) as (keyof DraftContent)[];
    this.take(fresh);
    for (const field of kept) this.typed[field] = mine[field];
    this.meanwhile = { changes: found, kept: kept.length > 0 };
  }

  /** Shows the new version when the server refuses because somebody changed the draft. */
  private async orShowChange<T>(action: Promise<T>): Promise<T> {
    try {
      return await action;
    } catch (error) {
      if (asApiError(error).code !== 'draft_changed') throw error;
      const fresh = await this.read();
      this.takeChanged(fresh);
      throw changedMeanwhile(fresh.status);
    }
  }
}
