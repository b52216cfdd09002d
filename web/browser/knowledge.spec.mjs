// Replies drafted from knowledge, by a model server that quotes the first passage that it gets.
import { createServer } from 'node:http';
import { callApi, check, inject, newInbox, signIn, watch } from './session.mjs';
import { Server } from './server.mjs';

const POLICY = 'You can return an order within 30 days. A refund takes five days.';
const QUOTE = 'A refund takes five days.';

/** Starts a server with the chat-completions API. */
async function model() {
  const content = JSON.stringify({
    text: 'You have the refund within five days.',
    citations: [{ passage: 1, quote: QUOTE }],
  });
  const answer = JSON.stringify({
    choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
  });
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(answer);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

export default {
  'a drafted reply cites a passage, which opens, and the document names the reply': async ({
    browser,
    server,
  }) => {
    const writer = await model();
    const config = `[ai]\ndrafting = "openai"\nbase_url = "${writer.url}"\nmodel = "small"\n`;
    const own = await Server.start(server.binary, config);
    try {
      const box = await newInbox(own, 'refunds');
      const { body: document } = await own.call('POST', '/v1/knowledge', { title: 'Returns', body: POLICY });
      await inject(own, box.address, { subject: 'Refund', body: 'How long does a refund take?' });
      const context = await browser.newContext({ storageState: await signIn(browser, own.signInLink) });
      const page = watch(await context.newPage());
      const { body: list } = await own.call('GET', `/v1/inboxes/${box.id}/messages`);
      await page.goto(`${own.base}/inbox/all`);
      const changed = await callApi(page, 'PATCH', '/platform/org', { ai_processing: 'full' });
      check(changed.status === 200, JSON.stringify(changed.body));
      await page.goto(`${own.base}/inbox/${box.id}/${list.data[0].thread_id}`);
      await page.getByRole('heading', { name: 'Refund' }).waitFor();
      await page.keyboard.press('r');
      await page.getByRole('button', { name: 'Draft a reply' }).click();
      const citation = page.getByRole('link', { name: 'Returns' });
      await citation.waitFor();
      check(
        (await page.getByRole('textbox', { name: 'Reply', exact: true }).inputValue()).includes('five days'),
        'no draft',
      );
      await citation.click();
      await page.getByRole('region', { name: 'Cited passage' }).getByText(QUOTE).waitFor();
      const marked = await page.locator('mark').textContent();
      check(marked === QUOTE, `marked ${marked}`);
      await page.getByText(/A reply in .* that wasn't stored/).waitFor();
      check(page.url().includes(document.id), page.url());
      await context.close();
    } finally {
      await own.remove();
      writer.close();
    }
  },
};
