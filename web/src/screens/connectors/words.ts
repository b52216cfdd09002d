import type { Connector, ConnectorDecision } from '../../lib/platform';

export type Preset = NonNullable<ConnectorDecision['preset']>;
export type Scope = NonNullable<ConnectorDecision['scope']>;

export const presets: { value: Preset; label: string; hint: string }[] = [
  { value: 'read', label: 'Read', hint: 'Reads mail and contacts, changes nothing.' },
  { value: 'reply', label: 'Read and reply', hint: 'Reads mail, drafts and sends.' },
  {
    value: 'admin',
    label: 'Everything',
    hint: 'Creates and deletes inboxes, approves drafts, releases held mail.',
  },
];

/** The most inboxes of a connector. */
export const INBOXES_MAX = 10;

/** Returns where the access goes, in words. */
export function destination(redirect: Connector['redirect']): string {
  return redirect.is_local ? `a program on this computer (${redirect.target})` : redirect.target;
}

/** Returns what a connector may do, in words. */
export function powers(permissions: string[]): string {
  const has = (name: string) => permissions.includes(name);
  const words = [
    has('messages:read') ? 'reads mail' : '',
    has('messages:send') ? 'sends' : '',
    has('drafts:write') ? 'drafts' : '',
    has('drafts:approve') ? 'approves drafts' : '',
    has('inboxes:write') ? 'changes inboxes' : '',
  ].filter((word) => word !== '');
  const [first, ...rest] = words.length > 0 ? words : [`${permissions.length} permissions`];
  const text = [first, ...rest].join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
