import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestStack } from '@sluice/testkit';

const MAIN = join(import.meta.dirname, '../../../packages/cli/src/main.ts');

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** What it reads from standard input. */
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends it at once, wherever it is. */
  readonly killOn?: AbortSignal;
}

/** Runs the command in a process of its own, as an operator does. */
export async function sluice(
  parameters: readonly string[],
  { input = '', environment = {}, killOn }: CommandOptions = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [MAIN, ...parameters], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = Promise.withResolvers<number | null>();
  child.once('close', ended.resolve);
  child.once('error', ended.reject);
  killOn?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  // One that refuses its options does not read to the end.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code, stdout, stderr] = await Promise.all([
    ended.promise,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}

/** The command for one running stack. */
export class StackCommand {
  readonly #stack: Pick<TestStack, 'state'>;

  constructor(stack: Pick<TestStack, 'state'>) {
    this.#stack = stack;
  }

  run(...parameters: readonly string[]): Promise<CommandResult> {
    return sluice([...parameters, '--state', this.#stack.state]);
  }

  /** Rejects with what it said when it fails. */
  async json(...parameters: readonly string[]): Promise<unknown> {
    return parsed(await this.run(...parameters, '--json'), parameters);
  }

  /** Gives every change that was made. */
  async apply(resources: object): Promise<unknown> {
    const parameters = ['apply', '-f', '-', '--json', '--state', this.#stack.state];
    return parsed(await sluice(parameters, { input: JSON.stringify(resources) }), parameters);
  }

  async createKey(
    project: string,
    ...options: readonly string[]
  ): Promise<{ id: string; key: string }> {
    return (await this.json('keys', 'create', '--project', project, ...options)) as {
      id: string;
      key: string;
    };
  }

  async playgroundToken(project: string): Promise<string> {
    const { token } = (await this.json('playground', 'token', '--project', project)) as {
      token: string;
    };
    return token;
  }
}

function parsed({ code, stdout, stderr }: CommandResult, parameters: readonly string[]): unknown {
  if (code !== 0) throw new Error(`sluice ${parameters.join(' ')}: ${String(code)} ${stderr}`);
  return JSON.parse(stdout);
}
