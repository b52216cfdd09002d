export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

export interface AuthResult {
  method: 'SPF' | 'DKIM' | 'DMARC' | 'ARC';
  result: string;
  sentence: string;
  tone: Tone;
}

const NAMES = { spf: 'SPF', dkim: 'DKIM', dmarc: 'DMARC', arc: 'ARC' } as const;

/** Reads an Authentication-Results header (RFC 8601) into one sentence per result. */
export function authResults(header: string | string[] | undefined): AuthResult[] {
  const text = Array.isArray(header) ? header[0] : header;
  if (!text) return [];
  const results: AuthResult[] = [];
  for (const part of text.split(';').slice(1)) {
    const match = /^\s*(spf|dkim|dmarc|arc)\s*=\s*([a-z]+)/i.exec(part);
    if (!match) continue;
    const method = NAMES[(match[1] ?? '').toLowerCase() as keyof typeof NAMES];
    const result = (match[2] ?? '').toLowerCase();
    const subject = /(?:header\.d|header\.from|smtp\.mailfrom|header\.i)\s*=\s*"?([^\s;"]+)/i.exec(part)?.[1];
    results.push({
      method,
      result,
      tone: toneOf(result),
      sentence: sentence(method, result, subject ?? null),
    });
  }
  return results;
}

/** One line for the head of a message: what the sender's domain proved. */
export function authSummary(results: AuthResult[], labels: string[]): { text: string; tone: Tone } {
  const dmarc = results.find((one) => one.method === 'DMARC');
  if (labels.includes('dmarc-fail') || dmarc?.result === 'fail') return { text: 'failed DMARC', tone: 'bad' };
  if (labels.includes('spf-fail')) return { text: 'failed SPF', tone: 'bad' };
  if (labels.includes('auth-unknown')) return { text: 'sender not checked', tone: 'warn' };
  if (dmarc?.result === 'pass') return { text: 'passed DMARC', tone: 'good' };
  const passed = results.filter((one) => one.result === 'pass').map((one) => one.method);
  if (passed.length > 0) return { text: `passed ${[...new Set(passed)].join(' and ')}`, tone: 'good' };
  return { text: 'sender not authenticated', tone: 'quiet' };
}

function toneOf(result: string): Tone {
  if (result === 'pass') return 'good';
  if (result === 'fail' || result === 'policy') return 'bad';
  return result === 'none' ? 'quiet' : 'warn';
}

const NONE: Record<AuthResult['method'], string> = {
  SPF: 'The domain publishes no SPF record.',
  DKIM: 'The message has no DKIM signature.',
  DMARC: 'The domain publishes no DMARC record.',
  ARC: 'No server passed the message on with ARC.',
};

function sentence(method: AuthResult['method'], result: string, subject: string | null): string {
  const of = subject ? ` for ${subject}` : '';
  const words: Record<string, string> = {
    pass: `${method} passed${of}.`,
    fail: `${method} failed${of}.`,
    none: NONE[method],
    softfail: `The sender's domain doubts the sending server${of}.`,
    neutral: `The sender's domain says nothing about the sending server${of}.`,
    temperror: `${method} could not be checked${of}: DNS did not answer.`,
    permerror: `${method} could not be checked${of}: the record or signature is malformed.`,
    policy: `The DKIM signature${of} does not cover the whole message.`,
  };
  return words[result] ?? `${method}: ${result}${of}.`;
}
