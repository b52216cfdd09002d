// Shared by the browser scripts: starts Chromium, signs in, knows the screens.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

export const base = (process.env.BASE_URL ?? 'http://127.0.0.1:5180').replace(/\/$/, '');

/** Static screens; selections are found on the screens themselves. */
export const screens = {
  overview: '/',
  inbox: '/inbox/all',
  search: '/search?q=lamp',
  compose: '/compose',
  approvals: '/approvals',
  held: '/held',
  queue: '/queue',
  contacts: '/contacts',
  suppressions: '/suppressions',
  lists: '/lists',
  domains: '/domains',
  webhooks: '/webhooks',
  events: '/events',
  keys: '/keys',
  usage: '/usage',
  settings: '/settings',
  members: '/settings/members',
  sessions: '/settings/sessions',
  captured: '/captured',
};

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/** A sign-in link works once: SIGN_IN_LINK, or a command that prints a new one. */
export async function signInLink() {
  if (process.env.SIGN_IN_LINK) return process.env.SIGN_IN_LINK;
  const answer = await fetch(`${base}/platform/dev-link`);
  if (!answer.ok) throw new Error('Set SIGN_IN_LINK to a link from the server.');
  return (await answer.json()).link;
}

/** Signs in by the link and its button, and returns the state to start other contexts from. */
export async function signIn(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(await signInLink());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/inbox/);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Calls the API inside the page, with its session. */
export function callApi(page, method, path, body) {
  return page.evaluate(
    async ([method, path, body]) => {
      const response = await fetch(path, {
        method,
        headers: {
          'X-Requested-With': 'service-web',
          'Content-Type': typeof body === 'string' ? 'message/rfc822' : 'application/json',
        },
        body:
          body === undefined || body === null
            ? undefined
            : typeof body === 'string'
              ? body
              : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    },
    [method, path, body],
  );
}

/** Waits until the screen has loaded what it shows. */
export async function settled(page) {
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page
    .waitForFunction(() => !document.querySelector('.loading'), null, { timeout: 5000 })
    .catch(() => undefined);
}

export async function axeSource() {
  return readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}
