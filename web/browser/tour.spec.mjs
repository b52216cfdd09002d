// What a person meets on a first tour: the palette, the list of threads, the live dot, an approval by keyboard.
import { base, check, inject, newInbox, settled } from './session.mjs';

export default {
  'the sign-in page leads to the workspace that has the mail': async ({ browser }) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${base}/sign-in`);
    await page.getByText('The mail of this server is in the workspace of owner@localhost.').waitFor();
    await page.getByRole('textbox', { name: 'Email' }).fill('me@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('If me@example.com is in no workspace, you get a new, empty one.').waitFor();
    await page.goto(`${base}/sign-in`);
    await page.getByRole('button', { name: 'Sign in as owner@localhost' }).click();
    await page.getByRole('textbox', { name: 'Code' }).waitFor();
    await context.close();
  },

  'words in the palette find mail first': async ({ page, server }) => {
    const box = await newInbox(server, 'tour');
    await inject(server, box.address, { subject: 'Quarterly turbines', body: 'Numbers for the turbines.' });
    await page.goto(base);
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('turbines');
    const options = page.getByRole('option');
    await options.filter({ hasText: 'Quarterly turbines' }).waitFor();
    const labels = await options.allInnerTexts();
    check(labels[0].includes('Quarterly turbines'), `first is ${labels[0]}`);
    check(labels.at(-1).includes('Find agents'), `last is ${labels.at(-1)}`);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\/[0-9a-f-]+\?q=turbines#message-/);
    await page.getByText('Numbers for the turbines.').first().waitFor();
    // Without a pause for live results, Enter searches mail.
    await page.keyboard.press('Control+k');
    await page
      .getByRole('combobox', { name: 'Search or jump to' })
      .pressSequentially('nothing like this', { delay: 0 });
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=nothing/);
  },

  'a quote in the palette was an invalid query': async ({ page, server }) => {
    const box = await newInbox(server, 'quote');
    await inject(server, box.address, { subject: 'Annual gearboxes', body: 'The due date is Friday.' });
    await page.goto(base);
    await settled(page);
    const refused = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Search or jump to' });
    const found = page.getByRole('option', { name: /Annual gearboxes/ });
    for (const [typed, count] of [
      ['gearboxes', 1],
      ['"', 0],
      ['"due date', 1],
      ['has:', 0],
      ['gearboxes before:', 1],
    ]) {
      const answer = count && page.waitForResponse((response) => response.url().includes('/v1/search?'));
      await input.fill(typed);
      await answer;
      await (count ? found.first().waitFor() : found.first().waitFor({ state: 'detached' }));
    }
    check(refused.length === 0, `refused: ${refused.join(', ')}`);
    // What the server refuses all the same is said.
    await input.fill('x '.repeat(60));
    await page.getByText('must have at most 40 terms').waitFor();
  },

  'subject and first words of a row ran together': async ({ page, server }) => {
    const box = await newInbox(server, 'space');
    await inject(server, box.address, { subject: 'Quarterly wheels', body: 'Numbers for the wheels.' });
    await page.goto(`${base}/inbox/${box.id}`);
    const row = page.getByRole('link', { name: /Quarterly wheels/ });
    const text = await row.innerText();
    check(text.includes('Quarterly wheels · Numbers'), `the row is ${text}`);
  },

  'a row of the thread list has a name, first words and label dots': async ({ page, server }) => {
    const box = await newInbox(server, 'rows');
    await inject(server, box.address, {
      from: 'Dana Doe <dana@example.com>',
      subject: 'Lamps',
      body: 'The lamps arrive on Friday.',
    });
    const { body } = await server.call('GET', `/v1/inboxes/${box.id}/threads`);
    await server.call('PATCH', `/v1/threads/${body.data[0].id}`, { add_labels: ['vip', 'order'] });
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${base}/inbox/${box.id}`);
    const row = page.getByRole('link', { name: /Dana Doe/ });
    await row.waitFor();
    const text = await row.innerText();
    check(text.includes('Lamps') && text.includes('The lamps arrive on Friday.'), `the row is ${text}`);
    check((await row.locator('.dot').count()) === 2, 'there are not two dots');
    check(text.includes('Labels: order, vip') || text.includes('Labels: vip, order'), `the row is ${text}`);
    check(!asked.includes('/dev/outbox'), 'the page asked for captured mail');
  },

  'the dot shows a server that does not answer, and its return': async ({ page, server }) => {
    await page.goto(`${base}/inbox/all`);
    await page.locator('.stream.live').waitFor();
    const began = Date.now();
    server.child.kill('SIGSTOP');
    try {
      await page.locator('.stream.stale').waitFor({ timeout: 8_000 });
      const seconds = (Date.now() - began) / 1000;
      check(seconds < 6, `stale after ${seconds} s`);
      await page.getByText('no answer').waitFor();
    } finally {
      server.child.kill('SIGCONT');
    }
    await page.locator('.stream.live').waitFor();
  },

  'a draft is approved with one key': async ({ page, server }) => {
    const box = await newInbox(server, 'keys');
    const made = await server.call('POST', `/v1/inboxes/${box.id}/drafts`, {
      to: 'dana@example.com',
      subject: 'Your order',
      text: 'It is on its way.',
    });
    await page.goto(`${base}/approvals/${box.id}/${made.body.id}`);
    const button = page.getByRole('button', { name: 'Approve and send' });
    await button.waitFor();
    check((await button.innerText()).trim().endsWith('a'), 'the button does not show its key');
    // Typing is no shortcut.
    await page.getByLabel('Subject').fill('a');
    await page.keyboard.press('Tab');
    await page.locator('body').click({ position: { x: 2, y: 2 } });
    await page.locator('button[aria-keyshortcuts="a"]').waitFor();
    await page.keyboard.press('a');
    await page.getByText('Approved and sent.').waitFor();
    const sent = await server.call('GET', `/v1/inboxes/${box.id}/drafts/${made.body.id}`);
    check(sent.body.status === 'sent', `the draft is ${sent.body.status}`);
  },
};
