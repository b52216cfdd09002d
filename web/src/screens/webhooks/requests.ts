import type { CurlRequest } from '../../lib/curl';

export const createRequest: CurlRequest = {
  title: 'Create a webhook',
  method: 'POST',
  path: '/v1/webhooks',
  body: { url: 'https://example.com/posthouse', events: ['message.received'] },
};
