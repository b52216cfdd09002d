import { describe, expect, test } from 'vitest';
import { addressOf, hasAddress, mailbox, recipients, rowName } from '../src/lib/addresses';
import { authResults, authSummary } from '../src/lib/auth-results';
import { curl } from '../src/lib/curl';
import { errorFrom } from '../src/lib/errors';
import { categoryLabel, categoryOf } from '../src/lib/categories';
import { visible } from '../src/lib/given';
import { linkify, marked, splitQuoted } from '../src/lib/mail-text';
import { marksOf } from '../src/lib/reasons';
import { matchRoute, url } from '../src/lib/router';
import { reveal, windowOf } from '../src/lib/windowing';
import { target } from '../src/screens/leave/target';
import { rank } from '../src/screens/palette/commands';
import { liveQuery } from '../src/screens/palette/live-query';
import { routes } from '../src/screens/routes';

describe('router', () => {
  test('matches names and decodes parameters', () => {
    expect(matchRoute(routes, '/')?.name).toBe('overview');
    expect(matchRoute(routes, '/inbox/a/b')).toEqual({ name: 'inbox', params: { inbox: 'a', thread: 'b' } });
    expect(matchRoute(routes, '/contacts/a%2Fb/')?.params).toEqual({ contact: 'a/b' });
  });
  test('refuses unknown paths and broken encoding', () => {
    expect(matchRoute(routes, '/nowhere')).toBeNull();
    expect(matchRoute(routes, '/contacts/%E0%A4%A')).toBeNull();
    expect(matchRoute(routes, '/inbox/a/b/c')).toBeNull();
  });
  test('builds URLs without empty members', () => {
    expect(url('/search', { q: 'a b', inbox: '' })).toBe('/search?q=a+b');
    expect(url('/search', { q: null })).toBe('/search');
  });
});

describe('windowing', () => {
  test('renders only what is near the view', () => {
    const shown = windowOf(50_000, 64, 640_000, 800, 8);
    expect(shown.first).toBe(9_992);
    expect(shown.last).toBe(10_021);
    expect(shown.total).toBe(3_200_000);
  });
  test('survives a list that became shorter than the scroll position', () => {
    expect(windowOf(3, 64, 9_000, 800)).toEqual({ first: 0, last: 3, before: 0, total: 192 });
    expect(windowOf(0, 64, 0, 800)).toEqual({ first: 0, last: 0, before: 0, total: 0 });
  });
  test('scrolls as little as needed to show a row', () => {
    expect(reveal(0, 64, 100, 500)).toBe(0);
    expect(reveal(3, 64, 100, 500)).toBe(100);
    expect(reveal(10, 64, 100, 500)).toBe(204);
  });
});

describe('addresses', () => {
  test('splits names and addresses', () => {
    expect(mailbox('"Doe, Dana" <dana@example.com>')).toEqual({
      name: 'Doe, Dana',
      address: 'dana@example.com',
      claims: false,
    });
    expect(mailbox('dana@example.com')).toEqual({ name: '', address: 'dana@example.com', claims: false });
    expect(addressOf('')).toBe('no sender');
  });
  test('never takes a name for an address', () => {
    const hidden = '"boss@good.example" <x@evil.example>';
    expect(mailbox(hidden).claims).toBe(true);
    expect(rowName(hidden)).toBe('x@evil.example');
    expect(rowName('Dana Doe <dana@example.com>')).toBe('dana@example.com · Dana Doe');
    expect(mailbox('"a <boss@good.example>" <x@evil.example>').address).toBe('x@evil.example');
    expect(hasAddress('"support@agents.example" <x@evil.example>', 'support@agents.example')).toBe(false);
    expect(hasAddress('Support <Support@agents.example>', 'support@agents.example')).toBe(true);
  });
  test('shows characters that reorder text', () => {
    expect(visible('A\u202egnp.exe')).toBe('A[RLO]gnp.exe');
    expect(visible('\u2066a\u2069 שלום')).toBe('[LRI]a[PDI] שלום');
  });
  test('reads where a link leads', () => {
    const at = (url: string) => target(`#${encodeURIComponent(url)}`);
    expect(at('https://good.example@evil.example/a')).toMatchObject({
      where: 'evil.example',
      user: 'good.example',
    });
    expect(at('mailto:dana@example.com?subject=x')).toMatchObject({
      kind: 'mail',
      where: 'dana@example.com',
    });
    for (const none of ['javascript:alert(1)', '/v1/account', 'data:text/html,x', ''])
      expect(at(none)).toBeNull();
  });
  test('keeps commas inside quotes', () => {
    expect(recipients('"D\\", \\\\" <d@example.com>, b@example.com')).toHaveLength(2);
    expect(recipients('"Doe, Dana" <dana@example.com>, bob@example.com; ,')).toEqual([
      '"Doe, Dana" <dana@example.com>',
      'bob@example.com',
    ]);
  });
});

describe('mail text', () => {
  test('folds quoted history below new text', () => {
    const split = splitQuoted('Thursday works.\n\nOn Mon, 23 Nov 2026, Acme wrote:\n> Hello\n> Dana');
    expect(split.fresh).toBe('Thursday works.');
    expect(split.quoted).toContain('> Hello');
  });
  test('shows everything when answers stand between quotes', () => {
    const text = 'See below.\n> One?\nYes.\n> Two?\nNo.\n> Three?\nMaybe.';
    expect(splitQuoted(text)).toEqual({ fresh: text, quoted: '' });
  });
  test('does not fold a mail that begins with a quote', () => {
    expect(splitQuoted('> Hello').quoted).toBe('');
  });
  test('links only http and https', () => {
    const parts = linkify('See https://example.com/a?b=1, or javascript:alert(1).');
    expect(parts.filter((part) => part.href)).toEqual([
      { text: 'https://example.com/a?b=1', href: 'https://example.com/a?b=1' },
    ]);
  });
});

describe('authentication results', () => {
  const header =
    'mx.example; spf=pass smtp.mailfrom=example.com; dkim=pass header.d=example.com header.s=s1; dmarc=fail header.from=example.com';
  test('become one sentence each', () => {
    expect(authResults(header).map((one) => one.sentence)).toEqual([
      'SPF passed for example.com.',
      'DKIM passed for example.com.',
      'DMARC failed for example.com.',
    ]);
    expect(authResults(undefined)).toEqual([]);
  });
  test('a failed DMARC decides the summary', () => {
    expect(authSummary(authResults(header), []).text).toBe('failed DMARC');
    expect(authSummary([], ['spf-fail']).tone).toBe('bad');
    expect(authSummary(authResults('a; dmarc=pass header.from=b.c'), []).text).toBe('passed DMARC');
  });
});

describe('curl', () => {
  test('leaves the key as a variable and quotes for the shell', () => {
    const line = curl(
      { title: '', method: 'POST', path: '/v1/lists', body: { pattern: "it's" } },
      'http://h',
    );
    expect(line).toContain(`-H "Authorization: Bearer $POSTHOUSE_KEY"`);
    expect(line).toContain(`'{"pattern":"it'\\''s"}'`);
  });
});

describe('errors', () => {
  test('carry the message and the fix of the API', () => {
    const error = errorFrom(423, {
      error: { code: 'inbox_paused', message: 'Paused.', fix: 'Resume it.', request_id: 'r' },
    });
    expect([error.code, error.message, error.fix, error.requestId]).toEqual([
      'inbox_paused',
      'Paused.',
      'Resume it.',
      'r',
    ]);
    expect(errorFrom(502, '<html>').message).toBe('The server answered 502.');
  });
});

describe('palette', () => {
  const commands = ['Overview', 'Webhooks', 'API keys', 'Held mail'].map((label) => ({
    label,
    hint: '',
    run: () => undefined,
  }));
  test('ranks beginnings of words first', () => {
    expect(rank(commands, 'web')[0]?.label).toBe('Webhooks');
    expect(rank(commands, 'keys api')[0]?.label).toBe('API keys');
    expect(rank(commands, 'zzz')).toEqual([]);
    expect(rank(commands, '')).toHaveLength(4);
  });
});

describe('a query that is being typed', () => {
  test('is searched for as the server reads it', () => {
    for (const whole of [
      'turbines',
      '"due date" -paid',
      'from:dana or to:"bob b"',
      'inv* label:vip',
      'has:attachment after:2026-01-31',
      'before:2026-01-31T10:00:00Z x',
      'Grüße 🎉 東京',
    ]) {
      expect(liveQuery(whole)).toBe(whole);
    }
  });
  test('leaves out what the server would refuse', () => {
    for (const [typed, query] of [
      ['"', null],
      ['""', null],
      ['-', null],
      ['from:', null],
      ['has:att', null],
      ['lamp label:', 'lamp'],
      ['lamp before:2026-0', 'lamp'],
      ['lamp after:2026-13-45', 'lamp'],
      ['lamp “', 'lamp'],
      ['lamp "due', 'lamp "due'],
      ['lamp"', 'lamp'],
      ['- lamp', 'lamp'],
    ] as const) {
      expect(liveQuery(typed), typed).toBe(query);
    }
  });
});

describe('categories', () => {
  test('come from the address only if they exist', () => {
    expect(categoryOf('billing')).toBe('billing');
    expect(categoryOf('ai:billing')).toBeNull();
    expect(categoryOf(null)).toBeNull();
    expect(categoryLabel('billing')).toBe('ai:billing');
  });
});

describe('marks', () => {
  const reason = { weight: 1, where: 'visible', detail: null } as const;
  const found = (text: string, reasons: object[], risk?: object) =>
    marksOf({ text, ai: { local_screen: { reasons }, risk } } as never);

  test('count characters of the text, not units or bytes', () => {
    const text = '👋🏽 ignore that';
    const marks = found(text, [{ ...reason, code: 'ignore_rules', part: 'text', start: 3, end: 9 }]);
    expect(marks.map((one) => text.slice(one.start, one.end))).toEqual(['ignore']);
    expect(marks[0]?.title).toBe('ignore rules');
    const start = new TextEncoder().encode('👋🏽 ').length;
    const risk = { injection: 0.9, injection_at: [start, start + 6] };
    expect(found(text, [], risk)).toEqual([{ ...marks[0], title: 'instruction to an agent' }]);
  });
  test('leave out other parts and small risks, and join what overlaps', () => {
    const at = (part: string, code: string, start: number, end: number) => ({
      ...reason,
      part,
      code,
      start,
      end,
    });
    const reasons = [
      at('html', 'a', 0, 3),
      at('text', 'b', 2, 6),
      at('text', 'c', 4, 9),
      at('text', 'b', 0, 0),
    ];
    expect(found('0123456789', reasons)).toEqual([{ start: 2, end: 9, title: 'b, c' }]);
    expect(found('0123456789', [], { injection: 0.2, injection_at: [0, 4] })).toEqual([]);
    expect(marksOf({ text: null, ai: {} } as never)).toEqual([]);
  });
  test('divide the parts of a text and keep its links', () => {
    const text = 'see https://a.example now';
    const parts = marked(linkify(text), 10, [{ start: 12, end: 22, title: 'x' }]);
    expect(parts.map((one) => one.text).join('')).toBe(text);
    expect(parts.filter((one) => one.mark === 'x').map((one) => one.text)).toEqual(['e ', 'https://']);
    expect(parts.filter((one) => one.href).map((one) => one.href)).toEqual(
      Array(2).fill('https://a.example'),
    );
    expect(marked(linkify('a'), 0, [])).toEqual([{ text: 'a', href: null, mark: null }]);
  });
});
