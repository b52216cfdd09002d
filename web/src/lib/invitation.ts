/** What the text of a calendar file says about the event that it invites to. */
export interface InvitationFacts {
  title: string;
  starts: string;
  location: string | null;
}

interface CalendarFile {
  id: string;
  filename: string | null;
  content_type: string;
}

/** Returns the first file that may be an invitation. */
export function calendarFile<F extends CalendarFile>(files: readonly F[]): F | undefined {
  return files.find((file) => {
    const type = (file.content_type.split(';')[0] ?? '').trim().toLowerCase();
    return type === 'text/calendar' || type === 'application/ics' || /\.ics$/i.test(file.filename ?? '');
  });
}

/** Reads the lines that the server makes of a calendar; null unless it asks for an answer. */
export function invitationIn(text: string): InvitationFacts | null {
  const lines = text.split('\n');
  const value = (name: string): string | null => {
    const line = lines.find((one) => one.startsWith(`${name}: `));
    return line ? line.slice(name.length + 2).trim() : null;
  };
  const title = value('Event');
  const asks = (value('Method') ?? 'REQUEST') === 'REQUEST' && value('Organizer') !== null;
  return title !== null && asks
    ? { title, starts: value('Starts') ?? '', location: value('Location') }
    : null;
}
