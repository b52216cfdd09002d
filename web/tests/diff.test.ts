import { describe, expect, test } from 'vitest';
import { diff } from '../src/lib/diff';

const words = (before: string, after: string) =>
  diff(before, after)
    .map((piece) =>
      piece.kind === 'same' ? piece.text : piece.kind === 'added' ? `[+${piece.text}]` : `[-${piece.text}]`,
    )
    .join('');

describe('diff', () => {
  test('marks changed words and joins neighbors', () => {
    expect(words('They arrive on Thursday.', 'They arrive on Friday.')).toBe(
      'They arrive on [-Thursday][+Friday].',
    );
    expect(words('one two three', 'four five three')).toBe('[-one two][+four five] three');
  });
  test('handles empty and equal texts', () => {
    expect(diff('', '')).toEqual([]);
    expect(words('same', 'same')).toBe('same');
    expect(words('', 'new')).toBe('[+new]');
    expect(words('old', '')).toBe('[-old]');
  });
  test('loses no character on either side', () => {
    const pool = ['a ', 'b ', 'c, ', 'd\n', 'é.'];
    let seed = 7;
    const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
    for (let round = 0; round < 200; round += 1) {
      const make = () => Array.from({ length: next() % 12 }, () => pool[next() % pool.length]).join('');
      const [before, after] = [make(), make()];
      const pieces = diff(before, after);
      const side = (kind: string) =>
        pieces
          .filter((one) => one.kind !== kind)
          .map((one) => one.text)
          .join('');
      expect(side('added')).toBe(before);
      expect(side('removed')).toBe(after);
    }
  });
  test('stays fast on long texts', () => {
    const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');
    const start = performance.now();
    diff(long, long.replace('line 10000', 'changed'));
    expect(performance.now() - start).toBeLessThan(500);
  });
});
