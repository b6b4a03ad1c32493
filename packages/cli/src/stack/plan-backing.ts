import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  BackingEnvironmentError,
  givenServerAnswers,
  planNats,
  planRedis,
  readBackingEnvironment,
  type BackingKind,
  type BackingSource,
  type ServerPlan,
} from '@sluice/backing';
import { UsageError } from '../command.ts';
import type { FreePorts } from './free-ports.ts';
import { launch, type Launched } from './launch.ts';
import { openLogFile } from './log-file.ts';
import type { Member } from './process-group.ts';
import type { StateFolder } from './state-folder.ts';

export interface BackingInputs {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: StateFolder;
  readonly ports: FreePorts;
}

const GRACE_MS = 10_000;
const PLAN = { redis: planRedis, nats: planNats } as const;

/** Redis and NATS as members of the stack: started from the state folder, or somebody else's. */
export async function planBacking({
  environment,
  folder,
  ports,
}: BackingInputs): Promise<Record<BackingKind, Member>> {
  const sources = readSources(environment);
  await Promise.all([requireAnswer('redis', sources.redis), requireAnswer('nats', sources.nats)]);
  const member = async (kind: BackingKind): Promise<Member> => {
    const source = sources[kind];
    if (source.kind === 'url') {
      return { name: kind, role: kind, url: source.url, readyUrl: null, plan: undefined };
    }
    const plan = PLAN[kind]({
      program: source,
      dataFolder: folder[kind],
      port: await ports.next(),
    });
    return serverMember(plan, { environment, logs: folder.logs });
  };
  return { redis: await member('redis'), nats: await member('nats') };
}

function readSources(
  environment: BackingInputs['environment'],
): Readonly<Record<BackingKind, BackingSource>> {
  try {
    return readBackingEnvironment(environment);
  } catch (error) {
    if (!(error instanceof BackingEnvironmentError)) throw error;
    throw new UsageError(error.message.replaceAll('\n', '; '), { cause: error });
  }
}

const GIVEN = {
  redis: { variable: 'REDIS_URL', title: 'Redis' },
  nats: { variable: 'NATS_URL', title: 'NATS server' },
} as const;

/** A server that somebody else runs is asked before anything is started that would wait for it. */
async function requireAnswer(kind: BackingKind, source: BackingSource): Promise<void> {
  if (source.kind !== 'url' || (await givenServerAnswers(kind, source.url))) return;
  const { variable, title } = GIVEN[kind];
  // The address may hold a password, so the message does not repeat it.
  throw new UsageError(
    `no ${title} answers at the address in ${variable}; start it, or unset ${variable} to run one here`,
  );
}

function serverMember(
  plan: ServerPlan,
  { environment, logs }: { environment: BackingInputs['environment']; logs: string },
): Member {
  const { kind, url, program, parameters, killCommand } = plan;
  const log = openLogFile(logs, kind);
  const start = async (): Promise<Launched> => {
    // The container of a client that was killed still holds the name and the port.
    await endContainer(killCommand);
    const launched = await launch({
      program,
      parameters,
      environment: { ...environment },
      log: log.descriptor,
      tether: false,
    });
    return {
      ...launched,
      signal: (signal) => {
        launched.signal(signal);
        if (signal === 'SIGKILL') void endContainer(killCommand);
      },
    };
  };
  return {
    name: kind,
    role: kind,
    url,
    readyUrl: null,
    plan: {
      name: kind,
      log,
      graceMs: GRACE_MS,
      stopSignal: 'SIGTERM',
      launch: start,
      isReady: async ({ process: { pid } }) => plan.answers(pid),
    },
  };
}

/** Does nothing for a program of this machine, which its signals reach. */
async function endContainer(killCommand: readonly string[] | undefined): Promise<void> {
  const [program, ...parameters] = killCommand ?? [];
  if (program === undefined) return;
  try {
    await promisify(execFile)(program, parameters);
  } catch {
    // There is none, or it has ended.
  }
}
