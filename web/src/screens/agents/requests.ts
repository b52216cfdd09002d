import type { CurlRequest } from '../../lib/curl';

export const createIdentity: CurlRequest = {
  title: 'Create an agent without a mailbox',
  method: 'POST',
  path: '/v1/identities',
  body: { display_name: 'Night runner' },
};

/** The request that gives an agent a card. */
export function writeCard(id: string): CurlRequest {
  return {
    title: 'Write its card',
    method: 'PATCH',
    path: `/v1/inboxes/${id}/agent`,
    body: {
      description: 'Answers questions about orders.',
      capabilities: { skills: [{ id: 'orders', name: 'Orders', tags: ['shop'] }] },
      visibility: 'workspace',
    },
  };
}
