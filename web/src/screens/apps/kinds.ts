import type { Schemas } from '../../lib/api';

type Client = Schemas['IdentityClient'];

/** The kinds of apps, in the words of the person who registers one. */
export const KINDS: { value: Client['type']; label: string; hint: string }[] = [
  { value: 'confidential', label: 'Server', hint: 'has a secret that nobody else sees' },
  { value: 'public', label: 'Browser or device', hint: 'cannot keep a secret, and uses PKCE' },
  {
    value: 'verify_only',
    label: 'Tokens only',
    hint: 'verifies tokens that agents bring, without a browser',
  },
];

export function kindLabel(type: Client['type']): string {
  return KINDS.find((one) => one.value === type)?.label ?? type;
}

/** What an app may learn, besides the id of the agent. */
export const SCOPES = [
  { value: 'email', label: 'Address of the mailbox' },
  { value: 'profile', label: 'Name of the agent' },
  { value: 'workspace', label: 'Name of the workspace, if that is shared' },
] as const;

/** Splits one redirect address per line. */
export function lines(text: string): string[] {
  return text
    .split('\n')
    .map((one) => one.trim())
    .filter(Boolean);
}
