// Approving, changing, sending back and discarding drafts.
import { base, check, newInbox, settled } from './session.mjs';

async function draft(server, text, more = {}) {
  const inbox = await newInbox(server, 'draft');
  const made = await server.call('POST', `/v1/inboxes/${inbox.id}/drafts`, {
    to: 'Dana Doe <dana@example.com>',
    subject: 'Your order',
    text,
    ...more,
  });
  check(made.status === 201, `draft: ${JSON.stringify(made.body)}`);
  return {
    path: `/v1/inboxes/${inbox.id}/drafts/${made.body.id}`,
    screen: `${base}/approvals/${inbox.id}/${made.body.id}`,
  };
}

/** Drafts of one inbox, so that the list has some more after each one. */
async function drafts(server, count) {
  const inbox = await newInbox(server, 'many');
  const made = [];
  for (let number = 1; number <= count; number += 1) {
    const body = { to: 'dana@example.com', subject: `Order ${number}`, text: 'It is on its way.' };
    made.push((await server.call('POST', `/v1/inboxes/${inbox.id}/drafts`, body)).body.id);
  }
  const path = (id) => `/v1/inboxes/${inbox.id}/drafts/${id}`;
  return {
    screen: `${base}/approvals/${inbox.id}/${made[0]}`,
    sent: async () => {
      const states = await Promise.all(made.map(async (id) => (await read(server, path(id))).status));
      return states.filter((one) => one !== 'draft').length;
    },
  };
}

/** Waits until the key on the button of the draft works. */
const armed = (page) => page.locator('button[aria-keyshortcuts="a"]').waitFor();

const read = async (server, path) => (await server.call('GET', path)).body;

export default {
  'approve and send a draft with an edit, shown as a diff': async ({ page, server }) => {
    const { path, screen } = await draft(server, 'Your lamps arrive on Thursday.');
    await page.goto(screen);
    await page.getByLabel('Text').fill('Your lamps arrive on Friday.');
    await page.locator('ins', { hasText: 'Friday' }).waitFor();
    await page.locator('del', { hasText: 'Thursday' }).waitFor();
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('Approved and sent.').waitFor();
    const sent = await read(server, path);
    check(sent.status === 'sent', `the draft is ${sent.status}`);
    check(/^[0-9a-f]{64}$/.test(sent.approved_content_sha256), 'there is no content hash');
    const message = await read(server, `/v1/messages/${sent.sent_message_id}`);
    check(message.text.includes('Friday'), 'the edit was not sent');
    check(message.approval.content_sha256 === sent.approved_content_sha256, 'another content was approved');
  },

  'a held key approved the drafts behind the one on the screen': async ({ page, server }) => {
    const { screen, sent } = await drafts(server, 3);
    await page.goto(screen);
    await armed(page);
    let approvals = 0;
    page.on('request', (request) => (approvals += request.url().endsWith('/approve') ? 1 : 0));
    // A second keydown without a keyup is an automatic repeat.
    for (let waiting = true; waiting; waiting = (await page.getByText('Approved and sent.').count()) === 0) {
      await page.keyboard.down('a');
    }
    for (let round = 0; round < 10; round += 1) {
      await settled(page);
      await page.keyboard.down('a');
    }
    await page.keyboard.up('a');
    await settled(page);
    check((await sent()) === 1 && approvals === 1, `${await sent()} were sent`);
  },

  'a second press approved the next draft': async ({ page, server }) => {
    const { screen, sent } = await drafts(server, 3);
    await page.goto(screen);
    await armed(page);
    await page.keyboard.press('a');
    await page.getByText('Approved and sent.').waitFor();
    await page.keyboard.press('a');
    await settled(page);
    await page.keyboard.press('a');
    await settled(page);
    check((await sent()) === 1, `${await sent()} were sent`);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('href') ?? '');
    check(/^\/approvals\/[^/]+\/[^/]+$/.test(await focused()), `the focus is on ${await focused()}`);
    // A key that comes with the draft is not for it.
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector('button[aria-keyshortcuts="s"]')) return;
        observer.disconnect();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
      }).observe(document.body, { childList: true, subtree: true });
    });
    await page.keyboard.press('Enter');
    await page.getByText('Not approved').waitFor();
    await settled(page);
    check((await sent()) === 1, `${await sent()} were sent`);
  },

  'a second click approved the next draft': async ({ page, server }) => {
    const { screen, sent } = await drafts(server, 3);
    await page.goto(screen);
    const button = page.getByRole('button', { name: 'Approve and send' });
    await button.waitFor();
    await settled(page);
    const { x, y, width, height } = await button.boundingBox();
    const click = () => page.mouse.click(x + width / 2, y + height / 2);
    await click();
    await page.getByText('Approved and sent.').waitFor();
    await settled(page);
    await click();
    await settled(page);
    check((await sent()) === 1, `${await sent()} were sent`);
  },

  'a draft that changed meanwhile is not sent': async ({ page, server }) => {
    const { path, screen } = await draft(server, 'Pay 10 EUR.');
    await page.goto(screen);
    await page.getByRole('button', { name: 'Approve and send' }).waitFor();
    check((await page.getByText('Structured data').count()) === 0, 'a plain draft has data');
    await server.call('PATCH', path, { text: 'Pay 10,000 EUR.' });
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('The draft changed after you opened it').waitFor();
    check((await read(server, path)).status === 'draft', 'the draft was sent');
    await page.getByText('Pay 10,000 EUR.').first().waitFor();
  },

  'edits survive a change by the agent, which is shown': async ({ page, server }) => {
    const { path, screen } = await draft(server, 'Pay 10 EUR.');
    await page.goto(screen);
    await page.getByLabel('Text').fill('Pay 10 EUR, please. My long edit.');
    await server.call('PATCH', path, { text: 'Pay 10,000 EUR.', subject: 'Urgent order' });
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('The draft changed after you opened it').waitFor();
    const text = await page.getByLabel('Text').inputValue();
    check(text === 'Pay 10 EUR, please. My long edit.', `the text is ${text}`);
    check((await page.getByLabel('Subject').inputValue()) === 'Urgent order', 'the new subject is missing');
    const change = page.getByRole('region', { name: 'Changed meanwhile' });
    await change.locator('ins', { hasText: ',000' }).waitFor();
    await change.locator('ins', { hasText: 'Urgent' }).waitFor();
    check((await read(server, path)).status === 'draft', 'the draft was sent');
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('Approved and sent.').waitFor();
    const sent = await read(server, path);
    const message = await read(server, `/v1/messages/${sent.sent_message_id}`);
    check(message.text.includes('My long edit.'), `sent: ${message.text}`);
  },

  'everything that approval sends is shown': async ({ page, server }) => {
    const { path, screen } = await draft(server, undefined, {
      to: '"boss@good.example" <x@evil.example>',
      html: '<p style="color:red">Transfer <b>now</b></p><a href="https://evil.example">https://good.example</a>',
      data: { amount: 5000 },
      type: 'task',
      attachments: [{ filename: 'terms.txt', content_type: 'text/plain', content_base64: btoa('the terms') }],
    });
    await page.goto(screen);
    const frame = page.frameLocator('iframe');
    await frame.getByText('Transfer now').waitFor();
    const color = await frame.getByText('Transfer').evaluate((one) => getComputedStyle(one).color);
    check(color === 'rgb(255, 0, 0)', `the recipient sees red, and the frame shows ${color}`);
    check(
      (await page.getByText('The draft has no text.', { exact: true }).count()) === 0,
      'no text is claimed',
    );
    const data = page.getByRole('region', { name: 'Structured data' });
    await data.getByText('"amount": 5000').waitFor();
    await data.getByText('task', { exact: true }).waitFor();
    const who = page.getByRole('region', { name: 'Recipients' }).locator('.who');
    check((await who.locator('strong').innerText()) === 'x@evil.example', await who.innerText());
    const size = (one) => one.evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
    check((await size(who.locator('.name'))) < (await size(who.locator('strong'))), 'the name is as loud');
    await page.locator('a.line', { hasText: 'x@evil.example' }).waitFor();
    const href = await page.getByRole('link', { name: 'terms.txt' }).getAttribute('href');
    const file = await page.evaluate(async (href) => (await fetch(href)).text(), href);
    check(file === 'the terms', `the file has ${file}`);
    await server.call('PATCH', path, { data: { amount: 9000 } });
    await page.getByRole('button', { name: 'Approve and send' }).click();
    const change = page.getByRole('region', { name: 'Changed meanwhile' });
    await change.locator('ins', { hasText: '9000' }).waitFor();
    check((await read(server, path)).status === 'draft', 'the draft was sent');
  },

  'the overview and the approvals count the same drafts': async ({ page, server }) => {
    await draft(server, 'This one waits for a person.');
    const { path } = await draft(server, 'This one waits for the agent.');
    const back = await server.call('POST', `${path}/send-back`, { note: 'Use her name.' });
    check(back.status === 200, `send back: ${JSON.stringify(back.body)}`);
    const count = (text) => Number(/(\d+) drafts?/.exec(text)?.[1]);
    await page.goto(`${base}/`);
    const overview = page.getByRole('link', { name: /drafts? waits? for approval/ });
    const shown = count(await overview.innerText());
    await overview.click();
    const approvals = count(await page.getByText(/\d+ drafts? waits? for you/).innerText());
    const { data } = await read(server, '/v1/drafts?status=draft,failed&sent_back=false&limit=100');
    check(shown === data.length && approvals === data.length, `${shown}, ${approvals}, ${data.length}`);
  },

  'a draft that was sent back is taken back by undo, with its schedule': async ({ page, server }) => {
    const at = new Date(Date.now() + 86_400_000).toISOString();
    for (const more of [{}, { send_at: at }]) {
      const { path, screen } = await draft(server, 'Dear Sir or Madam', more);
      await page.goto(screen);
      await page.getByRole('button', { name: 'Send back with a note' }).click();
      await page.getByRole('textbox', { name: 'Note' }).fill('Use her name.');
      await page.getByRole('button', { name: 'Send back', exact: true }).click();
      await page.getByText('Sent back to the agent.').waitFor();
      check((await read(server, path)).sent_back !== null, 'the draft was not sent back');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
      await settled(page);
      const taken = await read(server, path);
      check(taken.sent_back === null, 'the note is still there');
      check((taken.send_at === null) === (more.send_at === undefined), `it is sent at ${taken.send_at}`);
    }
  },

  'edits stay while another screen is shown, also when the agent changes the draft': async ({
    page,
    server,
  }) => {
    const { path, screen } = await draft(server, 'Pay 10 EUR.');
    await page.goto(screen);
    await page.getByLabel('Text').fill('Pay 10 EUR, please.');
    await page.getByRole('link', { name: 'Contacts', exact: true }).click();
    await page.getByRole('heading', { name: 'Contacts' }).waitFor();
    await page.goBack();
    await page.locator('ins', { hasText: 'please' }).waitFor();
    check((await page.getByLabel('Text').inputValue()) === 'Pay 10 EUR, please.', 'the edit is gone');
    await page.getByRole('link', { name: 'Contacts', exact: true }).click();
    await page.getByRole('heading', { name: 'Contacts' }).waitFor();
    await server.call('PATCH', path, { subject: 'Urgent order' });
    await page.goBack();
    await page
      .getByRole('region', { name: 'Changed meanwhile' })
      .locator('ins', { hasText: 'Urgent' })
      .waitFor();
    check((await page.getByLabel('Text').inputValue()) === 'Pay 10 EUR, please.', 'the edit is gone');
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('Approved and sent.').waitFor();
    const sent = await read(server, path);
    check(
      (await read(server, `/v1/messages/${sent.sent_message_id}`)).text.includes('please'),
      'another text',
    );
    await page.goto(screen);
    await page.getByRole('link', { name: 'Open the message' }).click();
    await page.getByRole('heading', { name: 'Urgent order' }).waitFor();
  },

  'send back with a note, then discard': async ({ page, server }) => {
    const { path, screen } = await draft(server, 'Dear Sir or Madam');
    await page.goto(screen);
    await page.getByRole('button', { name: 'Send back with a note' }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('Use her name.');
    await page.getByRole('button', { name: 'Send back', exact: true }).click();
    await page.getByText('Sent back to the agent.').waitFor();
    check((await read(server, path)).sent_back.note === 'Use her name.', 'the note is missing');
    await page.goto(`${base}/approvals?show=back`);
    const waits = page.getByRole('link', { name: /Approvals/ }).locator('.number');
    await page.getByRole('button', { name: /^Sent back [1-9]/ }).waitFor();
    const [word] = await Promise.all([page.getByText(/drafts? waits? for you/).innerText(), waits.waitFor()]);
    check(
      (await waits.innerText()).startsWith(parseInt(word)),
      `${await waits.innerText()} in the rail, ${word}`,
    );
    await page.goto(screen);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByText('Draft discarded.').waitFor();
    check((await read(server, path)).status === 'cancelled', 'the draft was not cancelled');
  },
};
