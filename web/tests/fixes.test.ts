import { expect, test } from 'vitest';
import { errorFrom } from '../src/lib/errors';

const body = (code: string, fix: string) => ({ error: { code, message: 'It did not work.', fix } });

test('people read what they can do, not how a program does it', () => {
  const paused = errorFrom(
    423,
    body('inbox_paused', 'Resume the inbox with `POST /v1/inboxes/{id}/resume`.'),
  );
  expect(paused.fix).toBe('Resume the inbox.');
  expect(errorFrom(409, body('new_code', 'Call `POST /v1/x`.')).fix).toBeNull();
  expect(errorFrom(403, body('org_suspended', 'Ask the operator.')).fix).toBe('Ask the operator.');
});
