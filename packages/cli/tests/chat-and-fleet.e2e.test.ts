import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { useLeakCheck, useStack, waitUntil } from '@sluice/devkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { commands } from '../src/commands/index.ts';
import { runCommandLine } from '../src/run-command-line.ts';
import { sluice } from './run-sluice.ts';

useLeakCheck({ timeoutMs: 10_000 });

const stack = useStack({ environment: { SUBJECT_PREFIX: 'another.prefix' } });

/** Runs an interactive command. */
function converse(
  parameters: readonly string[],
  { interactive = false, place = ['--state', stack().state] } = {},
) {
  const input = new PassThrough();
  const said = { output: '', errors: '', failure: '' };
  const interrupts = new Set<() => void>();
  const collect = (into: 'output' | 'errors') =>
    new PassThrough().setEncoding('utf8').on('data', (text: string) => {
      said[into] += text;
    });
  const ended = runCommandLine([...parameters, ...place], {
    commands,
    environment: {},
    folder: process.cwd(),
    screen: { columns: interactive ? 200 : undefined, colour: interactive },
    print: (text) => {
      said.output += `${text}\n`;
    },
    printError: (text) => {
      said.failure += `${text}\n`;
    },
    terminal: {
      input,
      output: collect('output'),
      errors: collect('errors'),
      interactive,
      onInterrupt: (listener) => {
        interrupts.add(listener);
        return () => void interrupts.delete(listener);
      },
    },
  });
  onTestFinished(async () => {
    input.end();
    await ended;
  });
  return {
    said,
    ended,
    write: (line: string) => void input.write(`${line}\n`),
    end: () => void input.end(),
    interrupt: () => {
      for (const listener of interrupts) listener();
    },
    until: (pattern: RegExp) =>
      waitUntil(() => pattern.test(said.output + said.errors), { what: String(pattern) }),
  };
}

const chat = ['chat', '--project', 'demo'];

describe('a chat', () => {
  test('whose lines are piped in writes only answers to standard output', async () => {
    const talk = converse([...chat, '--model', 'sluice-demo']);
    talk.write('@sim {"text": "First answer.", "reasoning": 4}');
    talk.write('');
    talk.write('@sim {"text": "Second answer."}');
    talk.end();
    expect(await talk.ended).toBe(0);
    expect(talk.said.output).toBe('First answer.\nSecond answer.\n');
    const costs = [
      ...talk.said.errors.matchAll(
        /\[(?<input>\d+) tokens in.* · \d+ out.* · \d+ requests and \d+ tokens left this minute\]/g,
      ),
    ].map(({ groups }) => Number(groups?.['input']));
    expect(costs).toHaveLength(2);
    // The second turn includes the messages of the first.
    expect(costs[1]).toBeGreaterThan(costs[0] ?? Infinity);
    expect(talk.said.failure).toBe('');
  });

  test('works with a remote address that ends with a slash', async () => {
    const { apiRoot, adminAddress, adminToken } = stack();
    const place = ['--url', `${apiRoot}/`, '--address', adminAddress, '--token', adminToken];
    const talk = converse(chat, { place });
    talk.write('@sim {"text": "From afar."}');
    talk.end();
    expect([await talk.ended, talk.said.failure]).toEqual([0, '']);
    expect(talk.said.output).toBe('From afar.\n');
  });

  test('with a strict model sends its reasoning back', async () => {
    const talk = converse([...chat, '--model', 'sluice-strict']);
    talk.write('@sim {"text": "One."}');
    talk.write('@sim {"text": "Two."}');
    talk.end();
    expect(await talk.ended).toBe(0);
    expect(talk.said.output).toBe('One.\nTwo.\n');
  });

  test('shows calls of tools and passes on their results', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-tools-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const tools = join(folder, 'tools.json');
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    await writeFile(
      tools,
      JSON.stringify([{ type: 'function', function: { name: 'weather', parameters } }]),
    );
    const talk = converse([...chat, '--tools', tools]);
    const steering = { tool: 'weather', arguments: '{"city":"Oslo"}' };
    talk.write(`@sim ${JSON.stringify(steering)}`);
    talk.write('rain');
    talk.end();
    expect(await talk.ended).toBe(0);
    expect(talk.said.errors).toContain('→ weather({"city":"Oslo"})');
    expect(talk.said.errors.match(/tokens in/g)).toHaveLength(2);
    expect(talk.said.output.trim()).not.toBe('');
  });

  test('Ctrl-C stops an answer, and the next Ctrl-C ends the chat', async () => {
    const talk = converse([...chat, '--model', 'sluice-demo'], { interactive: true });
    await talk.until(/> /);
    talk.write('@sim {"tokens": 2000, "itl_ms": 20}');
    await talk.until(/\[2m\S+/);
    talk.interrupt();
    await talk.until(/\(stopped; this turn is forgotten\)/);
    talk.write('@sim {"text": "Here again."}');
    // The echoed input and the answer.
    await talk.until(/Here again\.[^]*Here again\./);
    await talk.until(/left this minute\]/);
    talk.interrupt();
    expect(await talk.ended).toBe(0);
  });

  test('shows refusals, and exits with 1 if a turn had no answer', async () => {
    const talk = converse([...chat, '--model', 'nowhere']);
    talk.write('Hello');
    talk.end();
    expect(await talk.ended).toBe(1);
    expect(talk.said.output).toBe('');
    expect(talk.said.errors).toMatch(/model.* \(404\)\n$/);
  });
});

const Fleet = z.object({
  workers: z.array(
    z.object({
      worker: z.string(),
      pool: z.string(),
      state: z.string(),
      models: z.array(z.string()),
      running: z.int(),
      tokens_per_second: z.number().nullable(),
      runtime_load: z.object({ running: z.int(), waiting: z.int() }).nullable(),
    }),
  ),
});

describe('the fleet', () => {
  test('is shown with its current load', async () => {
    const leaving = new AbortController();
    const busy = await fetch(`${stack().apiRoot}/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stack().apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        model: 'sluice-demo',
        stream: true,
        messages: [{ role: 'user', content: '@sim {"tokens": 5000, "itl_ms": 10}' }],
      }),
      signal: leaving.signal,
    });
    const { code, stdout } = await sluice(['fleet', '--once', '--json', '--state', stack().state]);
    leaving.abort();
    await busy.body?.cancel().catch(() => undefined);
    expect(code).toBe(0);
    const { workers } = Fleet.parse(JSON.parse(stdout));
    expect(workers).toMatchObject([
      {
        pool: 'default',
        state: 'ready',
        running: 1,
        // The worker reads the load less often than it sends heartbeats, so this request may be missing.
        runtime_load: { waiting: 0 },
        models: expect.arrayContaining(['sluice-demo']) as [],
      },
    ]);
    expect(workers[0]?.tokens_per_second).toBeGreaterThan(5);
  });

  test('is a table for people, printed once without a terminal', async () => {
    const { code, stdout } = await sluice(['fleet', '--state', stack().state]);
    expect(stdout).toMatch(
      /^WORKER +POOL +STATE +MODELS +RUNNING +SLOTS +QUEUED +TOKENS\/S +RUNTIME +CACHE\n\S+ +default +ready +sluice-demo .* \d+\+\d+ +\d+%\n/,
    );
    expect(code).toBe(0);
  });

  test('says on which machine a worker is', async () => {
    const { code, stdout } = await sluice(['fleet', 'worker-1', '--state', stack().state]);
    expect(stdout).toMatch(/^name: worker-1$/m);
    expect(stdout).toMatch(/^host: \S+$/m);
    expect(stdout).toMatch(/^runtime: \S+$/m);
    expect(code).toBe(0);
  });

  test('is shown until Ctrl-C on a terminal', async () => {
    const watching = converse(['fleet'], { interactive: true });
    await watching.until(/ready[^]*ready/);
    watching.interrupt();
    expect(await watching.ended).toBe(0);
  });

  test('is found under the subject prefix of the stack', async () => {
    const command = ['fleet', '--once', '--json', '--state', stack().state];
    const { stdout } = await sluice(command, { SUBJECT_PREFIX: 'that.of.others' });
    expect(Fleet.parse(JSON.parse(stdout)).workers).toHaveLength(1);
    const { stdout: none } = await sluice([...command, '--prefix', 'asked.for']);
    expect(Fleet.parse(JSON.parse(none)).workers).toHaveLength(0);
  });

  test('is no longer shown when the output cannot be written', async () => {
    await using output = await open('/dev/null', 'r');
    const command = ['packages/cli/src/main.ts', 'fleet', '--json', '--state', stack().state];
    const { status, stderr } = spawnSync(process.execPath, command, {
      stdio: ['ignore', output.fd, 'pipe'],
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(stderr).toBe('sluice: the output cannot be written (EBADF)\n');
    expect(status).toBe(1);
  });

  test('without NATS is an error that names the address', async () => {
    const { code, stderr } = await sluice(['fleet', '--once', '--nats', 'nats://127.0.0.1:9']);
    expect(stderr).toBe('sluice fleet: NATS at nats://127.0.0.1:9 does not answer\n');
    expect(code).toBe(1);
  });
});
