// oxlint-disable vitest/no-standalone-expect -- rows of a table, which run inside of tests
import { expect } from 'vitest';
import { completionHead } from '../completion-request.ts';
import type { Case, CaseGroup } from './case.ts';
import { ALL_TRIOS, expectError, rateLimitNames } from './expectations.ts';
import { PLAIN_REQUEST, SHORT, type World } from './world.ts';

const BODY = JSON.stringify(PLAIN_REQUEST);
const NOT_JSON = { status: 400, type: 'invalid_request_error', code: null, param: null } as const;
const TOO_MUCH = { status: 400, type: 'invalid_request_error', code: 'invalid_value' } as const;

function deep(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}

function notJson(title: string, body: string | Uint8Array<ArrayBuffer>): Case {
  return {
    title: `${title} is not JSON`,
    proves: ['D19', 'D38'],
    run: async (world) => {
      await expectError(await world.send(body), NOT_JSON);
    },
  };
}

const json: Case[] = [
  notJson('an empty body', ''),
  notJson('a word', 'hello'),
  notJson('half an object', BODY.slice(0, -1)),
  notJson('two objects', `${BODY}${BODY}`),
  notJson('a trailing comma', '{"model": "x",}'),
  notJson('single quotes', "{'model': 'x'}"),
  notJson('NaN', '{"temperature": NaN}'),
  notJson('a comment', `/* hi */ ${BODY}`),
  notJson('a byte order mark', `\uFEFF${BODY}`),
  notJson('bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  notJson('UTF-16', new Uint8Array(Buffer.from(BODY, 'utf16le'))),
  notJson('an overlong encoding', new Uint8Array([0x22, 0xc0, 0xaf, 0x22])),
  notJson('a lone surrogate in UTF-8', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])),
  notJson('a NUL', new Uint8Array([0])),
  ...['null', '[]', '"text"', '7', 'true', `["sekret",${deep(65)}]`].map((body): Case => ({
    title: `${body.slice(0, 16)} is not a request`,
    proves: ['D15', 'D38'],
    run: async (world) => {
      await expectError(await world.send(body), {
        status: 400,
        type: 'invalid_request_error',
        code: 'missing_required_parameter',
        param: 'model',
      });
    },
  })),
  {
    title: 'of duplicate keys the last wins',
    proves: ['D20'],
    run: async (world) => {
      const good = BODY.replace('{', '{"temperature": 9, "temperature": 1, ');
      expect((await world.send(good)).status).toBe(200);
      const bad = BODY.replace('{', '{"temperature": 1, "temperature": 9, ');
      expect((await world.send(bad)).status).toBe(400);
    },
  },
];

const bounds: Case[] = [
  ...([65, 1_000, 100_000] as const).map((depth): Case => ({
    title: `${depth} levels are too many`,
    proves: ['D37', 'D38'],
    run: async (world) => {
      const body = BODY.replace('{', `{"tools": ${deep(depth)}, `);
      await expectError(await world.send(body), { ...TOO_MUCH, param: 'tools' });
    },
  })),
  {
    title: '100,000 levels without an end are not JSON',
    proves: ['D8', 'D19', 'D38'],
    run: async (world) => {
      await expectError(await world.send('['.repeat(100_000)), NOT_JSON);
    },
  },
  {
    title: 'an unlisted parameter is reported before too many levels',
    proves: ['D17', 'D37'],
    run: async (world) => {
      const body = BODY.replace('{', `{"tools": ${deep(65)}, "user": 1, `);
      const unlisted = { ...TOO_MUCH, code: 'unsupported_parameter', param: 'user' } as const;
      await expectError(await world.send(body), unlisted);
    },
  },
  {
    title: '64 levels are not too many',
    proves: ['D37'],
    run: async (world) => {
      // The body, `tools`, the tool, its function and its parameters are five levels.
      let nested: unknown = true;
      for (let level = 0; level < 59; level += 1) nested = { a: nested };
      const tools = [{ type: 'function', function: { name: 'f', parameters: nested } }];
      const reply = await world.complete({ tools });
      expect({ status: reply.status, body: await reply.text() }).toMatchObject({ status: 200 });
    },
  },
  ...([10_001, 60_000] as const).map((count): Case => ({
    title: `${count} messages are too many`,
    proves: ['D37', 'D38'],
    run: async (world) => {
      const messages = Array.from({ length: count }, () => ({ role: 'user', content: 'x' }));
      await expectError(await world.complete({ messages }), { ...TOO_MUCH, param: 'messages' });
    },
  })),
  {
    title: '200,000 messages in as few bytes as possible are refused',
    proves: ['D37', 'D38'],
    run: async (world) => {
      const body = `{"model": "x", "messages": [${'{},'.repeat(199_999)}{}]}`;
      expect((await world.send(body)).status).toBe(400);
    },
  },
  {
    title: 'a body beyond the limit is refused',
    proves: ['I98', 'D37', 'D9'],
    run: async (world) => {
      const reply = await world.send(`{"model": "${'x'.repeat(4_194_304)}"}`);
      await expectError(reply, {
        status: 413,
        type: 'invalid_request_error',
        code: 'request_too_large',
        param: null,
      });
      expect(rateLimitNames(reply)).toContain('x-ratelimit-remaining-requests');
    },
  },
  {
    title: 'a body near the limit reaches the runtime',
    proves: ['D37', 'D38'],
    run: async (world) => {
      const filler = 'word '.repeat(700_000);
      const messages = [
        { role: 'user', content: filler },
        { role: 'user', content: SHORT },
      ];
      const reply = await world.complete({ messages, model: 'suite/bare' });
      // The prompt exceeds the context of the runtime. Nothing else refuses the body.
      expect([reply.status, (await reply.text()).includes('context_length_exceeded')]).toEqual([
        400,
        true,
      ]);
    },
  },
];

const LIMITS = {
  requests_per_minute: 1_000,
  requests_per_day: 9_999,
  tokens_per_minute: 99_999,
  tokens_per_day: 999_999,
};

async function post(
  world: World,
  headers: Record<string, string>,
  credential?: string,
): Promise<Response> {
  return world.request('/chat/completions', {
    method: 'POST',
    body: new Uint8Array(Buffer.from(BODY)),
    headers,
    ...(credential === undefined ? {} : { credential }),
  });
}

const mediaTypes: Case[] = [
  ...(
    [
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'APPLICATION/JSON',
      'application/json; charset="utf-8"; x=y',
      'application/json; profile=a',
    ] as const
  ).map((type): Case => ({
    title: `${type} declares JSON`,
    proves: ['I78', 'D18'],
    run: async (world) => {
      const reply = await post(world, { 'content-type': type });
      expect(reply.status).toBe(200);
      await reply.text();
    },
  })),
  ...(
    [
      undefined,
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/ld+json',
      'application/jsonx',
      'json',
      'application/json; charset=utf-16',
      'application/json; charset=iso-8859-1',
      '*/*',
    ] as const
  ).map((type): Case => ({
    title: `${type ?? 'nothing'} does not declare JSON`,
    proves: ['I78', 'I99', 'D18', 'I65'],
    run: async (world) => {
      const { key } = await world.tenant({ plan: { limits: LIMITS } });
      const reply = await post(world, type === undefined ? {} : { 'content-type': type }, key);
      await expectError(reply, {
        status: 415,
        type: 'invalid_request_error',
        code: 'unsupported_media_type',
        param: null,
      });
      expect(rateLimitNames(reply)).toEqual(ALL_TRIOS);
    },
  })),
  ...['gzip', 'br', 'identity'].map((encoding): Case => ({
    title: `Content-Encoding: ${encoding} is not supported`,
    proves: ['D18', 'I99'],
    run: async (world) => {
      const reply = await post(world, {
        'content-type': 'application/json',
        'content-encoding': encoding,
      });
      expect(reply.status).toBe(415);
      await reply.text();
    },
  })),
  {
    title:
      'the media type comes before the size, the size before the JSON, the JSON before the model',
    proves: ['D8'],
    run: async (world) => {
      const large = 'x'.repeat(4_194_305);
      const asText = await world.request('/chat/completions', {
        method: 'POST',
        body: large,
        headers: { 'content-type': 'text/plain' },
      });
      expect(asText.status).toBe(415);
      expect((await world.send(large)).status).toBe(413);
      expect((await world.send('{"model": "nobody"')).status).toBe(400);
      expect((await world.complete({ model: 'nobody', temperature: 9 })).status).toBe(400);
      expect((await world.complete({ model: 'nobody', max_tokens: 10_000_000 })).status).toBe(404);
    },
  },
];

const transfer: Case[] = [
  {
    title: 'a body in chunks of one byte is read',
    proves: ['D38'],
    run: async (world) => {
      await using client = await world.raw();
      client.send(completionHead(world.stack.apiKey, 'transfer-encoding: chunked'));
      for (const byte of Buffer.from(BODY)) client.send('1\r\n', Buffer.from([byte]), '\r\n');
      client.send('0\r\n\r\n');
      expect((await client.reply()).status).toBe(200);
    },
  },
  {
    title: 'a client that expects 100-continue is asked for its body',
    proves: ['D38'],
    run: async (world) => {
      await using client = await world.raw();
      client.send(
        completionHead(
          world.stack.apiKey,
          'expect: 100-continue',
          `content-length: ${BODY.length}`,
        ),
      );
      await client.waitFor('HTTP/1.1 100 Continue');
      client.send(BODY);
      expect(await client.waitFor('"chat.completion"')).toContain('HTTP/1.1 200 OK');
    },
  },
  {
    title: 'a client that expects 100-continue without a credential is not asked for its body',
    proves: ['D3'],
    run: async (world) => {
      await using client = await world.raw();
      client.send(
        'POST /compat/v1/chat/completions HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n',
      );
      expect((await client.reply()).status).toBe(401);
    },
  },
  {
    title: 'a broken chunk is a 400',
    proves: ['D1', 'D38'],
    run: async (world) => {
      await using client = await world.raw();
      client.send(completionHead(world.stack.apiKey, 'transfer-encoding: chunked'), 'nonsense\r\n');
      expect((await client.reply()).status).toBe(400);
    },
  },
  {
    title: 'requests sent one after another without waiting are answered in order',
    proves: ['D38'],
    run: async (world) => {
      await using client = await world.raw();
      const one = completionHead(world.stack.apiKey, `content-length: ${BODY.length}`) + BODY;
      client.send(one, one, one);
      await expect.poll(() => client.received.split('"chat.completion"').length - 1).toBe(3);
    },
  },
];

export const bodyCases: CaseGroup[] = [
  { section: 'JSON', cases: json },
  { section: 'bounds of bodies', cases: bounds },
  { section: 'media types', cases: mediaTypes },
  { section: 'how bodies travel', cases: transfer },
];
