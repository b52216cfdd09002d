// Connecting a program: the approval page, the list, and the end of the access.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { base, check, newInbox } from './session.mjs';

const hash = (text) => createHash('sha256').update(text).digest('base64url');

/** A program that serves its metadata document, and waits for the browser to return. */
async function program(name) {
  const site = { url: '' };
  const got = [];
  const http = createServer((request, response) => {
    const url = new URL(request.url, site.url);
    if (url.pathname === '/client.json') {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          client_id: `${site.url}/client.json`,
          client_name: name,
          client_uri: 'https://assistant.example/',
          redirect_uris: [`${site.url}/callback`],
        }),
      );
      return;
    }
    if (url.pathname === '/callback') got.push(url.searchParams);
    response.setHeader('content-type', 'text/html');
    response.end('<title>Program</title><p>Back at the program</p>');
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  site.url = `http://127.0.0.1:${http.address().port}`;
  const verifier = randomBytes(32).toString('base64url');
  const { url } = site;
  const query = (change = {}) =>
    new URLSearchParams({
      response_type: 'code',
      client_id: `${url}/client.json`,
      redirect_uri: `${url}/callback`,
      code_challenge: hash(verifier),
      code_challenge_method: 'S256',
      state: 'the state',
      resource: `${base}/mcp`,
      ...change,
    });
  const exchange = async (code) => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: `${url}/client.json`,
      code,
      redirect_uri: `${url}/callback`,
      code_verifier: verifier,
    });
    const answer = await fetch(`${base}/oauth/token`, { method: 'POST', body });
    return { status: answer.status, body: await answer.json() };
  };
  return { got, query, exchange, close: () => http.close() };
}

export default {
  'approve a program for one inbox, see it in the list, revoke it': async ({ page, server }) => {
    const assistant = await program('Assistant');
    const box = await newInbox(server, 'connected');
    await page.goto(`${base}/oauth/authorize?${assistant.query()}`);
    await page.getByText('Assistant asks for access to').waitFor();
    check(new URL(page.url()).pathname === '/connectors/approve', page.url());
    await page.getByText('not proven').first().waitFor();
    await page.getByText('a program on this computer (127.0.0.1)').waitFor();
    const approve = page.getByRole('button', { name: 'Approve the access' });
    check(await approve.isDisabled(), 'an inbox was chosen by itself');
    check(assistant.got.length === 0, 'the program got an answer before anybody approved');
    await page.getByLabel(box.address).check();
    await page.getByLabel('Read Reads mail').check();
    await approve.click();
    await page.getByText('Back at the program').waitFor();
    const back = assistant.got[0];
    check(back.get('state') === 'the state' && back.get('iss') === base, String(back));
    const issued = await assistant.exchange(back.get('code'));
    check(issued.status === 200 && issued.body.scope === 'mcp', JSON.stringify(issued));

    await page.goto(`${base}/connectors`);
    const row = page.getByRole('row', { name: /Assistant/ });
    await row.getByText(box.address).waitFor();
    await row.getByRole('button', { name: 'Revoke Assistant' }).click();
    await page.getByRole('button', { name: 'Revoke this connector' }).click();
    await page.getByText('No program is connected.').waitFor();
    await page.getByText(`${base}/mcp`).waitFor();
    assistant.close();
  },

  'deny a program; a request that is wrong': async ({ page }) => {
    const stranger = await program('Stranger');
    await page.goto(`${base}/oauth/authorize?${stranger.query()}`);
    await page.getByRole('button', { name: 'Deny it' }).click();
    await page.getByText('Back at the program').waitFor();
    check(stranger.got[0].get('error') === 'access_denied', String(stranger.got[0]));

    await page.goto(`${base}/oauth/authorize?${stranger.query({ code_challenge_method: 'plain' })}`);
    await page.getByText("The program sent a request that can't be approved").waitFor();
    check(
      (await page.getByRole('button', { name: 'Approve the access' }).count()) === 0,
      'it can be approved',
    );
    await page.getByRole('link', { name: /Return to/ }).click();
    await page.getByText('Back at the program').waitFor();
    check(stranger.got[1].get('error') === 'invalid_request', String(stranger.got[1]));

    await page.goto(`${base}/oauth/authorize?${stranger.query({ redirect_uri: 'https://evil.example/' })}`);
    await page.getByText("The client didn't register this redirect_uri").waitFor();
    check((await page.getByRole('link', { name: /evil/ }).count()) === 0, 'a stranger gets a link');
    stranger.close();
  },

  'a person who signs in comes back to the request': async ({ browser, server }) => {
    const assistant = await program('Assistant');
    const context = await browser.newContext();
    const person = await context.newPage();
    await person.goto(`${base}/oauth/authorize?${assistant.query()}`);
    await person.getByLabel('Email').waitFor();
    check(new URL(person.url()).pathname === '/connectors/approve', person.url());
    check(assistant.got.length === 0, 'an answer without a person');
    await context.close();
    assistant.close();
    check(server.base === base, server.base);
  },
};
