import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { commands, runCommandLine } from '@sluice/cli';
import type { TestStack } from '@sluice/devkit';

const MAIN = join(import.meta.dirname, '../../../packages/cli/src/main.ts');

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Runs the command in this process. This takes milliseconds; a process of its own takes a second. */
export async function sluice(
  parameters: readonly string[],
  environment: Environment = {},
): Promise<CommandResult> {
  const printed = { stdout: '', stderr: '' };
  const code = await runCommandLine(parameters, {
    commands,
    environment: { ...process.env, ...environment },
    folder: process.cwd(),
    print: (line) => {
      printed.stdout += `${line}\n`;
    },
    printError: (line) => {
      printed.stderr += `${line}\n`;
    },
  });
  return { code, ...printed };
}

/** Applies a file with this content. */
export async function sluiceApply(
  content: string,
  options: readonly string[],
  environment: Environment = {},
): Promise<CommandResult> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-apply-'));
  try {
    const file = join(folder, 'sluice.yaml');
    await writeFile(file, content);
    return await sluice(['apply', '-f', file, ...options], environment);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs the command in a process of its own, and kills the process when the signal is aborted. */
export async function killableSluice(
  parameters: readonly string[],
  options: { input: string; environment: Environment; killOn: AbortSignal },
): Promise<CommandResult> {
  const { input, environment, killOn } = options;
  const child = spawn(process.execPath, [MAIN, ...parameters], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = Promise.withResolvers<number | null>();
  child.once('close', ended.resolve);
  child.once('error', ended.reject);
  killOn.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  // A command that refuses its options does not read its input to the end.
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

  /** Rejects with the output if the command fails. */
  async json(...parameters: readonly string[]): Promise<unknown> {
    return parsed(await this.run(...parameters, '--json'), parameters);
  }

  /** Returns all changes that were made. */
  async apply(resources: object): Promise<unknown> {
    const options = ['--json', '--state', this.#stack.state];
    return parsed(await sluiceApply(JSON.stringify(resources), options), ['apply', ...options]);
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
