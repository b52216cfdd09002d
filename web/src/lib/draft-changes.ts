import { contentOf, type Draft } from './drafts';

/** A part of a draft that somebody else changed while it was on the screen. */
export interface DraftChange {
  part: string;
  before: string;
  after: string;
}

/** Returns what differs between two versions of a draft, as text. */
export function changedParts(before: Draft, after: Draft): DraftChange[] {
  return parts(before)
    .map(([part, old], index) => ({ part, before: old, after: parts(after)[index]?.[1] ?? '' }))
    .filter((one) => one.before !== one.after);
}

function parts(draft: Draft): [string, string][] {
  const content = contentOf(draft);
  return [
    ['To', content.to.join('\n')],
    ['Copy', content.cc.join('\n')],
    ['Blind copy', content.bcc.join('\n')],
    ['Subject', content.subject],
    ['Text', content.text],
    ['HTML', draft.html ?? ''],
    ['Type', draft.type ?? ''],
    ['Structured data', draft.data ? JSON.stringify(draft.data, null, 2) : ''],
    ['Attachments', draft.attachments.map((file) => `${file.filename} ${file.sha256}`).join('\n')],
  ];
}
