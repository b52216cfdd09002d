import { describe, expect, test } from 'vitest';
import { count, duration, exact, percent, plural, relative, size } from '../src/lib/format';

const now = Date.parse('2026-11-22T10:02:00Z');
const ago = (seconds: number) => relative(now - seconds * 1000, now);

describe('times', () => {
  test('are relative up to a week', () => {
    expect(ago(10)).toBe('now');
    expect(ago(120)).toBe('2 min ago');
    expect(ago(3 * 3600)).toBe('3 h ago');
    expect(ago(2 * 86_400)).toBe('2 d ago');
    expect(ago(30 * 86_400)).toBe('23 Oct');
    expect(ago(400 * 86_400)).toBe('18 Oct 2025');
    expect(ago(-3 * 3600)).toBe('in 3 h');
  });
  test('are exact in the zone of the person', () => {
    expect(exact(now, now, 'UTC')).toBe('22 Nov, 10:02');
    expect(exact(now, now, 'Asia/Tokyo')).toBe('22 Nov, 19:02');
    expect(exact(Date.parse('2026-03-29T01:30:00Z'), now, 'Europe/Berlin')).toBe('29 Mar, 03:30');
  });
});

describe('numbers', () => {
  test('read well', () => {
    expect(size(812)).toBe('812 B');
    expect(size(12_345)).toBe('12 KB');
    expect(size(1_400_000)).toBe('1.4 MB');
    expect(size(999_999)).toBe('1.0 MB');
    expect(count(1234567)).toBe('1\u202f234\u202f567');
    expect(plural(1, 'draft')).toBe('1 draft');
    expect(plural(0, 'entry', 'entries')).toBe('0 entries');
    expect(percent(0.0012)).toBe('0.12\u202f%');
    expect(duration(84)).toBe('84 ms');
    expect(duration(1234)).toBe('1.2 s');
  });
});
