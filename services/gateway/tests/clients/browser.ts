import { cannotRun, waitUntil } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { Chromium, findChromium } from './chromium.ts';
import { stack } from './client-stack.ts';
import { PageServer } from './page-server.ts';

const program = findChromium(process.env);
const missing = program === undefined ? 'there is no Chromium on the PATH' : undefined;

describe.skipIf(cannotRun('the openai package in a browser', missing))(
  'a page of another origin',
  () => {
    test('reads replies, streams, ids and rate-limit headers by the openai package', async () => {
      const { apiRoot, apiKey } = stack();
      await using pages = await PageServer.start({ apiRoot, apiKey });
      await using browser = await Chromium.open(program ?? '', pages.url);
      await waitUntil(() => pages.report !== undefined || !browser.running, {
        what: 'the page to report',
        timeoutMs: 45_000,
      });
      if (pages.report === undefined) throw new Error(`the browser ended: ${browser.stderr}`);
      expect(pages.report).toEqual({
        whole: 'Hello, page.',
        streamed: 'Hello, page.',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        remaining: expect.stringMatching(/^\d+$/) as string,
        retention: 'zero',
        refusal: {
          status: 404,
          code: 'model_not_found',
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        },
        crossOrigin: true,
      });
    });
  },
);
