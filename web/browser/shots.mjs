// Takes a picture of each screen at 1440 and 390 pixels, of a new server with example data.
//
//   npm run screenshots [-- OUTPUT [SCREEN …]]     OUTPUT is docs/screenshots by default. ALL=1: every screen in both themes.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seed } from './seed.mjs';
import { Server } from './server.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const binary = process.env.POSTHOUSE_BINARY ?? here('../../target/debug/posthouse');
const [output = here('../../docs/screenshots'), ...only] = process.argv.slice(2);
/** Screens whose dark theme is shown, too. */
const DARK = new Set(['overview', 'thread']);

const server = await Server.start(binary);
process.env.BASE_URL = server.base;
const { base, launch, screens, selections, settled, signIn, watch } = await import('./session.mjs');
await mkdir(output, { recursive: true });
const browser = await launch();
const problems = new Set();

async function shoot(page, name, path, file) {
  await page.goto(base + path);
  if (name !== 'sign-in') await settled(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (overflow > 0) problems.add(`${file}: ${overflow} px too wide`);
  await page.screenshot({ path: join(output, `${file}.png`) });
}

async function pictures(storageState, paths) {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ]) {
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({ storageState, colorScheme, viewport: { width, height } });
      const page = watch(await context.newPage());
      page.on('pageerror', (error) => problems.add(`${page.url()}: ${error.message}`));
      for (const [name, path] of Object.entries(paths)) {
        if (only.length > 0 && !only.includes(name)) continue;
        if (colorScheme === 'dark' && !process.env.ALL && !DARK.has(name)) continue;
        await shoot(page, name, path, `${name}-${width}${colorScheme === 'dark' ? '-dark' : ''}`);
      }
      await context.close();
    }
  }
}

try {
  const storageState = await signIn(browser, server.signInLink);
  await pictures(undefined, { 'sign-in': '/sign-in' });
  await pictures(storageState, { 'first-sign-in': '/inbox' });
  await seed(server);
  await pictures(storageState, { ...screens, ...(await selections(server)) });
} finally {
  await browser.close();
  await server.remove();
}
// Few colors: a third of the bytes.
const files = (await readdir(output))
  .filter((name) => name.endsWith('.png'))
  .map((name) => join(output, name));
execFileSync('pngquant', ['--force', '--ext', '.png', '--speed', '1', '--strip', '64', '--', ...files]);
for (const problem of problems) console.error(problem);
process.exit(problems.size === 0 ? 0 : 1);
