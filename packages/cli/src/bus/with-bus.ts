import { BusRefusedError, connectBus, readBusAccess, type Bus, type BusAccess } from '@sluice/bus';
import {
  DEFAULT_SUBJECT_PREFIX,
  SubjectPrefix,
  subjectsUnder,
  type Subjects,
} from '@sluice/contracts';
import { ConfigurationError, type Environment } from '@sluice/host';
import { createLogger } from '@sluice/telemetry';
import { CommandFailure, UsageError, type CommandContext } from '../command.ts';
import { withoutAccess } from '../stack/backing-access.ts';
import { findStack } from '../stack/find-stack.ts';
import type { RunningStack } from '../stack/running-stack.ts';
import { DEFAULT_STATE } from '../stack/up-options.ts';

/** Options of every command that talks to the bus. */
export const BUS_OPTIONS = {
  state: { type: 'string' },
  nats: { type: 'string' },
  prefix: { type: 'string' },
} as const;

export const BUS_OPTIONS_HELP = `  --state DIR          folder of a stack that runs on this machine (${DEFAULT_STATE}/)
  --nats URL           NATS of a deployment elsewhere, instead of --state;
                       NATS_CA_FILE and its like are read as by the services
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
  const settings =
    nats === undefined
      ? stackSettings(await findStack(state ?? DEFAULT_STATE, folder), environment)
      : { ...environment, NATS_URL: nats };
  await using bus = await connect(settings);
  return await use(bus, subjectsUnder(chosen.data));
}

function stackSettings({ nats_url: url, services }: RunningStack, environment: Environment) {
  const isOurs = services.some(({ name, external }) => name === 'nats' && !external);
  return { ...(isOurs ? withoutAccess(environment, ['nats']) : environment), NATS_URL: url };
}

/** Files of certificates and credentials are named by the same variables as for the services. */
function readAccess(settings: Environment): BusAccess {
  try {
    return readBusAccess(settings);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(error.message.replaceAll(/\n */g, ' '), { cause: error });
  }
}

async function connect(settings: Environment & { readonly NATS_URL: string }): Promise<Bus> {
  const access = readAccess(settings);
  const logger = createLogger({ service: 'sluice', level: 'silent' });
  try {
    return await connectBus({
      ...access,
      name: 'sluice',
      logger,
      signal: AbortSignal.timeout(CONNECT_MS),
    });
  } catch (error) {
    const server = settings.NATS_URL.slice(settings.NATS_URL.lastIndexOf('@') + 1);
    const failure =
      error instanceof BusRefusedError
        ? 'refuses this user, password, token or credentials file'
        : 'does not answer';
    throw new CommandFailure(`NATS at ${server} ${failure}`, { cause: error });
  }
}
