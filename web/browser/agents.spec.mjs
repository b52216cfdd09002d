// Agents, the directory, apps, and sign-ins.
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { authorSignature, beginSignIn, registerApp, registerKey } from './agents.mjs';
import { Server } from './server.mjs';
import { base, check, newInbox, settled, signIn, watch } from './session.mjs';

const read = async (server, path) => (await server.call('GET', path)).body;

/** Another workspace of the same server, with its key and a person's session. */
async function otherWorkspace(server, browser) {
  const folder = ['--config', `${server.folder}/config.toml`, '--data-dir', `${server.folder}/data`];
  const owner = `owner-${crypto.randomUUID().slice(0, 8)}@example.org`;
  const args = ['workspace', 'create', ...folder, '--name', 'Beacon', '--owner', owner];
  const printed = execFileSync(server.binary, args, { encoding: 'utf8' });
  const [key] = /ph_\w+/.exec(printed);
  const link = /\/sign-in#token=\w+/.exec(printed)[0];
  return { base: server.base, key, call: server.call, state: await signIn(browser, server.base + link) };
}

/** Waits until a card has passed the listing check. */
async function listed(server, id) {
  for (;;) {
    const { card } = await read(server, `/v1/inboxes/${id}/agent`);
    if (card.listing?.state === 'listed') return card;
  }
}

/** Where an app gets its browsers back. */
async function callback() {
  const got = [];
  const http = createServer((request, response) => {
    got.push(new URL(request.url, base));
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>App</title><p>Back at the app');
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { got, url: `http://127.0.0.1:${http.address().port}/callback`, close: () => http.close() };
}

export default {
  'agents: what each has, the handle of the workspace and its redirects': async ({ page, server }) => {
    await page.goto(`${base}/agents`);
    const support = page.getByRole('row', { name: /Acme Support/ });
    await support.getByText('listed').waitFor();
    await support.getByText('@acme-lamps/support').waitFor();
    const runner = page.getByRole('row', { name: /Night runner/ });
    await runner.getByText('private').waitFor();
    // A change by another program shows without a reload.
    const { data: identities } = await read(server, '/v1/identities?limit=100');
    const card = `/v1/inboxes/${identities.find((one) => one.username === 'night-runner').id}/agent`;
    await page.locator('.stream', { hasText: /^live$/ }).waitFor();
    await server.call('PATCH', card, { visibility: 'workspace' });
    await runner.getByText('workspace').waitFor();
    await server.call('PATCH', card, { visibility: 'private' });
    await runner.getByText('private').waitFor();
    await page.getByRole('button', { name: 'Rename the handle …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('for 90 more days').waitFor();
    await dialog.getByLabel('Handle').fill('admin');
    await dialog.getByRole('button', { name: 'Rename the handle' }).click();
    await dialog.getByText('@admin is reserved').waitFor();
    await dialog.getByLabel('Handle').fill('@acme-lights');
    await dialog.getByRole('button', { name: 'Rename the handle' }).click();
    await page.getByText('@acme-lamps is now @acme-lights.').waitFor();
    await page.getByText(/@acme-lamps leads here until/).waitFor();
    await support.getByText('@acme-lights/support').waitFor();
    const found = await read(
      server,
      `/v1/directory/resolve?handle=${encodeURIComponent('@acme-lamps/support')}`,
    );
    check(found.redirected_from === '@acme-lamps/support', JSON.stringify(found));
    check(
      (await server.call('PUT', '/v1/directory/handle', { handle: 'acme-lamps' })).status === 200,
      'no way back',
    );
  },

  'agents: a new workspace learns how, claims a handle and releases it': async ({ browser, server }) => {
    const other = await otherWorkspace(server, browser);
    const context = await browser.newContext({ storageState: other.state });
    const page = watch(await context.newPage());
    await page.goto(`${base}/agents`);
    await page.getByText('/v1/identities').first().waitFor();
    await page.getByRole('button', { name: 'Claim a handle …' }).click();
    const name = `beacon-${crypto.randomUUID().slice(0, 8)}`;
    await page.getByRole('dialog').getByLabel('Handle').fill(name);
    await page.getByRole('button', { name: 'Claim the handle' }).click();
    await page.getByText(`@${name} is yours.`).waitFor();
    await page.getByRole('button', { name: 'Release it …' }).click();
    await page.getByRole('button', { name: 'Release the handle for ever' }).click();
    await page.getByRole('button', { name: 'Claim a handle …' }).waitFor();
    check((await read(other, '/v1/directory/handle')).handle === null, 'the handle is still there');
    for (const [path, words] of [
      ['/apps', 'No apps'],
      ['/find-agents?scope=workspace', 'No agents in this workspace'],
    ]) {
      await page.goto(base + path);
      await page.getByRole('heading', { name: words }).waitFor();
      await page.getByText('$POSTHOUSE_KEY').first().waitFor();
    }
    await context.close();
  },

  'agent: a card, its refusals at the fields, its listing and its preview': async ({ page, server }) => {
    const box = await newInbox(server, 'card');
    await page.goto(`${base}/agents/${box.id}`);
    const form = page.getByRole('form', { name: 'Card' });
    await form.getByLabel('Name', { exact: true }).fill('Lamp <b>shop</b>');
    await form.getByLabel('Description').fill('See https://lamps.example/');
    await form.getByRole('button', { name: 'Add a skill' }).click();
    await form.getByLabel('Name of the skill').fill('Ask ann@example.com');
    await form.getByLabel('Id', { exact: true }).fill('lamp-advice');
    await form.getByRole('button', { name: 'Create the card' }).click();
    await form.getByText('Must be plain text without HTML.').waitFor();
    await form.getByText('Must not contain links or names of sites; use `documentation_url`.').waitFor();
    await form.getByText('Must not contain email addresses.').waitFor();
    check(
      await form.getByLabel('Name', { exact: true }).evaluate((one) => one === document.activeElement),
      'the refused field has no focus',
    );
    await form.getByLabel('Name', { exact: true }).fill('Lamp shop');
    await form.getByLabel('Description').fill('Advises on lamps.');
    await form.getByLabel('Name of the skill').fill('Lamp advice');
    await form.getByLabel('Tags').fill('lamps, light');
    await form.getByLabel('Languages').fill('en, sv');
    await form.getByLabel('task').check();
    await form.getByRole('radio', { name: /^Public/ }).check();
    await form.getByLabel('Handle').fill(box.username);
    const preview = page.getByRole('region', { name: 'What others see' });
    await preview.getByText('With your changes, once they are saved and listed.').waitFor();
    await preview.getByText('lamps, light').waitFor();
    await form.getByRole('button', { name: 'Create the card' }).click();
    await page.getByText('The agent has a card.').waitFor();
    await page.getByText('Listed in the public directory.').first().waitFor();
    await preview.getByText('Everyone sees this, without signing in.').waitFor();
    const href = await preview.getByRole('link', { name: 'Public page' }).getAttribute('href');
    check((await (await fetch(href)).text()).includes('Advises on lamps.'), 'the public page is another');
    for (const name of ['A2A agent card', 'OASF record', 'Keys of the agent']) {
      const link = await preview.getByRole('link', { name }).getAttribute('href');
      check((await fetch(link)).status === 200, `${name}: ${link}`);
    }

    // The name of a role passes as text, and the listing check finds it.
    await form.getByLabel('Name', { exact: true }).fill('Administrator');
    await form.getByRole('button', { name: 'Save the card' }).click();
    await page
      .getByText(/^Hidden by the listing check\./)
      .first()
      .waitFor();
    await form.getByText('The name is that of a role or of the service, or looks like one.').waitFor();
    await preview.getByText('Strangers see nothing until it is listed.').waitFor();
    await preview.getByRole('button', { name: 'Another workspace' }).click();
    await preview.getByText(/know its address see this/).waitFor();
    check(!(await preview.getByText('Lamp advice').isVisible()), 'the minimal form shows skills');
    const { card } = await read(server, `/v1/inboxes/${box.id}/agent`);
    check(
      card.accepts.types.join() === 'message,task' && card.skills[0].tags.length === 2,
      JSON.stringify(card),
    );
  },

  'agent: revoke, restore, delete the card': async ({ page, server }) => {
    const box = await newInbox(server, 'trust');
    await server.call('PATCH', `/v1/inboxes/${box.id}/agent`, {
      description: 'Short life',
      visibility: 'workspace',
    });
    await page.goto(`${base}/agents/${box.id}/manage`);
    await page.getByRole('button', { name: 'Revoke the agent …' }).click();
    await page.getByLabel('Reason').fill('Leaked key');
    await page.getByRole('button', { name: 'Revoke the agent', exact: true }).click();
    await page
      .getByText(/Revoked by its owner: its messages are no longer signed\./)
      .first()
      .waitFor();
    check((await read(server, `/v1/inboxes/${box.id}/agent`)).status === 'revoked', 'not revoked');
    await page.getByRole('button', { name: 'Restore the agent' }).click();
    await page.getByText('The messages of the agent are signed again.').waitFor();
    await page.getByRole('button', { name: 'Delete the card …' }).click();
    await page.getByRole('button', { name: 'Delete the card', exact: true }).click();
    await page.getByText('It has no card.').waitFor();
    check((await read(server, `/v1/inboxes/${box.id}/agent`)).card === null, 'the card is still there');
  },

  'agent without a mailbox: create, rename, pause, resume, delete': async ({ page, server }) => {
    await page.goto(`${base}/agents`);
    await page.getByRole('button', { name: 'Create an agent' }).click();
    const dialog = page.getByRole('dialog');
    const name = `scout-${crypto.randomUUID().slice(0, 8)}`;
    await dialog.getByLabel('Name before the @').fill('Not A Name');
    await dialog.getByRole('button', { name: 'Create the agent' }).click();
    await dialog.locator('[aria-invalid="true"]').waitFor();
    await dialog.getByLabel('Name before the @').fill(name);
    await dialog.getByRole('button', { name: 'Create the agent' }).click();
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}$/);
    await page.getByText('no mailbox').waitFor();
    const id = page.url().split('/').at(-1);
    await page.getByRole('button', { name: 'Manage' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Scout');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Scout' }).waitFor();
    await page.getByLabel('Reason for a pause').fill('Too eager');
    await page.getByRole('button', { name: 'Pause the agent' }).click();
    await page.getByText('Paused: Too eager.').waitFor();
    check((await read(server, `/v1/identities/${id}`)).status === 'paused', 'not paused');
    await page.getByRole('button', { name: 'Resume the agent' }).click();
    await page.getByRole('button', { name: 'Pause the agent' }).waitFor();
    await page.getByRole('button', { name: 'Delete the agent …' }).click();
    await page.getByRole('button', { name: 'Delete this agent' }).click();
    await page.waitForURL(/\/agents$/);
    check((await server.call('GET', `/v1/identities/${id}`)).status === 404, 'the agent is still there');
  },

  'agent keys: the command that registers one works; retire, revoke since': async ({ page, server }) => {
    const box = await newInbox(server, 'keys');
    const [retired, revoked] = [await registerKey(server, box), await registerKey(server, box)];
    await page.goto(`${base}/agents/${box.id}/keys`);
    const row = (kid) => page.getByRole('row', { name: new RegExp(kid.slice(0, 10)) });
    await row(retired.kid).getByRole('button', { name: 'Retire' }).click();
    await page.getByRole('button', { name: 'Retire this key' }).click();
    await row(retired.kid).getByText('retired').waitFor();
    await row(revoked.kid).getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('no longer verify, in messages that were delivered, too').waitFor();
    const field = dialog.getByLabel('Since');
    await field.fill(await field.getAttribute('min'));
    await dialog.getByLabel('Reason').fill('Copied from a laptop');
    await dialog.getByRole('button', { name: 'Revoke it from that time on' }).click();
    await row(revoked.kid)
      .getByText(/Copied from a laptop/)
      .waitFor();
    const { data } = await read(server, `/v1/inboxes/${box.id}/agent/keys`);
    const found = data.find((one) => one.kid === revoked.kid);
    check(found.status === 'revoked' && found.revoked_at <= found.created_at, JSON.stringify(found));
    check(data.find((one) => one.kid === retired.kid).status === 'retired', 'not retired');

    await page.getByText('proof.mjs').first().click();
    const script = await page.getByRole('region', { name: 'proof.mjs' }).textContent();
    const file = join(server.folder, 'proof.mjs');
    await writeFile(file, script);
    const proof = JSON.parse(
      execFileSync('node', [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    const made = await server.call('POST', `/v1/inboxes/${box.id}/agent/keys`, proof);
    check(made.status === 201, JSON.stringify(made.body));
  },

  'agent sign-in: the switch, apps without a code, the history': async ({ page, server }) => {
    const box = await newInbox(server, 'signin');
    const { client } = await registerApp(server, `Almanac ${box.username}`);
    const mint = () =>
      server.call('POST', `/v1/inboxes/${box.id}/identity-token`, { audience: client.client_id, nonce: 'n' });
    check((await mint()).status === 201, 'no token');
    await page.goto(`${base}/agents/${box.id}/sign-in`);
    const history = page.getByRole('region', { name: /Sign-ins and tokens/ });
    await history.getByText('got an identity token').waitFor();
    await page.getByRole('button', { name: /^Allow without a code for/ }).click();
    const allowed = page.getByRole('region', { name: 'Apps that need no code' });
    await allowed.getByText(client.client_id).waitFor();
    await allowed.getByRole('button', { name: /^Remove/ }).click();
    await page.getByText('The app needs a code again.').waitFor();
    await allowed.getByLabel('Client id of the app').fill('appc_nothing');
    await allowed.getByRole('button', { name: 'Allow without a code' }).click();
    await allowed.getByText(/Number 1: Must be the client_id of an app with a browser flow/).waitFor();
    await allowed.getByLabel('Client id of the app').fill(client.client_id);
    await allowed.getByRole('button', { name: 'Allow without a code' }).click();
    await allowed.getByRole('button', { name: /^Remove/ }).waitFor();
    const { clients } = await read(server, `/v1/inboxes/${box.id}/identity/approvals`);
    check(clients.join() === client.client_id, JSON.stringify(clients));
    await page.getByRole('button', { name: 'Switch sign-in off' }).click();
    await page.getByText('Sign-in to apps is off.').waitFor();
    check((await mint()).body.error.code === 'identity_disabled', 'a token was issued');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('It can sign in to apps.').waitFor();
    check((await mint()).status === 201, 'sign-in is still off');
    await history.getByText('got an identity token').nth(1).waitFor();
  },

  'approve a sign-in from the page that shows its code; refuse one; a wrong code': async ({
    browser,
    page,
    server,
  }) => {
    const app = await callback();
    const { client } = await registerApp(server, 'Lighthouse', app.url);
    const box = await newInbox(server, 'approve');
    const { page: waiting, code } = await beginSignIn(server, client);
    const context = await browser.newContext();
    const stranger = await context.newPage();
    await stranger.goto(waiting);
    await stranger.getByText(code).first().waitFor();
    const link = await stranger.getByRole('link', { name: 'in the dashboard' }).getAttribute('href');
    check(link.endsWith(`/agents/approve?code=${code}`), link);

    // Opening the link approves nothing.
    await page.goto(base + new URL(link).pathname + new URL(link).search);
    await page.getByText('Lighthouse waits for you.').waitFor();
    const request = page.getByRole('article', { name: 'Sign-in to Lighthouse' });
    const approve = request.getByRole('button', { name: 'Approve the sign-in' });
    check(await approve.isDisabled(), 'an agent was chosen by itself');
    await page.getByLabel('Agent that signs in').selectOption(box.id);
    await request.getByRole('heading', { name: new RegExp(`127.0.0.1.*${box.address}`) }).waitFor();
    await request.getByText('the address of its mailbox').waitFor();
    check(app.got.length === 0, 'the app got an answer before anybody approved');
    await approve.click();
    await page.getByText('The browser continues to Lighthouse by itself.').waitFor();
    await stranger.getByText('Back at the app').waitFor();
    const back = app.got.find((one) => one.pathname === '/callback').searchParams;
    check(back.get('code') && back.get('state') === 'state', String(back));
    check(back.get('iss') === `${base}/oidc`, String(back));

    // One that names the agent waits on the overview, and on its page.
    const named = await beginSignIn(server, client, box);
    await page.goto(base);
    const point = page.getByRole('link', { name: `1 sign-in waits: ${box.address}` });
    await point.getByText('Asked by Lighthouse. Approve only what you began.').waitFor();
    await point.click();
    await page.getByRole('article', { name: 'Sign-in to Lighthouse' }).waitFor();
    check(page.url().endsWith(`/agents/approve?agent=${box.id}&code=${named.code}`), page.url());
    await page.goto(`${base}/agents/${box.id}/sign-in`);
    await page.getByText(named.code).waitFor();
    await page.getByRole('button', { name: 'Refuse it' }).click();
    await page.getByText('Refused: Lighthouse gets nothing.').waitFor();
    await stranger.goto(named.page);
    await stranger.getByText('Back at the app').waitFor();
    check(app.got.at(-1).searchParams.get('error') === 'access_denied', String(app.got.at(-1)));
    await page.getByLabel('Code that a browser shows').fill('bcdf-ghjk');
    await page.getByRole('button', { name: 'Show the request' }).click();
    await page.getByText('No sign-in waits with the code').waitFor();
    await context.close();
    app.close();
  },

  'directory: search, filters, exact names, write, report': async ({ browser, page, server }) => {
    const other = await otherWorkspace(server, browser);
    const name = `beacon-${crypto.randomUUID().slice(0, 8)}`;
    await other.call('PUT', '/v1/directory/handle', { handle: name });
    const inboxes = [await newInbox(other, 'tide'), await newInbox(other, 'secret')];
    await other.call('PATCH', `/v1/inboxes/${inboxes[0].id}/agent`, {
      name: 'Tide tables',
      description: 'Knows when the water comes.',
      capabilities: { skills: [{ id: 'tides', name: 'Tides', tags: [name] }], accepts_types: ['task'] },
      visibility: 'public',
      handle: 'tide',
    });
    await other.call('PATCH', `/v1/inboxes/${inboxes[1].id}/agent`, {
      name: 'Quiet one',
      description: 'Hidden',
    });
    await listed(other, inboxes[0].id);

    await page.goto(`${base}/find-agents`);
    await page.getByLabel('Search agents').fill('water comes');
    await page.keyboard.press('Enter');
    const list = page.getByRole('region', { name: 'Agents' });
    await list.getByRole('link', { name: /Tide tables/ }).waitFor();
    await page.getByLabel('Accepts').selectOption('event');
    await page.getByText('No agent in the public directory matches.').waitFor();
    await page.getByLabel('Accepts').selectOption('task');
    await page.getByLabel('Skill, tag or OASF class').fill(name);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await list.getByRole('link', { name: /Tide tables/ }).click();
    const detail = page.getByRole('region', { name: 'Agent', exact: true });
    await detail.getByText('Knows when the water comes.').waitFor();
    await detail.getByRole('link', { name: 'Public page' }).waitFor();
    await detail.getByRole('button', { name: 'Report it …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: /^Malicious/ }).check();
    await dialog.getByLabel('Details').fill('It asks for keys.');
    await dialog.getByRole('button', { name: 'Report the agent' }).click();
    await page.getByText('Reported. The operator of the server sees it.').waitFor();
    const { data: events } = await read(other, '/v1/events?types=agent.reported');
    check(events[0].data.reason === 'malicious', JSON.stringify(events));
    check(!JSON.stringify(events).includes('asks for keys'), 'the owner reads the details');

    // An exact address finds what no search shows, and shows little of it.
    await page.getByLabel('Search agents').fill(inboxes[1].address);
    await page.keyboard.press('Enter');
    await list.getByRole('link', { name: /Quiet one/ }).click();
    await detail.getByText(/It is not listed for you/).waitFor();
    check(!(await detail.getByText('Hidden').isVisible()), 'the description shows');
    await page.getByLabel('Search agents').fill(`@${name}/tide`);
    await page.keyboard.press('Enter');
    await list.getByRole('link', { name: /Tide tables/ }).click();
    await detail.getByRole('link', { name: 'Write to it' }).click();
    await page.getByLabel('Subject').fill('High water');
    await page.getByLabel('Text').fill('When is it today?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Message queued.').waitFor();
    for (;;) {
      const { data } = await read(other, `/v1/inboxes/${inboxes[0].id}/messages`);
      if (data.length > 0) {
        check(data[0].channel === 'agent' && data[0].agent.verified, JSON.stringify(data[0].agent));
        break;
      }
    }

    // A message of a stranger can be reported where it is read.
    const box = await newInbox(server, 'reported');
    const unwanted = { to: box.address, subject: 'Buy water', text: 'Cheap.' };
    await other.call('POST', `/v1/inboxes/${inboxes[0].id}/messages`, unwanted);
    await page.goto(`${base}/inbox/${box.id}`);
    await page
      .getByRole('region', { name: 'Who wrote it' })
      .getByRole('button', { name: 'Report it' })
      .click();
    await dialog.getByRole('button', { name: 'Report the agent' }).click();
    await page.getByText('Reported. The operator of the server sees it.').waitFor();
    const after = await read(other, '/v1/events?types=agent.reported');
    check(after.data.length === 2, JSON.stringify(after));
  },

  'apps: register, the secret once, set up, change, switch off, replace the secret, delete': async ({
    page,
    server,
  }) => {
    const box = await newInbox(server, 'apps');
    await page.goto(`${base}/apps`);
    await page.getByRole('button', { name: 'Register an app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Ferry');
    await dialog.getByLabel('Redirect addresses').fill('http://ferry.example/back');
    await dialog.getByRole('button', { name: 'Register the app' }).click();
    await dialog.getByText(/^Number 1: Must be https; http works only with/).waitFor();
    await dialog.getByLabel('Redirect addresses').fill('https://ferry.example/back');
    await dialog.getByRole('button', { name: 'Register the app' }).click();
    const first = await dialog.locator('pre').textContent();
    check(/^apps_/.test(first), first);
    await dialog.getByRole('button', { name: 'Set up the app' }).click();
    await page.getByRole('heading', { name: 'Ferry' }).waitFor();
    check(!(await page.content()).includes(first), 'the secret still shows');
    const id = page.url().split('/').at(-1);
    const values = page.getByRole('region', { name: 'Set up the app' });
    const discovery = await values
      .getByRole('row', { name: /^Discovery/ })
      .locator('code')
      .textContent();
    const metadata = await (await fetch(discovery)).json();
    const clientId = await values
      .getByRole('row', { name: /^Client id/ })
      .locator('code')
      .textContent();

    // The app exchanges a token of an agent with what the screen shows.
    const exchange = async (secret) => {
      const path = `/v1/inboxes/${box.id}/identity-token`;
      const token = (await server.call('POST', path, { audience: clientId, nonce: 'n' })).body?.id_token;
      const answer = await fetch(metadata.token_endpoint, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
        body: new URLSearchParams({
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion: token ?? '',
        }),
      });
      return answer.status;
    };
    check((await exchange(first)) === 200, 'the secret does not work');
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog
      .getByLabel('Redirect addresses')
      .fill('https://ferry.example/back\nhttps://ferry.example/two');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await values.getByText('https://ferry.example/two').waitFor();
    await page.getByRole('button', { name: 'Replace secret' }).click();
    await dialog.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByRole('dialog', { name: 'Save the new secret' }).waitFor();
    const second = await page.getByRole('dialog').locator('pre').textContent();
    check((await exchange(first)) === 401, 'the old secret works');
    check((await exchange(second)) === 200, 'the new secret does not work');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Off: nobody can sign in').waitFor();
    check((await exchange(second)) !== 200, 'an app that is off works');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('On: agents can sign in.').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the app and revoke its tokens' }).click();
    await page.waitForURL(/\/apps$/);
    check((await server.call('GET', `/v1/identity/clients/${id}`)).status === 404, 'the app is still there');
  },

  'without a directory, agents sign in, and the screens say why there are no cards': async ({
    browser,
    server,
  }) => {
    const bare = await Server.start(server.binary, '[agents]\ndirectory = false\nagent_keys = false\n');
    try {
      const context = await browser.newContext({ storageState: await signIn(browser, bare.signInLink) });
      const page = watch(await context.newPage());
      await page.goto(`${bare.base}/agents`);
      await page.getByText('The agent directory is switched off on this server.').waitFor();
      await page
        .getByRole('row', { name: /welcome@/ })
        .getByText('directory off')
        .waitFor();
      await page.getByRole('link', { name: 'First inbox' }).click();
      await page.getByText('so agents have no cards').waitFor();
      await page.getByRole('button', { name: 'Sign-in', exact: true }).click();
      await page.getByRole('button', { name: 'Switch sign-in off' }).click();
      await page.getByText('Sign-in to apps is off.').waitFor();
      await page.getByRole('button', { name: 'Keys', exact: true }).click();
      await page.getByText('Keys of agents are switched off on this server.').waitFor();
      await page.goto(`${bare.base}/find-agents`);
      await page.getByText('The agent directory is switched off on this server.').waitFor();
      await context.close();
    } finally {
      await bare.remove();
    }
  },

  'a message of an agent: who signed it in words, its data folded': async ({ page, server }) => {
    const [from, to] = [await newInbox(server, 'author'), await newInbox(server, 'reader')];
    const key = await registerKey(server, from);
    const send = async (body) => {
      const answer = await server.call('POST', `/v1/inboxes/${from.id}/messages`, {
        to: to.address,
        ...body,
      });
      check(answer.status === 202 || answer.status === 201, JSON.stringify(answer.body));
    };
    const arrived = async (subject) => {
      for (;;) {
        const { data } = await read(server, `/v1/threads?inbox_id=${to.id}`);
        const found = data.find((one) => one.subject === subject);
        if (found) return found;
      }
    };
    const text = 'Signed by hand';
    await send({ subject: 'By its author', text, agent_signature: authorSignature(key, from, { text }) });
    await send({ subject: 'With data', type: 'task', data: { job: { lamps: 2 } } });
    const [signed, task] = [await arrived('By its author'), await arrived('With data')];
    await page.goto(`${base}/inbox/${to.id}/${signed.id}`);
    const block = page.getByRole('region', { name: 'Who wrote it' });
    await block.getByText(`This service signed that ${from.address} sent it.`).waitFor();
    await block.getByText('A person owns the workspace of this agent.').waitFor();
    await block.getByText('The agent also signed it with a key of its own.').waitFor();
    await block.getByText('Signatures').click();
    await block.getByText(key.kid).waitFor();
    await page.getByText('signed agent message').waitFor();

    await page.goto(`${base}/inbox/${to.id}/${task.id}`);
    await block.getByText('A task of an agent.').waitFor();
    check(!(await page.getByText('"lamps": 2').isVisible()), 'the data is not folded');
    await page.getByText('Data', { exact: false }).filter({ hasText: 'job' }).last().click();
    await page.getByText('"lamps": 2').waitFor();

    // Of a revoked agent, mail still flows, and says so.
    await server.call('PATCH', `/v1/inboxes/${from.id}/agent`, { description: 'Writes letters' });
    await server.call('POST', `/v1/inboxes/${from.id}/agent/revoke`, {});
    await send({ subject: 'After the end', text: 'Still here' });
    const late = await arrived('After the end');
    await page.goto(`${base}/inbox/${to.id}/${late.id}`);
    await block.getByText('Not signed: its owner revoked the agent.').waitFor();
    await block.getByRole('link', { name: 'See its card' }).click();
    await settled(page);
    await page.getByRole('heading', { name: 'Directory' }).waitFor();
  },
};
