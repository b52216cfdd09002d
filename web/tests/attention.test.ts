import { describe, expect, it } from 'vitest';
import { attention } from '../src/screens/overview/attention';

type Facts = Parameters<typeof attention>[0];

/** A workspace in which nothing needs a person. */
const quiet = {
  inboxes: [],
  workspace: null,
  metrics: { queue: [] },
  deliverability: {},
  webhooks: [],
  domains: [],
  signIns: [],
} as unknown as Facts;

const waiting = (address: string, client_name: string, code: string) =>
  ({ inbox_id: `id-${address}`, address, client_name, code }) as Facts['signIns'][number];

describe('what needs a person', () => {
  it('is nothing in a quiet workspace', () => {
    expect(attention(quiet)).toEqual([]);
  });

  it('is one point for each agent whose sign-ins wait', () => {
    const signIns = [
      waiting('a@x', 'Desk', 'BCDF-GHJK'),
      waiting('b@x', 'Desk', 'C'),
      waiting('b@x', 'Lamp', 'D'),
    ];
    expect(attention({ ...quiet, signIns }).map(({ text, detail, href }) => [text, detail, href])).toEqual([
      [
        '1 sign-in waits: a@x',
        'Asked by Desk. Approve only what you began.',
        '/agents/approve?agent=id-a%40x&code=BCDF-GHJK',
      ],
      ['2 sign-ins wait: b@x', 'Asked by Desk, Lamp. Approve only what you began.', '/agents/id-b@x/sign-in'],
    ]);
  });
});
