import { describe, expect, test } from 'vitest';
import { cardState, minimalForm, sightOf, type AgentBundle, type AgentCard } from '../src/lib/agents';
import { ApiError } from '../src/lib/errors';
import { localInput } from '../src/lib/format';
import { fieldProblems } from '../src/lib/problems';
import { cardOf, cardProblems, changeOf, formOf } from '../src/screens/agents/card-form';

const card = (change: Partial<AgentCard> = {}): AgentCard => ({
  format_version: '1',
  address: 'a@example.com',
  name: 'A',
  status: 'active',
  assurance: 'workspace',
  badges: [],
  revoked_at: null,
  accepts: { types: ['message'], languages: [], input_modes: ['text/plain', 'application/json'] },
  keys: { server: '', agent: [] },
  minimal: false,
  description: 'Does things',
  visibility: 'public',
  skills: [{ id: 's', name: 'S', description: null, tags: ['t'], oasf: 7 }],
  handle: '@acme/a',
  ...change,
});

const bundle = (own: AgentCard | null): AgentBundle =>
  ({
    inbox: { id: 'i', kind: 'mailbox', address: 'a@example.com', username: 'a', display_name: null },
    keys: { server: { kid: null, jwks_uri: '' }, agent: [] },
    card: own,
    visibility: own?.visibility ?? 'private',
    assurance: 'workspace',
    badges: [],
    domain: null,
  }) as unknown as AgentBundle;

describe('cards', () => {
  test('states are words with a sentence', () => {
    const listing = (state: 'listed' | 'pending' | 'hidden', problems: string[] = []) =>
      cardState(
        card({
          listing: {
            state,
            reason: state === 'hidden' ? 'listing_check' : null,
            problems,
            listed_at: null,
          } as AgentCard['listing'],
        }),
      );
    expect(cardState(null).word).toBe('no card');
    expect(cardState(card({ visibility: 'private' })).word).toBe('private');
    expect(cardState(card({ status: 'revoked' })).tone).toBe('bad');
    expect(listing('pending').word).toBe('pending');
    expect(listing('listed').tone).toBe('good');
    expect(listing('hidden', ['reserved_name']).sentence).toContain('The name is that of a role');
  });

  test('strangers see public cards that are listed, and nothing else', () => {
    expect(sightOf('own', 'private', false).form).toBe('full');
    expect(sightOf('everyone', 'public', true).form).toBe('public');
    expect(sightOf('everyone', 'public', false).form).toBe('nothing');
    expect(sightOf('everyone', 'workspace', true).form).toBe('nothing');
    expect(sightOf('workspace', 'public', true).form).toBe('public');
    expect(sightOf('workspace', 'private', true).form).toBe('minimal');
  });

  test('the minimal form has neither texts nor skills', () => {
    const minimal = minimalForm(card());
    expect(minimal).not.toHaveProperty('description');
    expect(minimal).not.toHaveProperty('skills');
    expect(minimal.accepts).toEqual({ types: ['message'] });
  });
});

describe('the form of a card', () => {
  test('sends only what changed', () => {
    const before = formOf(bundle(card()));
    expect(before.handle).toBe('a');
    expect(changeOf(before, before)).toEqual({});
    expect(changeOf({ ...before, name: ' B ', handle: '' }, before)).toEqual({ name: 'B', handle: null });
  });

  test('replaces the capabilities as a whole', () => {
    const before = formOf(bundle(card()));
    const change = changeOf({ ...before, languages: 'en,  sv,' }, before);
    expect(change).toEqual({
      capabilities: {
        skills: [{ id: 's', name: 'S', description: null, tags: ['t'], oasf: 7 }],
        accepts_types: ['message'],
        languages: ['en', 'sv'],
        input_modes: ['text/plain', 'application/json'],
      },
    });
  });

  test('previews what it describes', () => {
    const form = formOf(bundle(null));
    const draft = cardOf({ ...form, handle: 'Help', description: ' Hi ' }, bundle(null), '@acme');
    expect(draft).toMatchObject({ name: 'a', handle: '@acme/Help', description: 'Hi' });
    expect(cardOf(form, bundle(null), '@acme').handle).toBeNull();
  });
});

describe('problems of fields', () => {
  const error = (code: string, fields: { path: string; problem: string }[] = []) =>
    new ApiError(400, code, 'No.', 'Do that.', null, { fields });

  test('are found by their path, with those inside', () => {
    const problems = fieldProblems(
      error('invalid_request', [
        { path: 'name', problem: 'must be plain text' },
        { path: 'uris[1]', problem: 'must be https' },
        { path: 'uris[1].name', problem: 'is odd' },
      ]),
    );
    expect(problems.of('name')).toBe('Must be plain text.');
    expect(problems.of('uris')).toBe('Number 2: Must be https. Number 2.name: Is odd.');
    expect(problems.of('other')).toBeUndefined();
    expect(fieldProblems(null).has('name')).toBe(false);
  });

  test('an error code can be about one field', () => {
    expect(cardProblems(error('handle_taken')).of('handle')).toBe('No. Do that.');
    expect(cardProblems(error('plan_limit_public_listings')).has('visibility')).toBe(true);
    expect(cardProblems(error('server_error')).has('visibility')).toBe(false);
  });
});

test('times become values of local fields', () => {
  const time = Date.parse('2026-11-22T10:02:30Z');
  expect(Date.parse(localInput(time))).toBe(Date.parse('2026-11-22T10:02:00Z'));
});
