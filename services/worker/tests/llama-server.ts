import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTinyGguf } from './tiny-gguf.ts';

const program = process.env['SLUICE_LLAMA_SERVER'] ?? '';

/** Why the tests are skipped; undefined if a server is installed. */
export const missingLlamaServer =
  program === ''
    ? (process.env['SLUICE_LLAMA_SERVER_MISSING'] ??
      'SLUICE_LLAMA_SERVER names no llama.cpp server')
    : undefined;

/** The name of its model. */
export const LLAMA_MODEL = 'tiny';

export interface LlamaServer extends AsyncDisposable {
  readonly url: string;
}

export interface LlamaServerOptions {
  /** Tokens in each of its two slots. */
  readonly context: number;
  /** Replaces the chat template of the model's file. */
  readonly chatTemplate?: string;
}

/** Starts a real llama.cpp server with a model of some kilobytes. The server may still be loading the model. */
export async function startLlamaServer({
  context,
  chatTemplate,
}: LlamaServerOptions): Promise<LlamaServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-llama-'));
  const file = join(folder, 'tiny.gguf');
  await writeTinyGguf(file, context);
  const port = await freePort();
  const place = ['-m', file, '--alias', LLAMA_MODEL, '--host', '127.0.0.1', '--port', String(port)];
  const size = ['-c', String(2 * context), '-np', '2', '-t', '1'];
  const template: string[] = [];
  if (chatTemplate !== undefined) {
    const templateFile = join(folder, 'template.jinja');
    await writeFile(templateFile, chatTemplate);
    template.push('--chat-template-file', templateFile);
  }
  const server = spawn(
    program,
    [...place, ...size, '--jinja', '--slots', '--metrics', ...template],
    { stdio: 'ignore' },
  );
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
