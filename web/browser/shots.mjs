// Takes a picture of each screen at 1440 and 390 pixels in both themes.
//
//   BASE_URL=http://127.0.0.1:5180 node browser/shots.mjs OUTPUT [screen …]
import { mkdir } from 'node:fs/promises';
import { base, launch, screens, settled, signIn } from './session.mjs';

const [output = 'shots', ...only] = process.argv.slice(2);
await mkdir(output, { recursive: true });
const browser = await launch();
const storageState = await signIn(browser);
const problems = [];

for (const [width, height] of [
  [1440, 900],
  [390, 844],
]) {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ storageState, colorScheme, viewport: { width, height } });
    const page = await context.newPage();
    page.on(
      'console',
      (message) => message.type() === 'error' && problems.push(`${page.url()}: ${message.text()}`),
    );
    page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
    await page.goto(base);
    const wide = await selections(page);
    for (const [name, path] of Object.entries({ ...screens, ...wide })) {
      if (only.length > 0 && !only.includes(name)) continue;
      await page.goto(base + path);
      await settled(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (overflow > 0) problems.push(`${name} at ${width}: ${overflow} px too wide`);
      await page.screenshot({ path: `${output}/${name}-${width}-${colorScheme}.png` });
    }
    await context.close();
  }
}
await browser.close();
for (const problem of new Set(problems)) console.log(problem);

/** Paths of one thread, draft, domain and webhook. */
async function selections(page) {
  return page.evaluate(async () => {
    const get = async (path) => (await fetch(path)).json();
    const found = {};
    const threads = (await get('/v1/threads?limit=50')).data;
    const thread = threads.find((one) => one.message_count > 1) ?? threads[0];
    if (thread) found.thread = `/inbox/${thread.inbox_id}/${thread.id}`;
    const draft = (await get('/v1/drafts?status=draft&limit=1')).data[0];
    if (draft) found.draft = `/approvals/${draft.inbox_id}/${draft.id}`;
    for (const kind of ['domains', 'webhooks', 'contacts']) {
      const one = (await get(`/v1/${kind}?limit=1`)).data[0];
      if (one) found[kind.slice(0, -1)] = `/${kind}/${one.id}`;
    }
    const event = (await get('/v1/events?limit=1')).data[0];
    if (event) found.event = `/events/${event.id}`;
    return found;
  });
}
