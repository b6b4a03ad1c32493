import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { openBrowser } from './open-browser.ts';
import { measuredPages, scriptSizes, timeToFind, timeToUsable } from './page-times.ts';

/**
 * Measures the pages of a running console in Chromium, and prints the times as one line of JSON. `npm run bench --
 * console` fills a stack and starts it.
 *
 *   node measure-pages-program.ts --console URL --sign-in URL --api URL --model MODEL --rounds N
 */
const { values } = parseArgs({
  options: {
    console: { type: 'string', default: '' },
    'sign-in': { type: 'string', default: '' },
    api: { type: 'string', default: '' },
    model: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
  },
});
const { console: origin, api, model } = values;
const rounds = Number(values.rounds);
const organization = 'demo';
const viewport = { width: 1_440, height: 900 };
const locale = 'en-US';
const keysUrl = `${origin}/o/${organization}/keys`;

await using browser = await openBrowser();

const times: Record<string, number[]> = {};
function note(name: string, milliseconds: number): void {
  (times[name] ??= []).push(milliseconds);
}

const signedIn = await browser.newContext({ viewport, locale });
await (await signedIn.newPage()).goto(values['sign-in']);
const storageState = await signedIn.storageState();
await signedIn.close();
const scripts: Record<string, number> = {};
let firstPageBytes = 0;

for (let round = 0; round < rounds; round += 1) {
  // A context of its own has an empty cache.
  await using context = await browser.newContext({ viewport, locale, storageState });
  const page = await context.newPage();
  note(
    'First page, empty cache',
    await timeToUsable(page, { url: keysUrl, usable: 'main tbody tr' }),
  );
  const first = await scriptSizes(page);
  firstPageBytes = sumOf(first);
  Object.assign(scripts, first);
  for (const { name, path, usable } of measuredPages(organization, model)) {
    note(name, await timeToUsable(page, { url: `${origin}${path}`, usable }));
    Object.assign(scripts, await scriptSizes(page));
  }
  note(
    'Search among the keys',
    await timeToFind(context, { url: keysUrl, field: 'Search keys', text: 'key_bench00000042' }),
  );
  note(
    'Search among the organizations',
    await timeToFind(context, {
      url: `${origin}/platform/organizations`,
      field: 'Search',
      text: 'bench-00042',
    }),
  );
  note('Usage split by key', await timeToSplit(page));
  await useKey(context);
}

const measured = { times, script_bytes: { first_page: firstPageBytes, all: sumOf(scripts) } };
process.stdout.write(`${JSON.stringify(measured)}\n`);

async function timeToSplit(page: Page): Promise<number> {
  await timeToUsable(page, {
    url: `${origin}/o/${organization}/usage`,
    usable: 'main .chart svg rect',
  });
  const startedAt = performance.now();
  await page.getByRole('combobox', { name: 'Split by' }).selectOption('key');
  await page.locator('.chart .legend').first().waitFor();
  return performance.now() - startedAt;
}

/** A new key, a request with it until the page of usage counts it, and the end of the key. */
async function useKey(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.goto(keysUrl);
  const name = `measured ${rounds} ${performance.now()}`;
  await page.getByRole('textbox', { name: 'Key name' }).fill(name);
  await page.getByRole('button', { name: 'Create key' }).click();
  const apiKey = await page.getByRole('textbox', { name: 'API key' }).inputValue();
  await page.getByRole('button', { name: 'Done, I have kept it' }).click();
  const usage = await context.newPage();
  await timeToUsable(usage, {
    url: `${origin}/o/${organization}/usage`,
    usable: 'main .chart svg rect',
  });
  const figure = usage.getByRole('button', { name: /^Requests/ }).locator('.figure');
  const before = Number((await figure.innerText()).replaceAll(',', ''));
  await complete(apiKey);
  const answeredAt = performance.now();
  const after = (before + 1).toLocaleString(locale);
  await usage.locator('.figure', { hasText: new RegExp(`^${after}$`) }).waitFor();
  note('A request until it is in the usage', performance.now() - answeredAt);
  await usage.close();

  await page.goto(keysUrl);
  await page.getByRole('searchbox', { name: 'Search keys' }).fill(name);
  const row = page.getByRole('row', { name: new RegExp(name) });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  const revokedAt = performance.now();
  while ((await statusOf(apiKey)) !== 401) {
    // The next request follows at once: the time is measured by the requests themselves.
  }
  note('A revoked key until it is refused', performance.now() - revokedAt);
  await page.close();
}

async function complete(apiKey: string): Promise<void> {
  const response = await fetch(`${api}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  if (!response.ok) throw new Error(`a completion was answered with ${response.status}`);
  await response.arrayBuffer();
}

async function statusOf(apiKey: string): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${api}/models`, { headers });
  await response.arrayBuffer();
  return response.status;
}

function sumOf(sizes: Readonly<Record<string, number>>): number {
  return Object.values(sizes).reduce((sum, size) => sum + size, 0);
}
