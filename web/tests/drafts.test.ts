import { describe, expect, test } from 'vitest';
import { changes, contentOf, isAsWritten, type Draft } from '../src/lib/drafts';

const draft = {
  id: 'd',
  to: ['dana@example.com'],
  cc: [],
  bcc: [],
  subject: 'Order',
  text: 'Hello',
  html: '<p>Hello</p>',
  data: null,
  type: 'message',
  attachments: [],
  metadata: {},
  reply_to_message_id: null,
  reply_all: false,
} as unknown as Draft;

describe('drafts', () => {
  test('only changed members are saved', () => {
    const before = contentOf(draft);
    expect(changes(before, before)).toEqual({});
    expect(changes(before, { ...before, text: 'Hi', cc: ['bob@example.com'] })).toEqual({
      text: 'Hi',
      cc: ['bob@example.com'],
    });
  });
  test('a saved draft is approved only as the person wrote it', () => {
    const edited = { ...contentOf(draft), text: 'Hi' };
    const saved = { ...draft, text: 'Hi', html: null } as Draft;
    expect(isAsWritten(saved, draft, edited)).toBe(true);
    for (const change of [
      { to: ['eve@example.com'] },
      { bcc: ['eve@example.com'] },
      { subject: 'Other' },
      { html: '<p>Other</p>' },
      { data: { amount: 1 } },
      { attachments: [{ sha256: 'a' }] },
      { reply_to_message_id: 'm' },
    ]) {
      expect(isAsWritten({ ...saved, ...change } as Draft, draft, edited)).toBe(false);
    }
  });
});
