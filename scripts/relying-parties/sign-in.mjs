// Signs an agent in to an app with openid-client: in a browser with PKCE, and with an identity token that the agent requests.

import assert from "node:assert/strict";
import * as client from "openid-client";

const { POSTHOUSE_URL: base, POSTHOUSE_KEY: key } = process.env;
const callback = "http://localhost:9/callback";
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

async function api(method, path, body) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
  assert.ok(reply.ok, `${method} ${path}: ${reply.status}`);
  return reply.json();
}

// Opens the page as a browser, and approves its code as the agent. Returns the URL that the browser goes to.
async function approve(browser, inbox, decision) {
  const page = await fetch(browser);
  const code = (await page.text()).match(/<code>([A-Z]{4}-[A-Z]{4})<\/code>/)[1];
  await api("POST", `/v1/inboxes/${inbox}/identity/approvals/${code}`, { approve: decision });
  const done = await fetch(page.url, { redirect: "manual" });
  return new URL(done.headers.get("location"));
}

const inbox = await api("POST", "/v1/inboxes", { display_name: "Ann" });
for (const [type, authentication] of [
  ["confidential", (secret) => client.ClientSecretBasic(secret)],
  ["confidential", (secret) => client.ClientSecretPost(secret)],
  ["public", () => client.None()],
]) {
  const made = await api("POST", "/v1/identity/clients", { name: "openid-client", type, redirect_uris: [callback] });
  const id = made.client.client_id;
  // The library refuses http otherwise; the service is on this machine.
  const options = { execute: [client.allowInsecureRequests] };
  const config = await client.discovery(new URL(`${base}/oidc`), id, undefined, authentication(made.client_secret), options);
  assert.equal(config.serverMetadata().issuer, `${base}/oidc`);

  const verifier = client.randomPKCECodeVerifier();
  const checks = { pkceCodeVerifier: verifier, expectedState: client.randomState(), expectedNonce: client.randomNonce() };
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: "openid email profile",
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  });
  const tokens = await client.authorizationCodeGrant(config, await approve(url, inbox.id, true), { ...checks, idTokenExpected: true });
  const claims = tokens.claims();
  assert.equal(claims.email, inbox.address);
  assert.equal(claims.name, "Ann");
  const info = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
  assert.equal(info.email, inbox.address);

  const denied = await approve(url, inbox.id, false);
  await assert.rejects(client.authorizationCodeGrant(config, denied, checks), { error: "access_denied" });

  const minted = await api("POST", `/v1/inboxes/${inbox.id}/identity-token`, { audience: id });
  const exchanged = await client.genericGrantRequest(config, jwtBearer, { assertion: minted.id_token });
  assert.equal((await client.fetchUserInfo(config, exchanged.access_token, minted.sub)).sub, claims.sub);
  await assert.rejects(client.genericGrantRequest(config, jwtBearer, { assertion: minted.id_token }), { error: "invalid_grant" });
}
console.log("openid-client: an agent signed in to three apps");
