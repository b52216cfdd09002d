// What agents and apps do by themselves: keys, author signatures, sign-ins in a browser.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const hash = (text) => createHash('sha256').update(text).digest('base64url');
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const fresh = () => ({
  iat: Math.floor(Date.now() / 1000),
  nonce: randomBytes(16).toString('base64url'),
});

/** A key of an agent that can prove itself and sign. */
export function agentKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { crv, kty, x } = publicKey.export({ format: 'jwk' });
  const kid = hash(JSON.stringify({ crv, kty, x }));
  const jws = (typ, claims) => {
    const input = `${part({ alg: 'EdDSA', typ, kid })}.${part(claims)}`;
    return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
  };
  return { kid, public_jwk: { kty, crv, x }, jws };
}

/** Registers a new key of an inbox and returns it. */
export async function registerKey(server, inbox) {
  const key = agentKey();
  const claims = { aud: 'service:agent-key', sub: inbox.address, jkt: key.kid, ...fresh() };
  const body = { public_jwk: key.public_jwk, proof: key.jws('service-key-proof+jwt', claims) };
  const answer = await server.call('POST', `/v1/inboxes/${inbox.id}/agent/keys`, body);
  if (answer.status !== 201) throw new Error(`key: ${JSON.stringify(answer.body)}`);
  return key;
}

/** The signature of the author of a text without attachments. */
export function authorSignature(key, inbox, { type = 'message', text }) {
  const claims = { v: 1, from: inbox.address, type, att: [], text_sha256: hash(text), ...fresh() };
  return key.jws('service-author+jwt', claims);
}

/** Registers an app with a browser flow. */
export async function registerApp(server, name, redirect = 'https://travel.example/callback') {
  const body = {
    name,
    type: 'confidential',
    redirect_uris: [redirect],
    homepage_url: 'https://travel.example/',
  };
  const answer = await server.call('POST', '/v1/identity/clients', body);
  if (answer.status !== 201) throw new Error(`app: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Begins a sign-in as the browser of an app does, and returns the page that waits and its code. */
export async function beginSignIn(server, app, agent) {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: app.redirect_uris[0],
    scope: 'openid email profile',
    state: 'state',
    code_challenge: hash('verifier-verifier-verifier-verifier-verifier'),
    code_challenge_method: 'S256',
    ...(agent ? { login_hint: agent.address } : {}),
  });
  const answer = await fetch(`${server.base}/oidc/authorize?${query}`, {
    redirect: 'manual',
    headers: { accept: 'text/html' },
  });
  const page = answer.headers.get('location');
  const html = await (await fetch(page, { headers: { accept: 'text/html' } })).text();
  const code = /<code>([A-Z0-9]{4}-[A-Z0-9]{4})<\/code>/.exec(html)?.[1];
  if (!code) throw new Error(`sign-in: ${answer.status} ${html}`);
  return { page, code, html };
}
