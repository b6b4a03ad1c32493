import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './repository.ts';

const run = promisify(execFile);

/** A Docker engine may be installed and never answer. */
const ANSWER_MS = 10_000;
/** A missing image must be fetched. Without a network, this would take minutes to fail. */
const FETCH_MS = 90_000;

/** Why the images cannot be built and run on this machine, or undefined if they can. */
export async function composeMissing(images: readonly string[]): Promise<string | undefined> {
  try {
    await run('docker', ['version'], { timeout: ANSWER_MS });
  } catch {
    return 'no Docker engine answers';
  }
  try {
    await run('docker', ['compose', 'version'], { timeout: ANSWER_MS });
  } catch {
    return 'the Docker client has no compose plugin';
  }
  for (const image of images) {
    try {
      await run('docker', ['image', 'inspect', image], { timeout: ANSWER_MS });
    } catch {
      try {
        await run('docker', ['pull', '--quiet', image], { timeout: FETCH_MS });
      } catch {
        return `cannot fetch the image ${image}`;
      }
    }
  }
  return undefined;
}

export interface ComposeProject {
  readonly name: string;
  /** Variables of compose.yaml that are not in `envFile`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Replaces deploy/.env, which a test must not change. */
  readonly envFile: string;
}

/** Runs deploy/compose.sh as a separate project, and returns its output. */
export async function compose(
  { name, variables, envFile }: ComposeProject,
  parameters: readonly string[],
  input = '',
): Promise<string> {
  const script = join(ROOT, 'deploy/compose.sh');
  const running = run('sh', [script, '--project-name', name, ...parameters], {
    env: { ...process.env, ...variables, SLUICE_ENV_FILE: envFile },
    maxBuffer: 64 * 1_048_576,
  });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

export async function docker(...parameters: readonly string[]): Promise<string> {
  return (await run('docker', parameters)).stdout;
}
