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

export function contentOf(draft: Draft): DraftContent {
  return {
    to: draft.to,
    cc: draft.cc,
    bcc: draft.bcc,
    subject: draft.subject ?? '',
    text: draft.text ?? '',
  };
}

/** A short digest of everything that would be sent, to notice changes. Not a security measure. */
export function fingerprint(draft: Draft): string {
  const files = draft.attachments.map((file) => file.sha256);
  const all = JSON.stringify([contentOf(draft), draft.html, draft.data, files, draft.reply_to_message_id]);
  // FNV-1a over UTF-16 code units, twice with different offsets.
  return fnv(all, 0x811c9dc5) + fnv(all, 0x050c5d1f);
}

function fnv(text: string, offset: number): string {
  let hash = offset;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** The metadata of a draft that a person sent back, until the agent changes the content. */
export function sendBackMetadata(draft: Draft, note: string, by: string): Record<string, string> {
  return { review: 'sent_back', review_note: note, review_by: by, review_of: fingerprint(draft) };
}

/** Whether the draft waits for the agent and not for a person. */
export function isSentBack(draft: Draft): boolean {
  const metadata = draft.metadata as Record<string, unknown>;
  return metadata.review === 'sent_back' && metadata.review_of === fingerprint(draft);
}

/** Takes the metadata of `sendBackMetadata` away again. */
export const NOT_SENT_BACK = { review: null, review_note: null, review_by: null, review_of: null };

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

const KEY = 'posthouse.draft.';

interface Remembered {
  base: DraftContent;
  saved: string;
}

/** What the agent wrote, as far as this browser knows: kept while the last change was the person's. */
export function agentVersion(draft: Draft): DraftContent {
  const stored = localStorage.getItem(KEY + draft.id);
  if (stored) {
    const remembered = JSON.parse(stored) as Remembered;
    if (remembered.saved === fingerprint(draft)) return remembered.base;
  }
  return contentOf(draft);
}

/** Remembers the agent's version behind a change that the person saved. */
export function rememberVersion(saved: Draft, base: DraftContent): void {
  localStorage.setItem(KEY + saved.id, JSON.stringify({ base, saved: fingerprint(saved) }));
}

export function forgetVersion(id: string): void {
  localStorage.removeItem(KEY + id);
}

/** The error when a draft is no longer the one that was shown. */
export function changedMeanwhile(status: Draft['status']): ApiError {
  const open = isOpen(status);
  const message = open
    ? 'The draft changed after you opened it. Nothing was sent.'
    : `The draft is already ${status}.`;
  return new ApiError(409, 'draft_changed', message, open ? 'Read the new version, then approve it.' : null);
}
