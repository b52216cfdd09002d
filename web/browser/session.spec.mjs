// Sign-in, sign-out and protection of the session.
import { base } from './session.mjs';

const check = (condition, words) => {
  if (!condition) throw new Error(words);
};

export default {
  'a forged link says what to do next': async ({ browser }) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${base}/sign-in#token=forged`);
    check(
      !page.url().includes('forged') || (await page.waitForURL(`${base}/sign-in`)) === undefined,
      'the token stays in the address',
    );
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This link does not work').waitFor();
    await page.getByRole('button', { name: 'Get a new link' }).click();
    await page.getByLabel('Email').fill('owner@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    await page.getByLabel('Code').fill('000000');
    await context.close();
  },

  'screens ask to sign in, scripts cannot read the cookie': async ({ browser, page }) => {
    const context = await browser.newContext();
    const stranger = await context.newPage();
    await stranger.goto(`${base}/approvals`);
    await stranger.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
    await page.goto(base);
    check((await page.evaluate(() => document.cookie)) === '', 'a script reads the cookie');
  },

  'changes without the header are refused': async ({ page }) => {
    await page.goto(base);
    const status = await page.evaluate(async () => {
      const response = await fetch('/v1/inboxes', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
      });
      return response.status;
    });
    check(status === 403, `answered ${status}`);
  },

  'the page has no inline script or style and satisfies its policy': async ({ page, errors }) => {
    await page.goto(base);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    check((await page.locator('script:not([src])').count()) === 0, 'there is an inline script');
    check((await page.locator('head style').count()) === 0, 'there is an inline style');
    check(errors.length === 0, errors.join('; '));
  },
};
