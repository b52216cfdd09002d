import type { CurlRequest } from '../../lib/curl';

export const createApp: CurlRequest = {
  title: 'Register an app',
  method: 'POST',
  path: '/v1/identity/clients',
  body: {
    name: 'Travel desk',
    type: 'confidential',
    redirect_uris: ['https://travel.example/callback'],
  },
};
