import { BusRefusedError, connectBus, readBusAccess, type Bus } from '@sluice/bus';
import {
  DEFAULT_SUBJECT_PREFIX,
  SubjectPrefix,
  subjectsUnder,
  type Subjects,
} from '@sluice/contracts';
import { withoutAccess } from '@sluice/servers';
import { type Environment, createLogger } from '@sluice/service';
import { CommandFailure, UsageError, type CommandContext } from '../command.ts';
import { addressIn, chosenDeployment, environmentOf } from '../contexts/chosen-deployment.ts';
import { readSharedSettings } from '../environment-settings.ts';
import { findStack } from '../stack/find-stack.ts';
import { DEFAULT_STATE } from '../stack/state-path.ts';

const URL_VARIABLE = 'SLUICE_NATS_URL';

/** Options of every command that connects to the bus. */
export const BUS_OPTIONS = {
  state: { type: 'string' },
  nats: { type: 'string' },
  prefix: { type: 'string' },
} as const;

export const BUS_OPTIONS_HELP = `  --state DIR          folder of a stack that runs on this machine (${DEFAULT_STATE}/)
  --nats URL           NATS of another deployment, instead of --state. If it contains
                       a password, set ${URL_VARIABLE} instead. NATS_CA_FILE, NATS_CERT_FILE,
                       NATS_KEY_FILE and NATS_CREDS_FILE are read as by the services
  --prefix PREFIX      subject prefix (that of the stack, or ${DEFAULT_SUBJECT_PREFIX})`;

export interface BusOptions {
  readonly state?: string | undefined;
  readonly nats?: string | undefined;
  readonly prefix?: string | undefined;
}

const CONNECT_MS = 5_000;

/** Runs `use` with a connection to the bus that the options name. */
export async function withBus<Result>(
  { state, nats, prefix }: BusOptions,
  context: CommandContext,
  use: (bus: Bus, subjects: Subjects) => Promise<Result>,
): Promise<Result> {
  if (nats !== undefined && state !== undefined) {
    throw new UsageError('--state and --nats exclude each other');
  }
  // For the services, an empty NATS_URL means the local NATS. An empty option is more likely a mistake.
  if (nats === '') throw new UsageError('--nats must be an address, such as nats://host:4222');
  const { settings, defaultPrefix } = await locateBus({ state, nats }, context);
  const chosen = SubjectPrefix.safeParse(prefix ?? defaultPrefix);
  if (!chosen.success) {
    throw new UsageError(
      `the prefix of subjects ${chosen.error.issues[0]?.message ?? 'is not valid'}`,
    );
  }
  const subjects = subjectsUnder(chosen.data);
  await using bus = await connect(settings, subjects.inbox('operator'));
  return await use(bus, subjects);
}

/**
 * The URL from the environment. A URL with a password belongs there, because other users of the machine can see the
 * options of a process. An empty variable counts as not set.
 */
function givenUrl({ environment }: CommandContext): string | undefined {
  const url = environment[URL_VARIABLE];
  return url === '' ? undefined : url;
}

interface BusLocation {
  /** Settings of the NATS connection. */
  readonly settings: Environment & { readonly NATS_URL: string };
  /** The subject prefix if `--prefix` is not given. */
  readonly defaultPrefix: string | undefined;
}

/**
 * Finds the bus, in this order: what an option or --context names, the URL in the environment, the current context, and
 * the stack on this machine.
 */
async function locateBus(
  { state, nats }: BusOptions,
  context: CommandContext,
): Promise<BusLocation> {
  const isNamed = nats !== undefined || state !== undefined;
  const url = isNamed || context.contextName !== undefined ? nats : givenUrl(context);
  if (url !== undefined) return busAt(url, context);
  const deployment = await chosenDeployment(context, { isNamed });
  if (deployment === undefined || deployment.state !== undefined) {
    return busOfStack(state ?? deployment?.state, context);
  }
  const location = busAt(addressIn(deployment, 'nats'), {
    ...context,
    environment: environmentOf(deployment, context.environment),
  });
  return { ...location, defaultPrefix: deployment.prefix ?? location.defaultPrefix };
}

/**
 * The bus of a stack on this machine. The prefix is read from the record of the stack, because the environment may have
 * changed since the stack was started.
 */
async function busOfStack(
  state: string | undefined,
  context: CommandContext,
): Promise<BusLocation> {
  const stack = await findStack(state, context, '--nats');
  const isOurs = stack.services.some(({ name, external }) => name === 'nats' && !external);
  const environment = isOurs ? withoutAccess(context.environment, ['nats']) : context.environment;
  return {
    settings: { ...environment, NATS_URL: stack.nats_url },
    defaultPrefix: stack.subject_prefix,
  };
}

function busAt(url: string, { environment }: CommandContext): BusLocation {
  const prefix = environment['SUBJECT_PREFIX'];
  return {
    settings: { ...environment, NATS_URL: url },
    defaultPrefix: prefix === '' ? undefined : prefix,
  };
}

async function connect(
  settings: Environment & { readonly NATS_URL: string },
  inbox: string,
): Promise<Bus> {
  // The variables for certificate and credentials files are the same as for the services.
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
