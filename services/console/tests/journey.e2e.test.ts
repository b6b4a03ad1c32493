import { startStack } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import OpenAI, { AuthenticationError } from 'openai';
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { providerSettings, startRealProvider } from './real-provider.ts';
import { openBrowser } from './support/open-browser.ts';

const TEST_MS = 240_000;
/**
 * Usage is promised on the page within 2 s, and the end of a revoked key within 1 s; `npm run bench -- console` judges
 * these times. A test machine is busy, so here only far longer times fail.
 */
const USAGE_LIMIT_MS = 15_000;
const REVOKED_LIMIT_MS = 5_000;

async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

/** On the pages of oidc-provider: any password is right, and the console asks for consent once. */
async function signInAtProvider(page: Page, consoleUrl: string, login: string): Promise<void> {
  await page.goto(consoleUrl);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL((url) => url.origin === consoleUrl);
}

async function grantAccess(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Accounts' }).click();
  const row = page.getByRole('row', { name: new RegExp(name) });
  await row.getByRole('button', { name: 'Grant access' }).click();
  await page.getByRole('status').getByText(`${name} has access.`).waitFor();
}

test(
  'A new person signs in, waits, is granted access, makes a key, uses it, sees the usage, streams in the playground and revokes the key',
  { timeout: TEST_MS },
  async () => {
    const providerPort = await findFreePort();
    const { issuer, clientId, clientSecret } = providerSettings(providerPort);
    await using stack = await startStack({
      console: true,
      usage: true,
      environment: {
        OIDC_ISSUER: issuer,
        OIDC_CLIENT_ID: clientId,
        OIDC_CLIENT_SECRET: clientSecret,
      },
    });
    const { consoleUrl } = stack;
    const provider = await startRealProvider(consoleUrl, providerPort);
    await using _provider = provider.process;
    await using browser = await openBrowser();

    // The pages are built after the stack has become ready.
    const status = () =>
      fetch(consoleUrl).then(
        (response) => response.status,
        () => 0,
      );
    await expect.poll(status, { timeout: 60_000 }).toBe(200);

    const page = await openPage(browser);
    await signInAtProvider(page, consoleUrl, 'grace');
    await page.getByText('An operator has to grant it to your account.').waitFor();

    const operatorPage = await openPage(browser);
    await operatorPage.goto(stack.signInUrl);
    await grantAccess(operatorPage, 'grace');
    await operatorPage.context().close();

    // The page of the waiting person notices it by itself.
    await page.getByText('An operator has to grant').waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Organization name' }).fill('Compilers');
    await page.getByRole('checkbox', { name: 'I accept the terms' }).check();
    await page.getByRole('button', { name: 'Continue' }).click();

    await page.getByRole('textbox', { name: 'Key name' }).fill('journey');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Copy key' }).click();
    await page.getByRole('status').getByText('Key copied.').waitFor();
    const apiKey = await page.evaluate<string>('navigator.clipboard.readText()');

    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('button', { name: /^Requests\s*0/ }).waitFor();
    const client = new OpenAI({ apiKey, baseURL: stack.apiRoot, maxRetries: 0 });
    const [model = ''] = stack.models;
    const ask = () =>
      client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello' }] });
    const answer = await ask();
    const answeredAt = performance.now();
    expect(answer.choices[0]?.message.content).not.toBe('');
    await page.getByRole('button', { name: /^Requests\s*1/ }).waitFor();
    expect(performance.now() - answeredAt).toBeLessThan(USAGE_LIMIT_MS);

    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('First token').waitFor();
    expect(await page.locator('.answer-text').innerText()).not.toBe('');

    await page.getByRole('link', { name: 'Keys' }).click();
    const row = page.getByRole('row', { name: /journey/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('status').getByText('Key journey revoked.').waitFor();
    const isRefused = () =>
      ask().then(
        () => false,
        (error: unknown) => error instanceof AuthenticationError,
      );
    await expect.poll(isRefused, { timeout: REVOKED_LIMIT_MS }).toBe(true);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
  },
);
