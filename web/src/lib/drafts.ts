import { recipients } from './addresses';
import type { Schemas } from './api';
import { ApiError } from './errors';

export type Draft = Schemas['Draft'];

/** What is sent when a draft is approved. */
export interface DraftContent {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  text: string;
}

/** The same as a person types it: recipients separated by commas. */
export type DraftFields = Record<keyof DraftContent, string>;

export function fields(content: DraftContent): DraftFields {
  const [to, cc, bcc] = [content.to, content.cc, content.bcc].map((list) => list.join(', '));
  return { ...content, to: to ?? '', cc: cc ?? '', bcc: bcc ?? '' };
}

export function written(typed: DraftFields): DraftContent {
  return { ...typed, to: recipients(typed.to), cc: recipients(typed.cc), bcc: recipients(typed.bcc) };
}

export function contentOf(draft: Draft): DraftContent {
  return {
    to: draft.to,
    cc: draft.cc,
    bcc: draft.bcc,
    subject: draft.subject ?? '',
    text: draft.text ?? '',
  };
}

/** Whether a draft can still be changed and sent. */
export function isOpen(status: Draft['status']): boolean {
  return ['draft', 'failed', 'scheduled'].includes(status);
}

/** The changed members of a draft, as the API takes them. */
export function changes(before: DraftContent, after: DraftContent): Partial<DraftContent> {
  const changed: Partial<DraftContent> = {};
  for (const field of ['to', 'cc', 'bcc'] as const) {
    if (before[field].join('\n') !== after[field].join('\n')) changed[field] = after[field];
  }
  if (before.subject !== after.subject) changed.subject = after.subject;
  if (before.text !== after.text) changed.text = after.text;
  return changed;
}

/** Whether a saved draft is what the person saw and wrote, and nothing else. */
export function isAsWritten(saved: Draft, shown: Draft, edited: DraftContent): boolean {
  const files = (draft: Draft) => draft.attachments.map((file) => file.sha256).join();
  const data = (draft: Draft) =>
    JSON.stringify([draft.data, draft.type, draft.reply_to_message_id, draft.reply_all]);
  return (
    Object.keys(changes(contentOf(saved), edited)).length === 0 &&
    files(saved) === files(shown) &&
    data(saved) === data(shown) &&
    (saved.html === null || saved.html === shown.html)
  );
}

const KEY = 'posthouse.draft.';

interface Remembered {
  base: DraftContent;
  saved: string | null;
}

/** What the agent wrote, as far as this browser knows: kept while the last change was the person's. */
export function agentVersion(draft: Draft): DraftContent {
  const stored = localStorage.getItem(KEY + draft.id);
  if (stored) {
    const remembered = JSON.parse(stored) as Remembered;
    if (remembered.saved === draft.content_sha256) return remembered.base;
  }
  return contentOf(draft);
}

/** Remembers the agent's version behind a change that the person saved. */
export function rememberVersion(saved: Draft, base: DraftContent): void {
  localStorage.setItem(KEY + saved.id, JSON.stringify({ base, saved: saved.content_sha256 }));
}

export function forgetVersion(id: string): void {
  localStorage.removeItem(KEY + id);
}

const EDITS = 'posthouse.edits.';

interface Edits {
  /** The draft that the person changed. */
  shown: Draft;
  typed: DraftFields;
}

/** What the person typed into a draft in this tab and did not save. */
export function editedVersion(id: string): Edits | null {
  const stored = sessionStorage.getItem(EDITS + id);
  return stored ? (JSON.parse(stored) as Edits) : null;
}

export function rememberEdits(shown: Draft, typed: DraftFields): void {
  try {
    sessionStorage.setItem(EDITS + shown.id, JSON.stringify({ shown, typed } satisfies Edits));
  } catch {
    // The draft is too large for the storage of the browser: edits last as long as the screen.
  }
}

export function forgetEdits(id: string): void {
  sessionStorage.removeItem(EDITS + id);
}

/** The error when a draft is no longer the one that was shown. */
export function changedMeanwhile(status: Draft['status']): ApiError {
  const open = isOpen(status);
  const message = open
    ? 'The draft changed after you opened it. Nothing was sent.'
    : `The draft is already ${status}.`;
  return new ApiError(409, 'draft_changed', message, open ? 'Read the new version, then approve it.' : null);
}
