import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exampleAnswers, plainNames } from './example-answers.ts';
import { openBrowser } from './open-browser.ts';
import { startExampleApi } from './start-example-api.ts';
import { type Person, startExampleConsole } from './start-example-console.ts';

/**
 * Takes a picture of every page, in light and in dark, at a wide and a narrow width. With `--docs`, it takes only the
 * pictures that the documentation shows, in light and wide.
 *
 *   node services/console/tests/support/take-screenshots-program.ts [--out FOLDER] [--only PAGE] [--docs]
 */
const { values } = parseArgs({
  options: { out: { type: 'string' }, only: { type: 'string' }, docs: { type: 'boolean' } },
});
const root = join(import.meta.dirname, '../../../..');
const folder =
  values.out ?? join(root, values.docs === true ? 'docs/images/console' : '.tools/screenshots');
const now = Date.now();
const options = { names: plainNames, pageRows: 8, total: 40, workers: 12, empty: false, now };
const owner: Person = {
  name: plainNames.person,
  access: 'granted',
  onboarding: 'complete',
  restricted: false,
  operator: true,
  role: 'owner',
  organization: plainNames.organization,
};

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly person?: Partial<Person>;
  readonly empty?: true;
  readonly signedOut?: true;
  readonly docs?: true;
  /** Sent in the playground before the picture is taken. */
  readonly message?: string;
}
const own = (page: string): string => `/o/org-0/${page}`;
const shots: readonly Shot[] = [
  { name: 'sign-in', path: '/', signedOut: true },
  { name: 'sign-in-failed', path: '/signed-out?error=sign_in_failed', signedOut: true },
  { name: 'welcome', path: '/', person: { access: 'waiting', onboarding: 'pending' } },
  { name: 'waiting', path: '/', person: { access: 'waiting' } },
  { name: 'restricted', path: '/', person: { restricted: true } },
  { name: 'invitation', path: '/invitation#token' },
  { name: 'keys', path: own('keys'), docs: true },
  { name: 'keys-empty', path: own('keys'), empty: true },
  { name: 'playground', path: own('playground') },
  {
    name: 'playground-answer',
    path: own('playground'),
    message: 'Explain how a canal lock works.',
    docs: true,
  },
  { name: 'usage', path: own('usage'), docs: true },
  { name: 'usage-empty', path: own('usage'), empty: true },
  { name: 'limits', path: own('limits') },
  { name: 'requests', path: own('requests') },
  { name: 'request', path: own('requests/req_000004'), docs: true },
  { name: 'members', path: own('members') },
  { name: 'projects', path: own('projects') },
  { name: 'settings', path: own('settings') },
  { name: 'fleet', path: '/platform/fleet', docs: true },
  { name: 'fleet-empty', path: '/platform/fleet', empty: true },
  { name: 'models', path: '/platform/models' },
  { name: 'plans', path: '/platform/plans' },
  { name: 'organizations', path: '/platform/organizations' },
  { name: 'model', path: `/platform/models/${encodeURIComponent(plainNames.model)}` },
  { name: 'accounts', path: '/platform/accounts' },
  { name: 'audit', path: '/platform/audit' },
  { name: 'account', path: '/account', person: { operator: false } },
  { name: 'account-waiting', path: '/account', person: { access: 'waiting' } },
  { name: 'errors', path: '/errors/rate_limit_exceeded' },
  { name: 'not-found', path: '/nothing/here' },
];

await mkdir(folder, { recursive: true });
await using api = await startExampleApi(() => ({
  reasoning: 'The reader wants the principle, so two or three sentences are enough.',
  content:
    'A canal lock is a chamber with a gate at each end. A boat enters, the gates close, and the water is let in or out until its level is that of the next stretch of canal. Then the other gate opens.',
}));
await using browser = {
  opened: await openBrowser(),
  [Symbol.asyncDispose]: () => browser.opened.close(),
};
for (const shot of shots) {
  if (values.only !== undefined && values.only !== shot.name) continue;
  if (values.docs === true && shot.docs !== true) continue;
  await using example = await startExampleConsole({
    answers: exampleAnswers({ ...options, empty: shot.empty === true }),
    person: { ...owner, ...shot.person },
    apiUrl: api.url,
  });
  for (const colorScheme of values.docs === true
    ? (['light'] as const)
    : (['light', 'dark'] as const)) {
    for (const width of values.docs === true ? [1_440] : [1_440, 360]) {
      const context = await browser.opened.newContext({
        colorScheme,
        viewport: { width, height: width === 360 ? 780 : 900 },
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
      });
      if (shot.signedOut !== true) await context.addCookies([example.cookie]);
      const page = await context.newPage();
      await page.goto(`${example.url}${shot.path}`, { waitUntil: 'load' });
      await page.locator('h1').first().waitFor();
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      if (shot.message !== undefined) {
        await page.getByRole('textbox', { name: 'Message' }).fill(shot.message);
        await page.getByRole('button', { name: 'Send' }).click();
        await page.getByText('First token').waitFor();
      }
      const name = values.docs === true ? shot.name : `${shot.name}-${width}-${colorScheme}`;
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: values.docs !== true });
      await context.close();
    }
  }
}
