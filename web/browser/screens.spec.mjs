// The main path of each screen.
import { createServer } from 'node:http';
import { base, check, inject, newInbox, settled } from './session.mjs';

const read = async (server, path) => (await server.call('GET', path)).body;

/** A receiver of webhooks that answers with a status that the test sets. */
async function receiver() {
  const state = { status: 200, got: [] };
  const http = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', () => {
      state.got.push({ headers: request.headers, body });
      response.writeHead(state.status, { 'x-receiver': 'test' }).end(`answer ${state.got.length}`);
    });
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { state, url: `http://127.0.0.1:${http.address().port}/hook`, close: () => http.close() };
}

export default {
  'overview: what needs a person, stop with a reason, resume': async ({ page, server }) => {
    await page.goto(base);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText(/things? needs? you\./).waitFor();
    await page.getByRole('link', { name: /drafts? waits? for approval/ }).waitFor();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page
      .getByText(/^of \d/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByLabel('Reason').fill('The agent repeats itself');
    await page.getByRole('button', { name: 'Stop all sending' }).click();
    await page.getByText('The agent repeats itself').first().waitFor();
    const [inbox] = (await read(server, '/v1/inboxes?limit=1')).data;
    const refused = await server.call('POST', `/v1/inboxes/${inbox.id}/messages`, {
      to: 'a@example.com',
      subject: 'No',
      text: 'No',
    });
    check(refused.status === 423, `a stopped workspace answered ${refused.status}`);
    await page.getByRole('button', { name: 'Resume sending' }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    const account = await read(server, '/v1/account');
    check(account.workspace.emergency_stopped_at === null, 'the workspace is still stopped');
  },

  'inbox: create, receive, label, forward, pause, delete': async ({ page, server }) => {
    await page.goto(`${base}/inbox/all`);
    await page.getByRole('button', { name: 'New inbox' }).click();
    const name = `made-${crypto.randomUUID().slice(0, 8)}`;
    await page.getByLabel('Name before the @').fill(name);
    await page.getByRole('button', { name: 'Create the inbox' }).click();
    await page.waitForURL(/\/inbox\/[0-9a-f-]{36}/);
    await page.getByText('No threads').waitFor();
    await page.getByText(/is an API key, such as first key/).waitFor();
    const command = await page.locator('.rows pre').innerText();
    const [, method, url] = /^curl -X (POST) '([^']+)'/.exec(command);
    const sent = await server.call(method, url.slice(base.length), JSON.parse(/-d '(.+)'$/.exec(command)[1]));
    check(sent.status === 202, `the command of an empty inbox: ${JSON.stringify(sent.body)}`);
    await page.getByText('Hello').first().waitFor();
    // Rows don't move under the pointer.
    await page.mouse.move(1000, 500);
    const address = `${name}@agents.localhost`;
    await inject(server, address, {
      subject: 'With all parts',
      body: 'New text\n\nOn Mon, 23 Nov 2026, Dana wrote:\n> old text',
      headers: ['X-Odd: header'],
    });
    await page.getByText('With all parts').first().click();
    await page.getByText('New text').first().waitFor();
    check(!(await page.getByText('old text').isVisible()), 'quoted text is not folded');
    await page.getByText('Quoted text').click();
    await page.getByText('old text').waitFor();
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.getByText('x-odd').waitFor();
    await page.getByRole('button', { name: 'Raw' }).click();
    await page.getByText('X-Odd: header').waitFor();
    await page.getByRole('button', { name: 'Forward', exact: true }).first().click();
    await page.getByLabel('To', { exact: true }).fill('kim@example.com');
    await page.getByRole('button', { name: 'Forward', exact: true }).last().click();
    await page.getByText('Forwarded.').waitFor();

    await page.getByRole('button', { name: 'Inbox', exact: true }).click();
    await page.getByLabel('Reason for a pause').fill('Holiday');
    await page.getByRole('button', { name: 'Pause the inbox' }).click();
    await page
      .getByText(/Paused .*Holiday/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Inbox', exact: true }).click();
    await page.getByRole('button', { name: 'Resume the inbox' }).click();
    await page.getByRole('button', { name: 'Pause the inbox' }).waitFor();
    await page.getByLabel('Other people than those of the workspace').check();
    await page.getByLabel('Called by mail for this inbox').fill('night@example.com');
    await page.getByLabel('Other reasons than those of the workspace').check();
    await page.getByLabel('A draft waits for approval').check();
    await page.getByRole('button', { name: 'Save on call' }).click();
    await page.getByText('On call saved.').waitFor();
    const [made] = (await read(server, '/v1/inboxes?limit=100')).data.filter(
      (one) => one.address === address,
    );
    const onCall = await read(server, `/v1/inboxes/${made.id}/escalation`);
    check(onCall.override && onCall.triggers.draft_created, JSON.stringify(onCall));
    await page.getByRole('button', { name: 'Delete the inbox …' }).click();
    await page.getByRole('button', { name: 'Delete the inbox and 3 messages' }).click();
    await page.waitForURL(/\/inbox\/all/);
    const all = await read(server, '/v1/inboxes?limit=100');
    check(!all.data.some((one) => one.address === address), 'the inbox is still there');
  },

  'inbox: the delivery of a sent mail for each recipient': async ({ page, server }) => {
    await page.goto(`${base}/compose?to=${encodeURIComponent('bob@example.com, ann@example.com')}`);
    await settled(page);
    await page.getByLabel('Subject').fill('Two recipients');
    await page.getByLabel('Text').fill('Hello both');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Message queued.').waitFor();
    const delivery = page.getByRole('region', { name: 'Delivery' });
    await delivery.getByText('bob@example.com').waitFor();
    await delivery.getByText('ann@example.com').waitFor();
    await delivery.getByText('sent', { exact: true }).first().waitFor();
    await page.goto(`${base}/captured`);
    await page.getByText('Two recipients').first().click();
    await page.getByText(/^Envelope from/).waitFor();
    await page.getByText('Hello both').waitFor();
    check((await read(server, '/dev/outbox?limit=5')).data[0].subject === 'Two recipients', 'not captured');
  },

  'held mail: reason, release, the next one opens': async ({ page, server }) => {
    const box = await newInbox(server, 'held');
    for (const subject of ['Held one', 'Held two']) await inject(server, box.address, { subject });
    // A categorizer holds mail, and this server has none: the answers say that it did.
    const screening = { state: 'held', reason: 'phishing', released_at: null };
    let { data } = await read(server, `/v1/inboxes/${box.id}/messages`);
    data = data.map((one) => ({ ...one, screening }));
    await page.route('**/v1/held-messages*', (route) => route.fulfill({ json: { data, next_cursor: null } }));
    await page.route(/\/v1\/messages\/[^/]+\?/, (route) => {
      const found = data.find((one) => route.request().url().includes(one.id));
      return found ? route.fulfill({ json: found }) : route.continue();
    });
    const released = [];
    await page.route('**/v1/messages/*/release', (route) => {
      released.push(route.request().url());
      return route.fulfill({ json: { ...data[0], screening: { ...screening, state: 'released' } } });
    });
    await page.goto(`${base}/held`);
    await page.getByRole('link', { name: /Held two/ }).click();
    await page.getByText('The mail looks like phishing.').waitFor();
    await page.getByRole('button', { name: 'Release: wrongly held' }).click();
    await page.getByText('Released: agents get the mail now.').waitFor();
    check(released.length === 1 && released[0].includes(data[0].id), `released ${released}`);
    await page.getByRole('heading', { name: 'Held one' }).waitFor();
  },

  'held mail: what a list stopped, and why': async ({ page, server }) => {
    const box = await newInbox(server, 'held');
    const entry = { direction: 'receive', kind: 'block', pattern: 'noisy.example', inbox_id: box.id };
    check((await server.call('POST', '/v1/lists', entry)).status === 201, 'the list entry');
    await inject(server, box.address, { from: 'Noise <a@noisy.example>', subject: 'Stopped by a list' });
    await page.goto(`${base}/held`);
    const count = page.getByRole('link', { name: /Held mail/ }).locator('.number');
    await count.waitFor();
    const waiting = await count.textContent();
    await page.getByText('Stopped by a list').first().click();
    await page.getByText('A block list stopped the mail.').waitFor();
    // There is nothing to decide: once opened, it needs nobody.
    await count.filter({ hasText: new RegExp(`^${waiting}$`) }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Open the lists' }).click();
    await page.getByRole('button', { name: 'Remove noisy.example' }).waitFor();
  },

  'a selection of text that ends outside a dialog keeps what was typed': async ({ page }) => {
    await page.goto(`${base}/lists`);
    await page.getByRole('button', { name: 'Add an entry' }).click();
    const field = page.getByLabel('Address or domain');
    await field.fill('noise.example');
    const { x, y } = await field.boundingBox();
    await page.mouse.move(x + 40, y + 10);
    await page.mouse.down();
    await page.mouse.move(40, 400);
    await page.mouse.up();
    check((await field.inputValue()) === 'noise.example', 'the entry is gone');
    await page.mouse.click(40, 400);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },

  'queue: leases, give back, dead letters, drop': async ({ page, server }) => {
    const box = await newInbox(server, 'queue');
    const claim = async () => {
      const body = { limit: 1, consumer: 'agent-7', since: '2020-01-01T00:00:00Z' };
      return (await server.call('POST', `/v1/inboxes/${box.id}/messages/claim`, body)).body.data[0];
    };
    await inject(server, box.address, { subject: 'Hard to answer' });
    const first = await claim();
    await page.goto(`${base}/queue`);
    const working = page.getByRole('region', { name: 'In work' });
    await working.getByText('agent-7').first().waitFor();
    await working.getByRole('button', { name: 'Give back Hard to answer' }).click();
    await page.getByText('Given back').waitFor();
    await working.getByText('Hard to answer').first().waitFor({ state: 'detached' });
    // The agent gives up on it ten times.
    for (let delivery = 0; delivery < 12; delivery += 1) {
      const claimed = await claim();
      if (!claimed) break;
      const path = `/v1/messages/${first.message.id}/nack`;
      await server.call('POST', path, { lease_id: claimed.lease_id, delay_seconds: 0 });
    }
    await page.getByRole('button', { name: 'Check again' }).click();
    const dead = page.getByRole('region', { name: 'Dead letters' });
    await dead.getByRole('button', { name: 'Give back Hard to answer' }).waitFor();
    await dead.getByRole('button', { name: 'Drop Hard to answer' }).click();
    await page.getByRole('button', { name: 'Drop it from the queue' }).click();
    await page.getByText('Dropped from the queue').waitFor();
    await dead.getByText('Hard to answer').first().waitFor({ state: 'detached' });
    check(
      (await server.call('GET', `/v1/messages/${first.message.id}`)).status === 200,
      'the message is gone',
    );
  },

  'contacts: search, change, label, recent threads': async ({ page, server }) => {
    const box = await newInbox(server, 'contacts');
    await inject(server, box.address, { from: 'Zora Quill <zora@quill.example>', subject: 'Ink' });
    await page.goto(`${base}/contacts`);
    await page.getByLabel('Search contacts').fill('quill');
    await page.keyboard.press('Enter');
    await page.getByText('zora@quill.example').first().click();
    await page.getByLabel('Notes').fill('Writes by hand');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Contact saved.').waitFor();
    await page.getByLabel('New label of the contact').fill('press');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove label press' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Remove label press' }).waitFor();
    await page.getByRole('link', { name: 'Ink' }).click();
    await page.getByRole('heading', { name: 'Ink' }).waitFor();
    const found = await read(server, '/v1/contacts?q=quill');
    check(found.data[0].notes === 'Writes by hand', 'the notes are not saved');
  },

  'suppressions: add, allow again, undo': async ({ page, server }) => {
    await page.goto(`${base}/suppressions`);
    await page.getByLabel('Address to suppress').fill('never@example.com');
    await page.getByRole('button', { name: 'Suppress', exact: true }).click();
    await page.getByRole('button', { name: /Allow again.*never@example.com/ }).click();
    await page.getByText('can get mail again').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: /Allow again.*never@example.com/ }).waitFor();
    check((await read(server, '/v1/suppressions?q=never')).data.length === 1, 'it is not suppressed');
  },

  'lists: add, remove, undo': async ({ page, server }) => {
    await page.goto(`${base}/lists`);
    await page.getByRole('button', { name: 'Add an entry' }).click();
    await page.getByLabel('Address or domain').fill('noise.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByRole('button', { name: 'Remove noise.example' }).click();
    await page.getByText('noise.example removed.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Remove noise.example' }).waitFor();
    const all = await read(server, '/v1/lists');
    check(all.data.filter((one) => one.pattern === 'noise.example').length === 1, 'the entry is gone');
  },

  'knowledge: upload, add, search, change, versions, delete': async ({ page, server }) => {
    await page.goto(`${base}/knowledge`);
    await page.getByLabel(/Drop files here/).setInputFiles({
      name: 'opening-hours.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# Opening hours\n\nWe are open from nine to five.'),
    });
    await page.getByText('1 file added.').waitFor();
    await page.getByRole('button', { name: 'Add a document' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Warranty');
    await dialog.getByLabel('Text').fill('The warranty is two years.');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: 'Warranty' }).waitFor();
    await page.getByLabel('Text', { exact: true }).fill('The warranty is three years.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Document saved.').waitFor();
    await page.getByRole('button', { name: 'Edit this text of version 1' }).click();
    await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('two years'));
    await page.getByLabel('Search knowledge').fill('when are you open');
    await page.getByLabel('Search knowledge').press('Enter');
    await page.getByRole('link', { name: /opening-hours/ }).click();
    await page.getByRole('heading', { name: 'opening-hours' }).waitFor();
    await page.getByText('None so far.').waitFor();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('button', { name: 'Delete the document' }).click();
    await page.getByText('Select a document.').waitFor();
    const { data } = await read(server, '/v1/knowledge');
    check(!data.some((one) => one.title === 'opening-hours'), JSON.stringify(data));
    check(data.find((one) => one.title === 'Warranty')?.version === 2, JSON.stringify(data));
  },

  'domains: add, copy a record, zone file, check, delete': async ({ context, page }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${base}/domains`);
    await page.getByRole('button', { name: 'Add a domain' }).click();
    await page.getByLabel('Domain', { exact: true }).fill('agents.quill.example');
    await page.getByRole('button', { name: 'Add the domain' }).click();
    await page.getByRole('heading', { name: 'agents.quill.example' }).waitFor();
    await page.getByRole('button', { name: 'Copy value of DKIM' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    check(/v=DKIM1|dkim/i.test(copied), `copied ${copied}`);
    await page.getByRole('button', { name: 'Zone file' }).click();
    await page.getByRole('dialog').getByText('_domainkey').first().waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Not found.').first().waitFor();
    await page.getByRole('button', { name: 'Delete' }).first().click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await page.waitForURL(/\/domains$/);
  },

  'webhooks: create, test, see the attempt, send again, rotate the secret': async ({ page, server }) => {
    const hook = await receiver();
    await page.goto(`${base}/webhooks`);
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByLabel('Address').fill(hook.url);
    await page.getByLabel('Extra headers').fill('X-Team: support');
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .waitFor();
    await page.getByRole('button', { name: 'Open the webhook' }).click();
    await page.getByRole('heading', { name: hook.url }).waitFor();

    hook.state.status = 500;
    const box = await newInbox(server, 'hook');
    await inject(server, box.address, { subject: 'For the hook' });
    await page.getByRole('button', { name: 'Check again' }).waitFor();
    const attempt = page.locator('details', { hasText: 'message.received' }).first();
    await attempt.getByText('failed').waitFor();
    await attempt.locator('summary').click();
    await attempt.getByText('answer 1').waitFor();
    await attempt.getByText('webhook-id').waitFor();
    await attempt.getByText('For the hook').waitFor();
    hook.state.status = 200;
    await attempt.getByRole('button', { name: 'Send again' }).click();
    await page.locator('details', { hasText: 'succeeded' }).first().waitFor();
    check(hook.state.got[0].headers['x-team'] === 'support', 'the extra header is missing');

    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.locator('details', { hasText: 'webhook.test' }).first().waitFor();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the webhook and its attempts' }).click();
    await page.waitForURL(/\/webhooks$/);
    hook.close();
  },

  'events: newest first, filter, payload': async ({ page, server }) => {
    const box = await newInbox(server, 'events');
    await inject(server, box.address, { subject: 'Logged' });
    await page.goto(`${base}/events`);
    await page
      .getByRole('link', { name: /message.received/ })
      .first()
      .getByText('Logged')
      .waitFor();
    await page.getByLabel('Type').selectOption('message.sent');
    await page
      .getByRole('link', { name: /message.received/ })
      .first()
      .waitFor({ state: 'detached' });
    await page.getByLabel('Type').selectOption('message.received');
    await page.getByLabel('Inbox').selectOption(box.id);
    await page.getByRole('link', { name: /Logged/ }).click();
    await page.getByRole('region', { name: 'Payload' }).getByText('"subject": "Logged"').waitFor();
    // A reload keeps the selection: it is in the address.
    await page.reload();
    await page.getByRole('region', { name: 'Payload' }).getByText('"subject": "Logged"').waitFor();
  },

  'keys: create, use, revoke': async ({ page }) => {
    await page.goto(`${base}/keys`);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('browser-test');
    await page.getByRole('radio', { name: /Read only/ }).check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const key = (await page.getByText(/^ph_[A-Za-z0-9]{40}$/).textContent()).trim();
    const use = () => fetch(`${base}/v1/inboxes`, { headers: { authorization: `Bearer ${key}` } });
    check((await use()).status === 200, 'the key does not work');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Revoke browser-test' }).click();
    await page.getByRole('button', { name: 'Revoke this key' }).click();
    await page.getByText('revoked key').first().waitFor();
    check((await use()).status === 401, 'the key still works');
  },

  'usage: charts, heatmap, limits, deliverability': async ({ page }) => {
    await page.goto(`${base}/usage`);
    for (const name of ['Messages by day', /Last .* days/, 'Limits', /Deliverability/]) {
      await page.getByRole('heading', { name }).first().waitFor();
    }
    await page.locator('svg rect').first().waitFor();
  },

  'settings: name, screening, on call, quiet hours, theme': async ({ page, server }) => {
    await page.goto(`${base}/settings`);
    const before = (await read(server, '/v1/account')).workspace.name;
    await page.getByLabel('Name of the workspace').fill('Acme Lamps');
    await page.getByLabel('Visible line').selectOption('text');
    await page.getByLabel('Words').fill('Written with the help of an agent.');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Settings saved.').waitFor();
    const { workspace } = await read(server, '/v1/account');
    check(workspace.name === 'Acme Lamps', workspace.name);
    check(workspace.ai_disclosure.text === 'Written with the help of an agent.', 'the words are not saved');
    await page.getByLabel('Words').fill('');
    await page.getByLabel('Visible line').selectOption('off');
    await page.getByLabel('Name of the workspace').fill(before);
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByRole('navigation').getByText(before).waitFor();
    check((await read(server, '/v1/account')).workspace.ai_disclosure.text === null, 'the words are kept');

    await page.goto(`${base}/settings/on-call`);
    await page.getByLabel('Called by mail').fill('oncall@example.com');
    await page.getByLabel('Hold mails back at night').check();
    await page.getByLabel(/A draft waits for approval/).check();
    await page.getByRole('button', { name: 'Save on call' }).click();
    await page.getByText('On call saved.').waitFor();
    const saved = await read(server, '/v1/escalation');
    check(saved.contacts[0].status === 'pending' && saved.triggers.draft_created, JSON.stringify(saved));
    check(saved.quiet_hours.start === '22:00', JSON.stringify(saved.quiet_hours));

    await page.goto(`${base}/settings/you`);
    await page.getByLabel('Dark').check();
    check((await page.evaluate(() => document.documentElement.dataset.theme)) === 'dark', 'not dark');
  },

  'settings: forwarding waits for a confirmation, and stops after a question': async ({ page, server }) => {
    await newInbox(server, 'forwards');
    await page.goto(`${base}/settings/forwarding`);
    await page.getByLabel('Forward to', { exact: true }).fill('copy@example.com');
    await page.getByRole('button', { name: 'Forward to this address' }).click();
    await page.getByText('pending', { exact: true }).waitFor();
    const [mail] = (await read(server, '/dev/outbox?limit=1')).data;
    check(mail.envelope.to[0] === 'copy@example.com', `the last mail went to ${mail.envelope.to}`);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop forwarding' }).click();
    await page.getByText('Nothing is forwarded.').waitFor();
  },

  'every screen has its requests as curl, and they work': async ({ page, server }) => {
    for (const path of [
      '/',
      '/queue',
      '/contacts',
      '/lists',
      '/domains',
      '/webhooks',
      '/events',
      '/keys',
      '/agents',
      '/find-agents',
      '/apps',
    ]) {
      await page.goto(base + path);
      await page.getByRole('button', { name: 'Copy as curl' }).first().click();
      const lines = await page.getByRole('dialog').locator('pre').allTextContents();
      check(lines.length > 0 && lines.every((line) => line.includes('$POSTHOUSE_KEY')), lines.join('\n'));
      const get = lines.find((line) => line.startsWith("curl 'http"));
      const url = /'([^']+)'/.exec(get)[1];
      const headers = { authorization: `Bearer ${server.key}` };
      const answer = await fetch(url, { headers });
      check(answer.status === 200, `${url} answered ${answer.status}`);
    }
  },

  'a new workspace shows the welcome mail and three steps': async ({ browser, storageState }) => {
    // As on the day it was made: only the welcome mail.
    const context = await browser.newContext({ storageState });
    const page = await context.newPage();
    await page.route('**/v1/threads?*', async (route) => {
      const answer = await route.fetch();
      const { data } = await answer.json();
      const welcome = data.filter((one) => one.subject === 'Welcome to Posthouse');
      await route.fulfill({ json: { data: welcome, next_cursor: null } });
    });
    await page.goto(`${base}/inbox/all`);
    await page.getByRole('heading', { name: 'Welcome to Posthouse' }).waitFor();
    // A request may still be on its way through the route.
    await page.unrouteAll({ behavior: 'wait' });
    await context.close();
  },
};
