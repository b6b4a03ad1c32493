import { startStack } from '@sluice/devkit';
import OpenAI, { AuthenticationError } from 'openai';
import { expect, test } from 'vitest';
import { openBrowser } from './support/open-browser.ts';

const TEST_MS = 240_000;

test(
  'A person signs in, makes a key, uses it, streams in the playground, sees the usage and revokes the key',
  { timeout: TEST_MS },
  async () => {
    await using stack = await startStack({ console: true, usage: true });
    const browser = await openBrowser();
    await using context = await browser.newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();

    // The pages are built after the stack has become ready.
    await expect
      .poll(
        () =>
          fetch(stack.consoleUrl).then(
            ({ status }) => status,
            () => 0,
          ),
        {
          timeout: 60_000,
        },
      )
      .toBe(200);
    await page.goto(stack.signInUrl);
    await page.getByRole('textbox', { name: 'Key name' }).fill('journey');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Copy key' }).click();
    await page.getByRole('status').getByText('Key copied.').waitFor();
    const apiKey = await page.evaluate<string>('navigator.clipboard.readText()');

    const client = new OpenAI({ apiKey, baseURL: stack.apiRoot, maxRetries: 0 });
    const [model = ''] = stack.models;
    const ask = () =>
      client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello' }] });
    const answer = await ask();
    expect(answer.choices[0]?.message.content).not.toBe('');

    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('First token').waitFor();
    expect(await page.locator('.answer-text').innerText()).not.toBe('');

    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('button', { name: /^Requests\s*2/ }).waitFor();

    await page.getByRole('link', { name: 'Keys' }).click();
    const row = page.getByRole('row', { name: /journey/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('status').getByText('Key journey revoked.').waitFor();
    await expect
      .poll(
        () =>
          ask().then(
            () => 'answered',
            (error: unknown) => error instanceof AuthenticationError,
          ),
        {
          timeout: 5_000,
        },
      )
      .toBe(true);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
    await browser.close();
  },
);
