// Runs the browser scripts one after the other against a running dashboard.
//
//   BASE_URL=http://127.0.0.1:8080 SIGN_IN_LINK='http://…/sign-in#token=…' npm run browser [name …]
//
// With the development proxy (dev/proxy.mjs) neither is needed. The server must
// capture mail: the scripts inject mail by POST /dev/inbound.
import { readdir } from 'node:fs/promises';
import { launch, signIn } from './session.mjs';

const only = process.argv.slice(2);
const files = (await readdir(new URL('.', import.meta.url)))
  .filter((name) => name.endsWith('.spec.mjs'))
  .sort();
const browser = await launch();
let failed = 0;
try {
  const storageState = await signIn(browser);
  console.log('ok   sign in by the link and its button');
  for (const file of files) {
    if (only.length > 0 && !only.some((name) => file.includes(name))) continue;
    const { default: tests } = await import(`./${file}`);
    for (const [name, test] of Object.entries(tests)) {
      const context = await browser.newContext({ storageState, viewport: { width: 1440, height: 900 } });
      const page = await context.newPage();
      const errors = [];
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        if (/Content Security Policy|Refused to/.test(message.text()) && !page.url().includes('hostile'))
          errors.push(message.text());
      });
      try {
        await test({ browser, context, page, storageState, errors });
        if (errors.length > 0) throw new Error(`page errors: ${errors.join('; ')}`);
        console.log(`ok   ${name}`);
      } catch (error) {
        failed += 1;
        console.log(
          `FAIL ${name}\n     ${String(error.message ?? error)
            .split('\n')
            .slice(0, 12)
            .join('\n     ')}`,
        );
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
}
process.exit(failed === 0 ? 0 : 1);
