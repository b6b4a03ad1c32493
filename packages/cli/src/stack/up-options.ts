import { RuntimeUrl } from '@sluice/service';
import { UsageError, wholeNumber, type CommandContext, type parseOptions } from '../command.ts';
import { statePath } from './state-path.ts';

export interface UpOptions {
  /** The port of the first gateway. 0 is any free port. */
  readonly port: number;
  readonly gateways: number;
  readonly catalogs: number;
  readonly quotas: number;
  readonly workers: number;
  /** The URLs of existing runtimes. If empty, simulators are started. */
  readonly runtimes: readonly string[];
  /** Whether usage runs. */
  readonly usage: boolean;
  /** Whether the console runs. */
  readonly console: boolean;
  readonly state: string;
  readonly fresh: boolean;
}

export const DEFAULT_PORT = 8080;
const MAX_REPLICAS = 64;

export const UP_OPTIONS = {
  port: { type: 'string', default: String(DEFAULT_PORT) },
  gateways: { type: 'string', default: '1' },
  catalogs: { type: 'string', default: '1' },
  quotas: { type: 'string', default: '1' },
  workers: { type: 'string' },
  runtime: { type: 'string', multiple: true },
  'without-usage': { type: 'boolean', default: false },
  'without-console': { type: 'boolean', default: false },
  state: { type: 'string' },
  fresh: { type: 'boolean', default: false },
} as const;

type UpValues = ReturnType<typeof parseOptions<typeof UP_OPTIONS>>['values'];

export function readUpOptions(
  values: UpValues,
  context: Pick<CommandContext, 'folder' | 'home'>,
): UpOptions {
  if (values.state === '') throw new UsageError('--state must name a folder');
  const runtimes = (values.runtime ?? []).map(runtimeUrl);
  const workers =
    values.workers === undefined
      ? Math.max(1, runtimes.length)
      : replicas('--workers', values.workers);
  if (workers < runtimes.length) {
    throw new UsageError(
      `--workers ${workers} is too few: each of the ${runtimes.length} runtimes needs one`,
    );
  }
  return {
    port: wholeNumber('--port', values.port, { minimum: 0, maximum: 65_535 }),
    gateways: replicas('--gateways', values.gateways),
    catalogs: replicas('--catalogs', values.catalogs),
    quotas: replicas('--quotas', values.quotas),
    workers,
    runtimes,
    usage: !values['without-usage'],
    console: !values['without-console'],
    state: statePath(values.state, context),
    fresh: values.fresh,
  };
}

function replicas(option: string, text: string): number {
  return wholeNumber(option, text, { minimum: 1, maximum: MAX_REPLICAS });
}

function runtimeUrl(text: string): string {
  const { data, error } = RuntimeUrl.safeParse(text);
  // The error does not quote the value, which may contain a password.
  if (data === undefined) throw new UsageError(`--runtime ${error.issues[0]?.message}`);
  return new URL(data).href.replace(/\/+$/, '');
}
