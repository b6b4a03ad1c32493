import { withoutAccess } from '@sluice/backing';
import { BusRefusedError, connectBus, readBusAccess, type Bus } from '@sluice/bus';
import {
  DEFAULT_SUBJECT_PREFIX,
  SubjectPrefix,
  subjectsUnder,
  type Subjects,
} from '@sluice/contracts';
import type { Environment } from '@sluice/host';
import { createLogger } from '@sluice/telemetry';
import { CommandFailure, UsageError, type CommandContext } from '../command.ts';
import { readSharedSettings } from '../environment-settings.ts';
import { findStack } from '../stack/find-stack.ts';
import { DEFAULT_STATE } from '../stack/state-path.ts';

const URL_VARIABLE = 'SLUICE_NATS_URL';

/** Options of every command that talks to the bus. */
export const BUS_OPTIONS = {
  state: { type: 'string' },
  nats: { type: 'string' },
  prefix: { type: 'string' },
} as const;

export const BUS_OPTIONS_HELP = `  --state DIR          folder of a stack that runs on this machine (${DEFAULT_STATE}/)
  --nats URL           NATS of a deployment elsewhere, instead of --state; one
                       with a password is better given as ${URL_VARIABLE};
                       NATS_CA_FILE and its like are read as by the services
  --prefix PREFIX      what its subjects begin with (the stack's; ${DEFAULT_SUBJECT_PREFIX})`;

export interface BusOptions {
  readonly state?: string | undefined;
  readonly nats?: string | undefined;
  readonly prefix?: string | undefined;
}

const CONNECT_MS = 5_000;

/** Does something on the bus of the options. */
export async function withBus<Result>(
  { state, nats, prefix }: BusOptions,
  context: CommandContext,
  use: (bus: Bus, subjects: Subjects) => Promise<Result>,
): Promise<Result> {
  if (nats !== undefined && state !== undefined) {
    throw new UsageError('--state and --nats exclude each other');
  }
  // An empty NATS_URL means the NATS of this machine, which nobody asked for by an empty option.
  if (nats === '') throw new UsageError('--nats must be an address, such as nats://host:4222');
  const url = nats ?? (state === undefined ? givenUrl(context) : undefined);
  const { settings, usualPrefix } =
    url === undefined ? await ofStack(state, context) : elsewhere(url, context);
  const chosen = SubjectPrefix.safeParse(prefix ?? usualPrefix);
  if (!chosen.success) {
    throw new UsageError(`the prefix of subjects ${chosen.error.issues[0]?.message ?? 'is none'}`);
  }
  const subjects = subjectsUnder(chosen.data);
  await using bus = await connect(settings, subjects.inbox('operator'));
  return await use(bus, subjects);
}

/** Options are seen by everybody on the machine, passwords in them too. An empty variable is not set. */
function givenUrl({ environment }: CommandContext): string | undefined {
  const url = environment[URL_VARIABLE];
  return url === '' ? undefined : url;
}

interface Place {
  /** How to reach its NATS. */
  readonly settings: Environment & { readonly NATS_URL: string };
  /** Unless another one is asked for. */
  readonly usualPrefix: string | undefined;
}

/** A stack knows with which prefix it was started, whatever the environment says by now. */
async function ofStack(state: string | undefined, context: CommandContext): Promise<Place> {
  const stack = await findStack(state, context, '--nats');
  const isOurs = stack.services.some(({ name, external }) => name === 'nats' && !external);
  const environment = isOurs ? withoutAccess(context.environment, ['nats']) : context.environment;
  return {
    settings: { ...environment, NATS_URL: stack.nats_url },
    usualPrefix: stack.subject_prefix,
  };
}

function elsewhere(url: string, { environment }: CommandContext): Place {
  const prefix = environment['SUBJECT_PREFIX'];
  return {
    settings: { ...environment, NATS_URL: url },
    usualPrefix: prefix === '' ? undefined : prefix,
  };
}

async function connect(
  settings: Environment & { readonly NATS_URL: string },
  inbox: string,
): Promise<Bus> {
  // Files of certificates and credentials are named by the same variables as for the services.
  const access = readSharedSettings(() => readBusAccess(settings));
  const logger = createLogger({ service: 'sluice', level: 'silent' });
  try {
    return await connectBus({
      ...access,
      name: 'sluice',
      inbox,
      logger,
      signal: AbortSignal.timeout(CONNECT_MS),
    });
  } catch (error) {
    const server = settings.NATS_URL.slice(settings.NATS_URL.lastIndexOf('@') + 1);
    const failure = error instanceof BusRefusedError ? error.refusal : 'does not answer';
    throw new CommandFailure(`NATS at ${server} ${failure}`, { cause: error });
  }
}
