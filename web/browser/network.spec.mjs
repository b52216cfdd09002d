// Restarts of the server, slow networks, and the budgets of size and time.
import { gzipSync } from 'node:zlib';
import { base, bestOfFive, check, inject, newInbox, settled } from './session.mjs';

const FIRST_LOAD_BYTES_MAX = 150_000;

export default {
  'live updates resume after a restart of the server': async ({ page, server }) => {
    const box = await newInbox(server, 'restart');
    await inject(server, box.address, { subject: 'Before one' });
    await inject(server, box.address, { subject: 'Before two', from: 'Lee <lee@example.com>' });
    await page.goto(`${base}/inbox/${box.id}`);
    await page.getByText('Before two').first().waitFor();
    await page.locator('.stream.live').waitFor();
    await server.stop();
    await page.locator('.stream.waiting').waitFor();
    await page.getByText('Before two').first().waitFor();
    await server.run();
    await inject(server, box.address, { subject: 'Right after', from: 'Ann <ann@example.com>' });
    await page.getByText('Right after').first().waitFor();
    await page.locator('.stream.live').waitFor();
    await inject(server, box.address, { subject: 'Live again', from: 'Bob <bob@example.com>' });
    await page.getByText('Live again').first().waitFor();
    await page.reload();
    await page.getByText('Live again').first().waitFor();
  },

  'an action without a server keeps what was typed and can be repeated': async ({ page, server }) => {
    await page.goto(`${base}/compose`);
    await settled(page);
    await page.getByLabel('To', { exact: true }).fill('dana@example.com');
    await page.getByLabel('Subject').fill('Written once');
    await page.getByLabel('Text').fill('A long text.');
    await server.stop();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The server cannot be reached').waitFor();
    await server.run();
    check((await page.getByLabel('Text').inputValue()) === 'A long text.', 'the text is gone');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Message queued.').waitFor();
    const found = await server.call('GET', '/v1/threads?limit=100');
    const sent = found.body.data.filter((one) => one.subject === 'Written once');
    check(sent.length === 1, `${sent.length} threads`);
  },

  'on a slow network nothing waits for a second without a word': async ({ page }) => {
    await page.goto(`${base}/inbox/all`);
    await settled(page);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 2500,
      downloadThroughput: 40_000,
      uploadThroughput: 20_000,
    });
    const word = page
      .getByText(/^Loading .+ …$/)
      .filter({ visible: true })
      .first();
    for (const link of ['Contacts', 'Webhooks', 'Usage']) {
      // First the code of the screen is on its way, then its data.
      let began = Date.now();
      await page.getByRole('link', { name: link, exact: true }).click();
      await word.waitFor();
      check(Date.now() - began < 1300, `${link}: no word for ${Date.now() - began} ms`);
      await page.getByRole('heading', { name: link, level: 1 }).waitFor();
      began = Date.now();
      await word.waitFor();
      check(Date.now() - began < 1300, `${link}: no word for ${Date.now() - began} ms`);
      await page.locator('.loading').first().waitFor({ state: 'detached' });
    }
  },

  'the first load on a slow network has a word before its scripts have arrived': async ({
    browser,
    storageState,
  }) => {
    const context = await browser.newContext({ storageState });
    const page = await context.newPage();
    let release = () => undefined;
    const word = new Promise((resolve) => (release = resolve));
    await page.route('**/assets/*.js', async (route) => {
      await word;
      await route.fallback();
    });
    await page.goto(base, { waitUntil: 'commit' });
    await page.getByText('Loading the dashboard …').waitFor();
    release();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    check((await page.getByText('Loading the dashboard …').count()) === 0, 'the word is still there');
    await context.close();
  },

  'the first load is small, and interactive within a second': async ({ browser, storageState }) => {
    await bestOfFive('a thread opened in a browser that was never here', 1000, async () => {
      const context = await browser.newContext({ storageState });
      const page = await context.newPage();
      const files = [];
      page.on('response', (response) => {
        if (/\.(js|css)$/.test(response.url())) files.push(response.body());
      });
      const began = Date.now();
      await page.goto(`${base}/inbox/all`);
      await page.locator('.viewport a').first().click();
      await page.waitForURL(/\/inbox\/all\/.+/);
      const took = Date.now() - began;
      const bytes = (await Promise.all(files)).reduce((sum, body) => sum + gzipSync(body).length, 0);
      check(bytes <= FIRST_LOAD_BYTES_MAX, `${bytes} bytes`);
      console.log(`     ${files.length} scripts and styles, ${bytes} bytes with gzip`);
      await context.close();
      return took;
    });
  },
};
