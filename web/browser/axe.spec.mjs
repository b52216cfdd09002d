// axe finds no violation on any screen, in both themes and at both widths.
import { axeSource, base, screens, selections, settled, watch } from './session.mjs';

const source = await axeSource();

export async function violations(page) {
  await page.evaluate(source);
  const results = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return results.violations.map(
    (one) =>
      `${one.id}: ${one.nodes
        .slice(0, 3)
        .map((node) => `${node.target.join(' ')} ${node.any[0]?.message ?? ''}`)
        .join(' | ')}`,
  );
}

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** Looks at each screen in both themes and at both widths. */
async function lookAt(paths, browser, storageState) {
  const context = await browser.newContext({ storageState, bypassCSP: true, reducedMotion: 'reduce' });
  const page = watch(await context.newPage());
  const problems = [];
  for (const [name, path] of Object.entries(paths)) {
    await page.setViewportSize(SIZES[0]);
    await page.goto(base + path);
    await settled(page);
    for (const size of SIZES) {
      await page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        for (const violation of await violations(page)) {
          problems.push(`${name}, ${colorScheme}, ${size.width} px: ${violation}`);
        }
      }
    }
  }
  await context.close();
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

const half = Math.ceil(Object.keys(screens).length / 2);
const part = (from, to) => Object.fromEntries(Object.entries(screens).slice(from, to));
const tests = {
  'axe: every screen, first half': ({ browser, storageState }) =>
    lookAt(part(0, half), browser, storageState),
  'axe: every screen, second half': ({ browser, storageState }) => lookAt(part(half), browser, storageState),
  'axe: one of each kind': async ({ browser, server, storageState }) =>
    lookAt(await selections(server), browser, storageState),
};

tests['axe: dialogs, the palette and sign-in'] = async ({ browser, storageState }) => {
  const problems = [];
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ storageState, colorScheme, bypassCSP: true });
    const page = watch(await context.newPage());
    const look = async (name) => {
      for (const violation of await violations(page)) problems.push(`${name} ${colorScheme}: ${violation}`);
    };
    const dialogs = [
      ['/', 'Stop'],
      ['/', 'Copy as curl'],
      ['/keys', 'Create a key'],
      ['/webhooks', 'Create a webhook'],
      ['/domains', 'Add a domain'],
      ['/lists', 'Add an entry'],
      ['/agents', 'Create an agent'],
      ['/agents', 'Rename the handle …'],
      ['/apps', 'Register an app'],
    ];
    for (const [path, button] of dialogs) {
      await page.goto(base + path);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      await settled(page);
      await look(button);
    }
    await page.goto(base);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await look('palette');
    await context.close();
    const outside = await browser.newContext({ colorScheme, bypassCSP: true });
    const signIn = watch(await outside.newPage());
    await signIn.goto(`${base}/sign-in`);
    await signIn.getByRole('button', { name: 'Send the link' }).waitFor();
    for (const violation of await violations(signIn)) problems.push(`sign-in ${colorScheme}: ${violation}`);
    await signIn.goto(`${base}/leave#${encodeURIComponent('http://good.example@evil.example/')}`);
    await signIn.getByText('The part before the @').waitFor();
    for (const violation of await violations(signIn)) problems.push(`leave ${colorScheme}: ${violation}`);
    await outside.close();
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
};

export default tests;
