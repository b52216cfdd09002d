import { describe, expect, test } from 'vitest';
import { changes, contentOf, fingerprint, isSentBack, sendBackMetadata, type Draft } from '../src/lib/drafts';

const draft = {
  id: 'd',
  to: ['dana@example.com'],
  cc: [],
  bcc: [],
  subject: 'Order',
  text: 'Hello',
  html: null,
  data: null,
  attachments: [],
  metadata: {},
  reply_to_message_id: null,
} as unknown as Draft;

describe('drafts', () => {
  test('the fingerprint covers everything that is sent', () => {
    const same = fingerprint({ ...draft, updated_at: 'later', metadata: { a: 1 } } as Draft);
    expect(same).toBe(fingerprint(draft));
    for (const change of [
      { to: ['eve@example.com'] },
      { bcc: ['eve@example.com'] },
      { text: 'Hello.' },
      { html: '<p>' },
    ]) {
      expect(fingerprint({ ...draft, ...change } as Draft)).not.toBe(fingerprint(draft));
    }
  });
  test('a draft is sent back until its content changes', () => {
    const back = { ...draft, metadata: sendBackMetadata(draft, 'Use her name.', 'me@example.com') } as Draft;
    expect(isSentBack(back)).toBe(true);
    expect(isSentBack({ ...back, text: 'Hello Dana' } as Draft)).toBe(false);
    expect(isSentBack(draft)).toBe(false);
  });
  test('only changed members are saved', () => {
    const before = contentOf(draft);
    expect(changes(before, before)).toEqual({});
    expect(changes(before, { ...before, text: 'Hi', cc: ['bob@example.com'] })).toEqual({
      text: 'Hi',
      cc: ['bob@example.com'],
    });
  });
});
