import type { Tone } from './auth-results';

const TONES: Record<string, Tone> = {
  delivered: 'good',
  received: 'quiet',
  sent: 'good',
  verified: 'good',
  succeeded: 'good',
  active: 'good',
  confirmed: 'good',
  ok: 'good',
  released: 'good',
  screened: 'good',
  clean: 'good',
  queued: 'quiet',
  draft: 'warn',
  scheduled: 'quiet',
  sending: 'quiet',
  cancelled: 'quiet',
  pending: 'warn',
  invited: 'warn',
  held: 'warn',
  paused: 'warn',
  missing: 'warn',
  mismatch: 'bad',
  bounced: 'bad',
  complained: 'bad',
  failed: 'bad',
  suspended: 'bad',
  disabled: 'quiet',
};

export function toneOf(state: string): Tone {
  return TONES[state] ?? 'quiet';
}

const HELD: Record<string, string> = {
  injection_risk: 'The text tries to give instructions to an agent.',
  phishing: 'The mail looks like phishing.',
  check_failed: 'The check failed, so nobody knows whether the mail is safe.',
  quota: 'The allowance for checks is used up.',
  check_timed_out: 'The check took too long.',
  blocked: 'A block list stopped the mail.',
};

/** Says why mail is held. */
export function heldReason(reason: string | null | undefined): string {
  return reason ? (HELD[reason] ?? reason) : 'Waits for a check.';
}

const UNREAD: Record<string, string> = {
  unsupported_type: 'files of this type have no text that can be read.',
  quota: 'the plan’s monthly limit of files is used up.',
  ocr_unavailable: 'it is an image, and this server doesn’t read text in images.',
  ocr_error: 'the text in its image can’t be read.',
  timeout: 'it takes too much time or memory.',
  parse_error: 'it is damaged, or not what its name says.',
  encrypted: 'it needs a password.',
  too_large: 'it is too large.',
  too_many: 'only the first files of a mail are read.',
  blocked: 'a block list stopped the mail.',
  off: 'reading files is switched off on this server.',
};

interface Extraction {
  status: string;
  error?: { code: string; message: string } | null;
}

/** Says why the text of a file can't be shown; null if it can, or may soon. */
export function unreadReason(extraction: Extraction | null | undefined): string | null {
  const error = extraction?.error;
  return error ? `Not read: ${UNREAD[error.code] ?? error.message}` : null;
}

const DELIVERY: Record<string, string> = {
  queued: 'Waits to leave',
  sent: 'Handed over',
  delivered: 'Accepted by the recipient’s server',
  bounced: 'Refused for good',
  complained: 'Marked as spam by the recipient',
  failed: 'Could not be sent',
};

export function deliveryWords(status: string): string {
  return DELIVERY[status] ?? status;
}

const ATTEMPT: Record<string, string> = {
  delivered: 'accepted by the recipient’s server',
  sent: 'handed to the relay',
  captured: 'captured on this machine, nothing left',
  retried: 'not accepted for now',
  bounced: 'refused for good',
  failed: 'could not be sent',
};

/** Says how one try of a delivery ended. */
export function attemptWords(outcome: string): string {
  return ATTEMPT[outcome] ?? outcome;
}
