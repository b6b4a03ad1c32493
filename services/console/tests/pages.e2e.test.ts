import { execFileSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleAnswers, plainNames, type ExampleNames } from './support/example-answers.ts';
import { openBrowser } from './support/open-browser.ts';
import { startExampleApi, type ExampleReply } from './support/start-example-api.ts';
import { startExampleConsole, type Person } from './support/start-example-console.ts';

const web = join(import.meta.dirname, '../web');
const owner: Person = {
  name: plainNames.person,
  access: 'granted',
  onboarding: 'complete',
  restricted: false,
  operator: true,
  role: 'owner',
  organization: plainNames.organization,
};
const own = (page: string): string => `/o/org-0/${page}`;
const model = encodeURIComponent(plainNames.model);
const everyPage = [
  own('keys'),
  own('playground'),
  own('usage'),
  own('limits'),
  own('requests'),
  own('requests/req_000004'),
  own('members'),
  own('projects'),
  own('settings'),
  '/platform/fleet',
  '/platform/models',
  `/platform/models/${model}`,
  '/platform/plans',
  '/platform/organizations',
  '/platform/accounts',
  '/platform/audit',
  '/account',
  '/errors/rate_limit_exceeded',
];

let browser: Browser;

beforeAll(async () => {
  execFileSync(
    process.execPath,
    ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'error'],
    {
      cwd: web,
    },
  );
  browser = await openBrowser();
});
afterAll(() => browser.close());

interface Opened extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly url: string;
  /** What the browser refused or could not do. */
  readonly faults: readonly string[];
  /** Goes to a page as a link does, without loading the console again, and waits until the page is usable. */
  readonly go: (path: string) => Promise<void>;
}

interface OpenOptions {
  readonly names?: ExampleNames;
  readonly person?: Partial<Person>;
  readonly signedOut?: true;
  readonly large?: true;
  readonly empty?: true;
  readonly budgetSpent?: true;
  readonly apiUrl?: string;
}

async function open(options: OpenOptions = {}): Promise<Opened> {
  const size = options.large
    ? { pageRows: 50, total: 10_000, workers: 1_000 }
    : { pageRows: 8, total: 20, workers: 6 };
  const names = options.names ?? plainNames;
  const { empty = false, budgetSpent = false } = options;
  const answers = exampleAnswers({ names, ...size, empty, budgetSpent, now: Date.now() });
  const served = await startExampleConsole({
    answers,
    person: { ...owner, ...options.person },
    apiUrl: options.apiUrl ?? 'http://127.0.0.1:9/v1',
  });
  // Without motion, a colour that was changed is there at once.
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  if (options.signedOut !== true) await context.addCookies([served.cookie]);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('dialog', (dialog) => {
    faults.push('a script of a name ran');
    void dialog.dismiss();
  });
  await show(page, WIDE);
  return {
    context,
    page,
    url: served.url,
    faults,
    go: async (path) => {
      const isLoaded = page.url().startsWith(served.url);
      if (isLoaded) await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
      else await page.goto(`${served.url}${path}`, { waitUntil: 'domcontentloaded' });
      await page.locator('h1').first().waitFor();
      await page.locator('.loading').first().waitFor({ state: 'detached' });
    },
    [Symbol.asyncDispose]: async () => {
      await context.close();
      await served[Symbol.asyncDispose]();
    },
  };
}

interface Look {
  readonly name: string;
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

const WIDE: Look = { name: 'light at 1440 px', width: 1_440, colorScheme: 'light' };
const LOOKS: readonly Look[] = [WIDE, { name: 'dark at 360 px', width: 360, colorScheme: 'dark' }];

async function show(page: Page, { width, colorScheme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
}

interface AxeResult {
  readonly violations: { id: string; nodes: { html: string }[] }[];
}

/** Rows of a page and items of its navigation. More would make it slow to open and to read. */
const MAX_ROWS = 200;

async function axeViolations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy does not hold back.
  if (await page.evaluate<boolean>(`window.axe === undefined`)) await page.evaluate(axe.source);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await page.evaluate<AxeResult>(
    `axe.run({ runOnly: ${JSON.stringify(tags)} })`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

const CONTROLS = ['a[href]', 'button', 'input', 'select', 'textarea', 'summary', '[tabindex="0"]'];

/** Goes through the page with the Tab key, and tells what is not reached in its place or does not show the focus. */
async function faultsOfKeyboard(page: Page): Promise<string[]> {
  const count = await page.evaluate<number>(`(() => {
    window.controls = [...document.querySelectorAll('main :is(${CONTROLS.join(', ')})')].filter(
      (control) => control.checkVisibility() && !control.disabled && control.tabIndex === 0,
    );
    window.reached = [];
    const onFocus = ({ target }) => {
      const { outlineStyle, boxShadow } = getComputedStyle(target);
      const shows = outlineStyle !== 'none' || boxShadow !== 'none';
      window.reached.push({ place: window.controls.indexOf(target), shows });
    };
    // The page before was in the same document.
    window.listening?.abort();
    window.listening = new AbortController();
    document.addEventListener('focusin', onFocus, { signal: window.listening.signal });
    document.querySelector('main h1').focus();
    window.reached.length = 0;
    return window.controls.length;
  })()`);
  for (let pressed = 0; pressed < count; pressed += 1) await page.keyboard.press('Tab');
  return page.evaluate<string[]>(`window.controls.flatMap((control, place) => {
    const found = window.reached[place];
    if (found?.place === place && found.shows) return [];
    return (found?.place === place ? 'shows no focus: ' : 'is not reached: ') + control.outerHTML;
  })`);
}

// They go through all pages, also on a busy machine.
describe('Every page', { timeout: 240_000 }, () => {
  test('has no violation that axe finds, and fits its width, light and wide as dark and narrow', async () => {
    await using opened = await open();
    const found: Record<string, string[]> = {};
    for (const path of everyPage) {
      await opened.go(path);
      for (const look of LOOKS) {
        await show(opened.page, look);
        const violations = await axeViolations(opened.page);
        const overflow = await opened.page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        if (overflow > 0) violations.push(`wider than the screen by ${overflow}`);
        if (violations.length > 0) found[`${path}, ${look.name}`] = violations;
      }
      await show(opened.page, WIDE);
    }
    expect(found).toEqual({});
    expect(opened.faults).toEqual([]);
  });

  test('is used by keyboard alone: Tab reaches every control in its order, and shows where it is', async () => {
    await using opened = await open();
    const found: Record<string, string[]> = {};
    for (const path of everyPage) {
      await opened.go(path);
      const faults = await faultsOfKeyboard(opened.page);
      if (faults.length > 0) found[path] = faults;
    }
    expect(found).toEqual({});
  });

  test.each([
    ['signed out', { signedOut: true }],
    ['waiting', { person: { access: 'waiting', onboarding: 'pending' } }],
    ['restricted', { person: { restricted: true } }],
  ] as const)('before the console has no violation that axe finds: %s', async (_, options) => {
    await using opened = await open(options);
    for (const path of ['/', '/account']) {
      await opened.go(path);
      expect(await axeViolations(opened.page)).toEqual([]);
    }
  });

  test('shows hostile names as text, and one page of ten thousand rows and of a thousand workers', async () => {
    const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}javascript:alert(3)`;
    const names = {
      key: hostile,
      project: hostile,
      organization: hostile,
      model: hostile,
      person: hostile,
      worker: hostile,
    };
    const person = { name: hostile, organization: hostile };
    await using opened = await open({ names, person, large: true });
    const tooLarge: Record<string, number> = {};
    for (const path of everyPage) {
      await opened.go(path);
      expect(await opened.page.locator('img, script:not([src])').count()).toBe(0);
      const rows = await opened.page.evaluate<number>(`document.querySelectorAll('tr, li').length`);
      if (rows > MAX_ROWS) tooLarge[path] = rows;
    }
    expect(tooLarge).toEqual({});
    expect(opened.faults).toEqual([]);
  });
});

test('All JavaScript together stays below 250 KB compressed', async () => {
  const assets = join(web, 'dist/assets');
  const scripts = (await readdir(assets)).filter((name) => name.endsWith('.js'));
  const sizes = await Promise.all(
    scripts.map(async (name) => gzipSync(await readFile(join(assets, name))).length),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
});

describe('Keys', () => {
  test('A key is created, copied once and revoked by keyboard alone', async () => {
    await using opened = await open();
    const { page } = opened;
    await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await opened.go('/');
    await page.getByRole('textbox', { name: 'Key name' }).focus();
    await page.keyboard.type('My key');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copy key' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Key copied.').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
      'sk-sluice-example-4f1c9a7be0d2',
    );
    await page.getByRole('button', { name: 'Revoke' }).first().focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(
      await page.evaluate<string>('document.activeElement.textContent'),
      'the focus is where it was',
    ).toBe('Revoke');
  });

  test('A list that is still loading is read again after a key was created', async () => {
    await using opened = await open();
    const { page } = opened;
    let readings = 0;
    await page.route('**/api/organizations/*/keys', async (route) => {
      if (route.request().method() === 'GET') readings += 1;
      // The first reading is never answered: it began before the key was created.
      if (readings !== 1 || route.request().method() !== 'GET') await route.continue();
    });
    await page.goto(`${opened.url}${own('keys')}`);
    await page.getByRole('textbox', { name: 'Key name' }).fill('My key');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Copy key' }).waitFor();
    await page
      .getByRole('row', { name: /Web shop/ })
      .first()
      .waitFor();
    expect(readings).toBeGreaterThan(1);
  });

  test('Without a project, a project is created before the first key', async () => {
    await using opened = await open({ empty: true });
    const { page } = opened;
    await opened.go(own('keys'));
    await page.getByRole('textbox', { name: 'Project name' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('While completions are refused, the page says why and leads to the budget', async () => {
    await using opened = await open({ budgetSpent: true });
    const { page } = opened;
    await opened.go(own('keys'));
    await page.getByText('The monthly budget is spent.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'To the budget' }).click();
    await page.getByRole('textbox', { name: 'Amount' }).waitFor();
  });

  test('Without the console the page says so, and tries again when asked', async () => {
    await using opened = await open();
    await opened.go(own('limits'));
    await opened.context.setOffline(true);
    await opened.page.getByText('The console cannot be reached.').waitFor();
    expect(await opened.page.getByText('You are offline.').isVisible()).toBe(true);
    await opened.context.setOffline(false);
    await opened.page.getByText('The console cannot be reached.').waitFor({ state: 'detached' });
  });
});

test('The page of usage shows the spend of this month beside the budget', async () => {
  await using opened = await open();
  await opened.go(own('usage'));
  const spend = opened.page.getByRole('region', { name: 'Spend of this month' });
  await spend.getByText('of €250.00').waitFor();
  expect(await spend.getByRole('meter').getAttribute('aria-valuenow')).toMatch(/^\d+$/);
});

test('A person downloads the own data, and erases the account only after typing its address', async () => {
  await using opened = await open({ person: { operator: false } });
  const { page } = opened;
  await opened.go(own('keys'));
  await page.getByRole('link', { name: /^Your account/ }).click();
  const download = page.getByRole('link', { name: 'Download my data' });
  const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
  expect(file.suggestedFilename()).toBe('sluice-acc-ada.json');
  await page.getByRole('button', { name: 'Erase my account' }).click();
  const dialog = page.getByRole('alertdialog');
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Erase my account' }).click();
  expect(await dialog.isVisible()).toBe(true);
  await dialog.getByRole('textbox').fill('ada@example.com');
  await dialog.getByRole('button', { name: 'Erase my account' }).click();
  await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
});

describe('Playground', () => {
  async function openPlayground(reply: (body: Record<string, unknown>) => ExampleReply) {
    const api = await startExampleApi(reply);
    const opened = await open({ apiUrl: api.url });
    await opened.go(own('playground'));
    const { page } = opened;
    return {
      api,
      page,
      opened,
      ask: async (text: string) => {
        await page.getByRole('textbox', { name: 'Message' }).fill(text);
        await page.getByRole('button', { name: 'Send' }).click();
      },
      [Symbol.asyncDispose]: async () => {
        await opened[Symbol.asyncDispose]();
        await api[Symbol.asyncDispose]();
      },
    };
  }

  test('An answer is text with its reasoning apart, whatever the model writes', async () => {
    const hostile =
      '<img src=x onerror=alert(1)> [link](javascript:alert(2)) <script>alert(3)</script>';
    await using playground = await openPlayground(() => ({
      reasoning: `Thinking ${hostile}`,
      content: `Answer ${hostile}`,
    }));
    const { page, opened } = playground;
    await playground.ask('Hello');
    await page.getByText('First token').waitFor();
    const answer = page.locator('.turn.answer');
    expect(await answer.locator('.answer-text').innerText()).toBe(`Answer ${hostile}`);
    expect(await answer.locator('.reasoning p').isVisible()).toBe(false);
    await answer.getByText('Reasoning', { exact: true }).first().click();
    expect(await answer.locator('.reasoning p').isVisible()).toBe(true);
    expect(await answer.locator('img, script, a[href^="javascript"]').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    expect(opened.faults).toEqual([]);
  });

  test('Nothing of the conversation is stored in the browser', async () => {
    await using playground = await openPlayground(() => ({ content: 'secret answer' }));
    await playground.ask('secret question');
    await playground.page.getByText('secret answer').waitFor();
    const stored = await playground.page.evaluate<unknown>(`(async () => [
      ...Object.values(localStorage),
      ...Object.values(sessionStorage),
      document.cookie,
      ...(await indexedDB.databases()).map(({ name }) => name),
    ])()`);
    expect(JSON.stringify(stored)).not.toContain('secret');
  });

  test('A function call is answered by hand, and the conversation goes on', async () => {
    const call = { name: 'get_weather', arguments: '{"city":"Bern"}' };
    await using playground = await openPlayground(({ messages }) =>
      (messages as unknown[]).length === 1
        ? { reasoning: 'Ask.', toolCall: call }
        : { content: 'Sunny.' },
    );
    const { page, api } = playground;
    await playground.ask('Weather?');
    await page.getByRole('textbox', { name: 'Result of get_weather' }).fill('21 degrees');
    await page.getByRole('button', { name: 'Send result' }).click();
    await page.getByText('Sunny.').waitFor();
    expect(api.requests[1]?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', reasoning_content: 'Ask.', tool_calls: [{ id: 'call_1' }] },
      { role: 'tool', tool_call_id: 'call_1', content: '21 degrees' },
    ]);
  });

  test('Stop ends the request itself', async () => {
    await using playground = await openPlayground(() => ({ content: 'On and on', endless: true }));
    await playground.ask('Go');
    await playground.page.getByText('On and on').waitFor();
    await playground.page.getByRole('button', { name: 'Stop' }).click();
    await playground.page.getByText('Stopped.', { exact: true }).waitFor();
    await expect.poll(playground.api.abandoned).toBe(1);
  });

  test('An error of a runtime is shown as text with its code and a link to its page', async () => {
    const message = '<img src=x onerror=alert(1)> broke';
    await using playground = await openPlayground(() => ({
      error: { status: 503, code: 'infrastructure_rate_limit_exceeded', message },
    }));
    const { page, opened } = playground;
    await playground.ask('Hello');
    await page.getByText(message).waitFor();
    await page.getByRole('link', { name: 'What this error means' }).click();
    await page.getByText('No worker has room for the model.').first().waitFor();
    expect(opened.faults.filter((fault) => !fault.includes('503'))).toEqual([]);
  });

  test('A schema that is not JSON is named as the problem, and nothing can be sent with it', async () => {
    await using playground = await openPlayground(() => ({ content: '{"city":1}' }));
    const { page } = playground;
    await page.getByText('Response format').click();
    await page.getByRole('combobox', { name: 'response_format' }).selectOption('json_schema');
    const schema = page.getByRole('textbox', { name: 'JSON schema' });
    await schema.fill('{');
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await schema.fill('{"type":"object","properties":{"city":{"type":"string"}}}');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Does not match the schema').waitFor();
  });
});
