import { connectBus, type Bus } from '@sluice/bus';
import {
  DEFAULT_SUBJECT_PREFIX,
  SubjectPrefix,
  subjectsUnder,
  type Subjects,
} from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { CommandFailure, UsageError, type CommandContext } from '../command.ts';
import { findStack } from '../stack/find-stack.ts';
import { DEFAULT_STATE } from '../stack/up-options.ts';

/** Options of every command that talks to the bus. */
export const BUS_OPTIONS = {
  state: { type: 'string' },
  nats: { type: 'string' },
  prefix: { type: 'string' },
} as const;

export const BUS_OPTIONS_HELP = `  --state DIR          folder of a stack that runs on this machine (${DEFAULT_STATE}/)
  --nats URL           NATS of a deployment elsewhere, instead of --state
  --prefix PREFIX      what its subjects begin with (${DEFAULT_SUBJECT_PREFIX})`;

export interface BusOptions {
  readonly state?: string | undefined;
  readonly nats?: string | undefined;
  readonly prefix?: string | undefined;
}

const CONNECT_MS = 5_000;

/** Does something on the bus of the options. */
export async function withBus<Result>(
  { state, nats, prefix }: BusOptions,
  { environment, folder }: CommandContext,
  use: (bus: Bus, subjects: Subjects) => Promise<Result>,
): Promise<Result> {
  if (nats !== undefined && state !== undefined) {
    throw new UsageError('--state and --nats exclude each other');
  }
  const chosen = SubjectPrefix.safeParse(prefix ?? environment['SUBJECT_PREFIX']);
  if (!chosen.success) {
    throw new UsageError(`the prefix of subjects ${chosen.error.issues[0]?.message ?? 'is none'}`);
  }
  const url = nats ?? (await findStack(state ?? DEFAULT_STATE, folder)).nats_url;
  await using bus = await connect(url);
  return await use(bus, subjectsUnder(chosen.data));
}

async function connect(url: string): Promise<Bus> {
  const logger = createLogger({ service: 'sluice', level: 'silent' });
  try {
    return await connectBus({
      servers: url.split(','),
      name: 'sluice',
      logger,
      signal: AbortSignal.timeout(CONNECT_MS),
    });
  } catch (error) {
    const server = url.slice(url.lastIndexOf('@') + 1);
    throw new CommandFailure(`NATS at ${server} does not answer`, { cause: error });
  }
}
