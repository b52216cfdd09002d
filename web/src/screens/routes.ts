import type { Component } from 'svelte';
import type { Route } from '../lib/router';

export type ScreenProps = { params: Record<string, string> };
export type Screen = Component<ScreenProps>;

type Loader = () => Promise<{ default: unknown }>;

const loaders = {
  overview: () => import('./overview/Overview.svelte'),
  inbox: () => import('./inbox/Inbox.svelte'),
  search: () => import('./search/Search.svelte'),
  compose: () => import('./compose/Compose.svelte'),
  approvals: () => import('./approvals/Approvals.svelte'),
  held: () => import('./held/Held.svelte'),
  queue: () => import('./queue/Queue.svelte'),
  contacts: () => import('./contacts/Contacts.svelte'),
  suppressions: () => import('./suppressions/Suppressions.svelte'),
  lists: () => import('./lists/Lists.svelte'),
  rules: () => import('./rules/Rules.svelte'),
  knowledge: () => import('./knowledge/Knowledge.svelte'),
  domains: () => import('./domains/Domains.svelte'),
  domain: () => import('./domains/Domain.svelte'),
  webhooks: () => import('./webhooks/Webhooks.svelte'),
  webhook: () => import('./webhooks/Webhook.svelte'),
  events: () => import('./events/Events.svelte'),
  keys: () => import('./keys/Keys.svelte'),
  agents: () => import('./agents/Agents.svelte'),
  agent: () => import('./agents/Agent.svelte'),
  'approve-sign-in': () => import('./agents/ApproveSignIn.svelte'),
  directory: () => import('./directory/Directory.svelte'),
  apps: () => import('./apps/Apps.svelte'),
  app: () => import('./apps/App.svelte'),
  connectors: () => import('./connectors/Connectors.svelte'),
  'approve-connector': () => import('./connectors/ApproveConnector.svelte'),
  usage: () => import('./usage/Usage.svelte'),
  settings: () => import('./settings/Settings.svelte'),
  captured: () => import('./captured/Captured.svelte'),
} satisfies Record<string, Loader>;

export type ScreenName = keyof typeof loaders;

/** Loads the code of a screen. */
export function loadScreen(name: ScreenName): Promise<{ default: Screen }> {
  return loaders[name]() as Promise<{ default: Screen }>;
}

/** Every screen and selection has a path. */
export const routes: readonly Route<ScreenName>[] = [
  { name: 'overview', pattern: '/' },
  { name: 'inbox', pattern: '/inbox' },
  { name: 'inbox', pattern: '/inbox/:inbox' },
  { name: 'inbox', pattern: '/inbox/:inbox/:thread' },
  { name: 'search', pattern: '/search' },
  { name: 'search', pattern: '/search/:thread' },
  { name: 'compose', pattern: '/compose' },
  { name: 'approvals', pattern: '/approvals' },
  { name: 'approvals', pattern: '/approvals/:inbox/:draft' },
  { name: 'held', pattern: '/held' },
  { name: 'held', pattern: '/held/:message' },
  { name: 'queue', pattern: '/queue' },
  { name: 'contacts', pattern: '/contacts' },
  { name: 'contacts', pattern: '/contacts/:contact' },
  { name: 'suppressions', pattern: '/suppressions' },
  { name: 'lists', pattern: '/lists' },
  { name: 'rules', pattern: '/rules' },
  { name: 'knowledge', pattern: '/knowledge' },
  { name: 'knowledge', pattern: '/knowledge/:document' },
  { name: 'domains', pattern: '/domains' },
  { name: 'domain', pattern: '/domains/:domain' },
  { name: 'webhooks', pattern: '/webhooks' },
  { name: 'webhook', pattern: '/webhooks/:webhook' },
  { name: 'events', pattern: '/events' },
  { name: 'events', pattern: '/events/:event' },
  { name: 'keys', pattern: '/keys' },
  { name: 'agents', pattern: '/agents' },
  { name: 'approve-sign-in', pattern: '/agents/approve' },
  { name: 'agent', pattern: '/agents/:agent' },
  { name: 'agent', pattern: '/agents/:agent/:section' },
  // `/directory` is the public one, which the server renders.
  { name: 'directory', pattern: '/find-agents' },
  { name: 'directory', pattern: '/find-agents/:agent' },
  { name: 'apps', pattern: '/apps' },
  { name: 'app', pattern: '/apps/:app' },
  { name: 'connectors', pattern: '/connectors' },
  { name: 'approve-connector', pattern: '/connectors/approve' },
  { name: 'usage', pattern: '/usage' },
  { name: 'settings', pattern: '/settings' },
  { name: 'settings', pattern: '/settings/:section' },
  { name: 'captured', pattern: '/captured' },
  { name: 'captured', pattern: '/captured/:message' },
];

export interface Place {
  href: string;
  label: string;
  icon: string;
  /** The letter that follows `g` on the keyboard. */
  key: string;
}

/** The rail, top to bottom: daily screens first, then the workspace's parts. */
export const daily: readonly Place[] = [
  { href: '/', label: 'Overview', icon: 'overview', key: 'o' },
  { href: '/inbox', label: 'Inbox', icon: 'inbox', key: 'i' },
  { href: '/approvals', label: 'Approvals', icon: 'approvals', key: 'a' },
  { href: '/held', label: 'Held mail', icon: 'held', key: 'h' },
  { href: '/queue', label: 'Queue', icon: 'queue', key: 'q' },
];

export const parts: readonly Place[] = [
  { href: '/agents', label: 'Agents', icon: 'agents', key: 'n' },
  { href: '/find-agents', label: 'Directory', icon: 'directory', key: 'f' },
  { href: '/apps', label: 'Apps', icon: 'apps', key: 'p' },
  { href: '/contacts', label: 'Contacts', icon: 'contacts', key: 'c' },
  { href: '/suppressions', label: 'Suppressions', icon: 'suppressions', key: 's' },
  { href: '/lists', label: 'Lists', icon: 'lists', key: 'l' },
  { href: '/rules', label: 'Rules', icon: 'lists', key: 'r' },
  { href: '/knowledge', label: 'Knowledge', icon: 'knowledge', key: 'b' },
  { href: '/domains', label: 'Domains', icon: 'domains', key: 'd' },
  { href: '/webhooks', label: 'Webhooks', icon: 'webhooks', key: 'w' },
  { href: '/events', label: 'Events', icon: 'events', key: 'e' },
  { href: '/keys', label: 'API keys', icon: 'keys', key: 'k' },
  { href: '/connectors', label: 'Connectors', icon: 'connectors', key: 't' },
  { href: '/usage', label: 'Usage', icon: 'usage', key: 'u' },
  { href: '/settings', label: 'Settings', icon: 'settings', key: ',' },
];

export const captured: Place = { href: '/captured', label: 'Captured mail', icon: 'captured', key: 'm' };
