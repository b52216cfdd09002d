import createClient from 'openapi-fetch';
import type { Readable } from 'openapi-typescript-helpers';
import type { components, paths } from './api-types';
import { asApiError, errorFrom } from './errors';

export type Schemas = components['schemas'];

/** Schemas as the typed client returns them: without members that are never set. */
export type Message = Readable<Schemas['Message']>;
export type SearchHit = Readable<Schemas['FoundMessage']>;

/** The value of `X-Requested-With` that every changing request carries. */
export const REQUESTED_WITH = 'service-web';

let signedOut: () => void = () => undefined;

/** Registers what happens when the session has ended. */
export function onSignedOut(callback: () => void): void {
  signedOut = callback;
}

export const api = createClient<paths>({
  baseUrl: '',
  credentials: 'same-origin',
  // Lists in a query are joined by commas.
  querySerializer: { array: { style: 'form', explode: false } },
});

api.use({
  onRequest({ request }) {
    if (request.method !== 'GET') request.headers.set('X-Requested-With', REQUESTED_WITH);
    return request;
  },
  onResponse({ response }) {
    if (response.status === 401) signedOut();
  },
});

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the body of a successful answer, throws an ApiError otherwise. */
export async function ok<T>(answer: Promise<Answer<T>>): Promise<T> {
  let settled: Answer<T>;
  try {
    settled = await answer;
  } catch (error) {
    throw asApiError(error);
  }
  if (!settled.response.ok) throw errorFrom(settled.response.status, settled.error);
  return settled.data as T;
}

/** The query of lists that need no bodies. */
export const summary = { view: 'summary' } as const;

/** The query of reads that show a person what agents do not get yet. */
export const everything = { include_unscreened: true, include_held: true } as const;

/** Whether agents get a message only after a person's release. What a list stopped, they never get. */
export function waitsForRelease({ screening }: Pick<Message, 'screening'>): boolean {
  return screening?.state === 'held' && screening.reason !== 'blocked';
}

/** Whether agents don't get a message before its check ends or somebody releases it. */
export function isWithheld(message: Pick<Message, 'screening'>): boolean {
  return message.screening?.state === 'pending' || waitsForRelease(message);
}

/** A new value for `Idempotency-Key`. */
export function idempotencyKey(): string {
  return crypto.randomUUID();
}
