import type { AgentBundle } from './agents';
import { api, ok, type Schemas } from './api';
import { asApiError } from './errors';

/** An agent of this workspace. */
export interface OwnAgent extends AgentBundle {
  /** The server has no directory: the agent has no card, but keys and sign-in work. */
  directoryOff?: boolean;
}

/** Loads an agent; without the directory, what else is known about it. */
export async function loadAgent(id: string): Promise<OwnAgent> {
  const params = { path: { id } };
  try {
    return await ok(api.GET('/v1/inboxes/{id}/agent', { params }));
  } catch (error) {
    if (asApiError(error).code !== 'directory_disabled') throw error;
  }
  const { enabled, kind } = await ok(api.GET('/v1/inboxes/{id}/identity', { params }));
  const inbox =
    kind === 'identity'
      ? await ok(api.GET('/v1/identities/{id}', { params }))
      : await ok(api.GET('/v1/inboxes/{id}', { params }));
  return {
    inbox: inbox as Schemas['Inbox'],
    identity: { enabled, sign_in_ready: enabled && inbox.status === 'active' },
    card: null,
    keys: { server: { kid: null, jwks_uri: '' }, agent: [] },
    routing: 'relay',
    visibility: 'private',
    status: 'no_card',
    assurance: 'workspace',
    badges: [],
    domain: null,
    handle: null,
    sanction: null,
    directoryOff: true,
  };
}
