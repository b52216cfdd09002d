// Runs the browser tests one after the other.
//
//   npm run browser [-- NAME …]       against a new server, `POSTHOUSE_BINARY` or target/debug/posthouse
//
// A NAME is part of a file or of a test. The server captures mail: tests inject mail by POST /dev/inbound.
import { mkdir, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { seed } from './seed.mjs';
import { Server } from './server.mjs';

const BINARY =
  process.env.POSTHOUSE_BINARY ?? fileURLToPath(new URL('../../target/debug/posthouse', import.meta.url));
/** Where the screen of a failed test is kept. */
const PICTURES = fileURLToPath(new URL('../../target/browser', import.meta.url));
const TEST_MS_MAX = 60_000;

const server = await Server.start(BINARY);
process.env.BASE_URL = server.base;
const { launch, signIn, watch } = await import('./session.mjs');

const only = process.argv.slice(2);
const files = (await readdir(new URL('.', import.meta.url))).filter((name) => name.endsWith('.spec.mjs'));
const counts = { passed: 0, failed: 0 };
let browser;

/** Fails a test that neither passes nor fails by itself. */
function within(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${TEST_MS_MAX / 1000} s`)), TEST_MS_MAX);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function run(name, test, storageState) {
  const context = await browser.newContext({ storageState, viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(10_000);
  const page = watch(await context.newPage());
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) errors.push(message.text());
  });
  const began = performance.now();
  try {
    await within(test({ browser, context, page, storageState, errors, server }));
    if (errors.length > 0) throw new Error(`page errors: ${errors.join('; ')}`);
    counts.passed += 1;
    console.log(`ok   ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    counts.failed += 1;
    await mkdir(PICTURES, { recursive: true });
    await page.screenshot({ path: `${PICTURES}/${name.replaceAll(/\W+/g, '-')}.png` }).catch(() => undefined);
    const lines = stripVTControlCharacters(String(error.message ?? error)).split('\n');
    console.log(`FAIL ${name}\n     ${page.url()}\n     ${lines.slice(0, 16).join('\n     ')}`);
  }
  await context.close();
  // A test of restarts that failed in between.
  if (!server.isRunning) await server.run();
}

try {
  await seed(server);
  browser = await launch();
  const storageState = await signIn(browser, server.signInLink);
  for (const file of files.sort()) {
    const { default: tests } = await import(`./${file}`);
    for (const [name, test] of Object.entries(tests)) {
      const wanted = only.length === 0 || only.some((part) => file.includes(part) || name.includes(part));
      if (wanted) await run(name, test, storageState);
    }
  }
} finally {
  await browser?.close();
  await server.remove();
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1);
