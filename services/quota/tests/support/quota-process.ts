import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface QuotaProcess extends AsyncDisposable {
  /** host:port of its gRPC server. */
  readonly address: string;
  readonly healthUrl: string;
  /** The log lines since it was started. */
  readonly log: readonly LogLine[];
  signal(name: NodeJS.Signals): void;
  ended(): Promise<void>;
}

interface LogLine {
  readonly msg: string;
  readonly reason?: string;
  readonly node?: string;
  readonly address?: string;
  readonly health?: string;
}

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');

/** Starts the real service as a process. Resolves when it serves, in any state of its store. */
export async function startQuotaProcess(
  settings: Readonly<Record<string, string>>,
): Promise<QuotaProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, PORT: '0', HEALTH_PORT: '0', LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const started = Promise.withResolvers<{ address: string; healthUrl: string }>();
  const log: LogLine[] = [];
  let address = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    const logged = JSON.parse(line) as LogLine;
    log.push(logged);
    if (logged.msg === 'serving quota') address = logged.address ?? '';
    if (logged.msg === 'started') started.resolve({ address, healthUrl: logged.health ?? '' });
  });
  child.once('exit', () => started.reject(new Error('quota ended before it had started')));
  const { healthUrl } = await started.promise;
  return {
    address,
    healthUrl,
    log,
    signal: (name) => void child.kill(name),
    ended: async () => void (await exit),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** The reply of /readyz. */
export async function readinessOf({ healthUrl }: QuotaProcess): Promise<{
  ready: boolean;
  breaker: unknown;
  silent: unknown;
}> {
  const response = await fetch(`${healthUrl}/readyz`);
  const { breaker, silent } = (await response.json()) as { breaker: unknown; silent: unknown };
  return { ready: response.status === 200, breaker, silent };
}
