// What the lines of a calendar file and the state of a file say.
import { describe, expect, it } from 'vitest';
import { calendarFile, invitationIn } from '../src/lib/invitation';
import { unreadReason } from '../src/lib/states';

const LINES =
  'Method: REQUEST\nEvent: Lunch: early\nStarts: 2027-01-15 12:00:00 UTC\nLocation: Room 4\nOrganizer: a@b.example\nUID: 1';

describe('invitations', () => {
  it('have a title, a time and a place', () => {
    expect(invitationIn(LINES)).toEqual({
      title: 'Lunch: early',
      starts: '2027-01-15 12:00:00 UTC',
      location: 'Room 4',
    });
  });

  it('ask for an answer', () => {
    for (const method of ['CANCEL', 'REPLY', 'PUBLISH'])
      expect(invitationIn(LINES.replace('REQUEST', method))).toBeNull();
    expect(invitationIn(LINES.replace('Organizer: a@b.example\n', ''))).toBeNull();
    expect(invitationIn('')).toBeNull();
  });

  it('are in calendar files', () => {
    const file = (filename: string | null, content_type: string) => ({ id: '1', filename, content_type });
    expect(calendarFile([file('a.pdf', 'application/pdf')])).toBeUndefined();
    expect(calendarFile([file(null, 'Text/Calendar; method=REQUEST')])).toBeDefined();
    expect(calendarFile([file('INVITE.ICS', 'application/octet-stream')])).toBeDefined();
  });
});

describe('files without text', () => {
  it('say why', () => {
    const file = (code: string) => ({ status: 'failed', error: { code, message: 'Something else.' } });
    expect(unreadReason(file('encrypted'))).toBe('Not read: it needs a password.');
    expect(unreadReason(file('new_code'))).toBe('Not read: Something else.');
    expect(unreadReason({ status: 'done', error: null })).toBeNull();
    expect(unreadReason({ status: 'pending' })).toBeNull();
    expect(unreadReason(null)).toBeNull();
  });
});
