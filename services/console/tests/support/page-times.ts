import type { BrowserContext, Page } from 'playwright-core';

/** A page, and what has to be there before a person can use it. */
interface MeasuredPage {
  readonly name: string;
  readonly path: string;
  readonly usable: string;
}

const ROW = 'main tbody tr';
const FIELD = 'main input:enabled, main textarea:enabled';

export function measuredPages(organization: string, model: string): MeasuredPage[] {
  const own = (page: string): string => `/o/${organization}/${page}`;
  return [
    { name: 'Keys', path: own('keys'), usable: ROW },
    { name: 'Playground', path: own('playground'), usable: 'main textarea:enabled' },
    { name: 'Usage', path: own('usage'), usable: 'main .chart svg rect' },
    { name: 'Limits', path: own('limits'), usable: 'main .limit .figure' },
    { name: 'Requests', path: own('requests'), usable: ROW },
    { name: 'One request', path: own('requests/bench-request-0'), usable: 'main dl dd' },
    { name: 'Members', path: own('members'), usable: ROW },
    { name: 'Projects', path: own('projects'), usable: ROW },
    { name: 'Settings', path: own('settings'), usable: FIELD },
    { name: 'Fleet', path: '/platform/fleet', usable: ROW },
    { name: 'Models', path: '/platform/models', usable: ROW },
    {
      name: 'One model',
      path: `/platform/models/${encodeURIComponent(model)}`,
      usable: 'main textarea:enabled',
    },
    { name: 'Plans', path: '/platform/plans', usable: ROW },
    { name: 'Organizations', path: '/platform/organizations', usable: ROW },
    { name: 'Accounts', path: '/platform/accounts', usable: ROW },
    { name: 'Audit log', path: '/platform/audit', usable: 'main .audit li' },
    { name: 'Your account', path: '/account', usable: 'main .card dd' },
    { name: 'Errors', path: '/errors/rate_limit_exceeded', usable: ROW },
  ];
}

/** Milliseconds from the navigation until the page shows its data and has drawn a frame after it. */
export async function timeToUsable(
  page: Page,
  { url, usable }: { readonly url: string; readonly usable: string },
): Promise<number> {
  const startedAt = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(usable).first().waitFor();
  await page.locator('main h1').waitFor();
  await page.locator('main .loading').first().waitFor({ state: 'detached' });
  // A frame is drawn only when the scripts of the page have let go of the main thread.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => drawn(null)))');
  return performance.now() - startedAt;
}

/** The scripts of this page, with their sizes as they were sent. */
export function scriptSizes(page: Page): Promise<Record<string, number>> {
  return page.evaluate<Record<string, number>>(
    `Object.fromEntries(
      performance.getEntriesByType('resource')
        .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
        .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize]),
    )`,
  );
}

/** A search in the list of a page: from the last letter until only what was found is shown. */
export async function timeToFind(
  context: BrowserContext,
  search: {
    readonly url: string;
    readonly field: string;
    readonly text: string;
  },
): Promise<number> {
  const page = await context.newPage();
  await timeToUsable(page, { url: search.url, usable: ROW });
  const startedAt = performance.now();
  await page.getByRole('searchbox', { name: search.field }).fill(search.text);
  await page.locator(`${ROW}:only-child`).waitFor();
  const took = performance.now() - startedAt;
  await page.close();
  return took;
}
