import type { Schemas } from './api';
import type { Tone } from './auth-results';

export type AgentCard = Schemas['AgentCard'];
export type AgentBundle = Schemas['AgentBundle'];
export type AgentSkill = Schemas['AgentSkill'];
export type Assurance = AgentCard['assurance'];
export type Visibility = AgentBundle['visibility'];
export type MessageType = 'message' | 'task' | 'event';

export const MESSAGE_TYPES: readonly MessageType[] = ['message', 'task', 'event'];

/** A state in a word, with the sentence behind it. */
export interface StateWords {
  word: string;
  tone: Tone;
  sentence: string;
}

const ASSURANCE: Record<Assurance, string> = {
  unclaimed: 'No person has claimed the workspace of this agent.',
  workspace: 'A person owns the workspace of this agent.',
  domain_verified: 'Its workspace verified the domain of its address.',
};

/** Says what is known about who is behind an agent. */
export function assuranceWords(assurance: Assurance): string {
  return ASSURANCE[assurance] ?? assurance;
}

const STANDING: Record<string, string> = {
  revoked: 'Revoked by its owner: its messages are no longer signed.',
  suspended: 'Suspended by the operator of the server: its messages are no longer signed.',
  deleted: 'Deleted.',
};

/** Says what stands against an agent; null if nothing does. */
export function standingWords(status: string): string | null {
  return STANDING[status] ?? null;
}

export const PROBLEMS: Record<string, string> = {
  html: 'A text contains HTML.',
  link: 'A text contains a link. Use the documentation address instead.',
  address: 'A text contains an email address.',
  invisible_text: 'A text contains invisible characters.',
  mixed_scripts: 'A word of the name mixes scripts, such as Latin and Cyrillic letters.',
  reserved_name: 'The name is that of a role or of the service, or looks like one.',
  similar_handle: 'The name is, or looks like, the handle of another workspace.',
};

/** Problems of the listing check that are about the name; the others can be in any text. */
export const NAME_PROBLEMS = new Set(['mixed_scripts', 'reserved_name', 'similar_handle']);

/** Says who can see a card: its visibility, its listing and its standing. */
export function cardState(card: AgentCard | null): StateWords {
  if (!card) return { word: 'no card', tone: 'quiet', sentence: 'It has no card.' };
  const standing = standingWords(card.status);
  if (standing) return { word: card.status, tone: 'bad', sentence: standing };
  if (card.visibility === 'workspace') {
    return { word: 'workspace', tone: 'quiet', sentence: 'Agents of this workspace find it by searches.' };
  }
  if (card.visibility !== 'public') {
    return { word: 'private', tone: 'quiet', sentence: 'Only agents that know its address find it.' };
  }
  return listingState(card.listing);
}

function listingState(listing: AgentCard['listing']): StateWords {
  if (listing?.state === 'listed') {
    return { word: 'listed', tone: 'good', sentence: 'Listed in the public directory.' };
  }
  if (listing?.state === 'hidden') return { word: 'hidden', tone: 'bad', sentence: hiddenWords(listing) };
  return { word: 'pending', tone: 'warn', sentence: 'The listing check runs; this takes seconds.' };
}

function hiddenWords(listing: Schemas['AgentListing']): string {
  if (listing.reason === 'reports') {
    return 'Hidden: several workspaces reported it. The operator of the server decides.';
  }
  if (listing.reason === 'operator') return 'Hidden by the operator of the server.';
  const problems = listing.problems.map((one) => PROBLEMS[one] ?? one);
  return `Hidden by the listing check. ${problems.join(' ')}`;
}

export type Viewer = 'own' | 'workspace' | 'everyone';

/** What a viewer sees of a card. */
export interface Sight {
  form: 'full' | 'public' | 'minimal' | 'nothing';
  sentence: string;
}

/** Says which form of a card a viewer sees. `listed` is whether the card is, or is about to be, listed. */
export function sightOf(viewer: Viewer, visibility: Visibility, listed: boolean): Sight {
  if (viewer === 'own') return { form: 'full', sentence: 'Your workspace sees everything.' };
  if (visibility === 'public' && listed) {
    const sentence =
      viewer === 'everyone'
        ? 'Everyone sees this, without signing in.'
        : 'Agents of other workspaces find this by searches, by its address and by its handle.';
    return { form: 'public', sentence };
  }
  if (viewer === 'everyone') {
    const sentence =
      visibility === 'public'
        ? 'Strangers see nothing until it is listed.'
        : 'Strangers see nothing: the card is not public.';
    return { form: 'nothing', sentence };
  }
  return {
    form: 'minimal',
    sentence: 'Agents of other workspaces that know its address see this, and nothing more.',
  };
}

/** The minimal form of a card. */
export function minimalForm(card: AgentCard): AgentCard {
  const { format_version, address, name, status, assurance, badges, revoked_at, keys } = card;
  const accepts = { types: card.accepts.types };
  return {
    format_version,
    address,
    name,
    status,
    assurance,
    badges,
    revoked_at,
    accepts,
    keys,
    minimal: true,
  };
}

const SCOPES: Record<string, string> = {
  openid: 'an id of the agent, and whether it has a mailbox',
  email: 'the address of its mailbox',
  profile: 'its name',
  workspace: 'the name of its workspace, if that is shared',
};

/** Says what an app learns with its scopes. */
export function scopeWords(scope: string): string[] {
  return scope
    .split(' ')
    .filter(Boolean)
    .map((one) => SCOPES[one] ?? one);
}

/** Shortens a key id for a table. */
export function shortKid(kid: string): string {
  return kid.length > 12 ? `${kid.slice(0, 10)}…` : kid;
}

const UNSIGNED: Record<string, string> = {
  revoked: 'its owner revoked the agent',
  suspended: 'the operator of the server suspended the agent',
  deleted: 'the agent is deleted',
};

/** Says what the service states about the sender of an agent message. */
export function deliveryWords(agent: Schemas['AgentDelivery']): { text: string; tone: Tone } {
  if (agent.verified) return { text: `This service signed that ${agent.from} sent it.`, tone: 'good' };
  const why = agent.reason ? (UNSIGNED[agent.reason] ?? agent.reason) : 'it could not be signed';
  return { text: `Not signed: ${why}.`, tone: 'warn' };
}

const UNTRUSTED: Record<string, string> = {
  key_revoked: 'the key was revoked',
  key_unknown: 'the sender has no such key',
};

/** Says what the signature of the author is worth. */
export function authorWords(author: Schemas['AuthorSignature']): { text: string; tone: Tone } {
  if (author.verified) {
    return { text: 'The agent also signed it with a key of its own.', tone: 'good' };
  }
  const why = author.reason ? (UNTRUSTED[author.reason] ?? author.reason) : 'it did not verify';
  return { text: `It has a signature of its author that does not count: ${why}.`, tone: 'bad' };
}

/** One line for the head of a message from another inbox of this server. */
export function agentSummary(agent: Schemas['AgentDelivery']): { text: string; tone: Tone } {
  return agent.verified
    ? { text: 'signed agent message', tone: 'good' }
    : { text: 'agent message without a signature', tone: 'warn' };
}
