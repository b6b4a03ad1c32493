import { join } from 'node:path';
import {
  BackingEnvironmentError,
  externalServerAnswers,
  openLogFile,
  planNats,
  planRedis,
  readBackingEnvironment,
  type BackingKind,
  type BackingSource,
  type ServerPlan,
} from '@sluice/servers';
import { UsageError } from '../command.ts';
import type { FreePorts } from './free-ports.ts';
import type { Member } from './process-group.ts';
import type { StateFolder } from './state-folder.ts';

export interface BackingInputs {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: StateFolder;
  readonly ports: FreePorts;
}

const PLAN = { redis: planRedis, nats: planNats } as const;

/** Redis and NATS as members of the stack: external servers, or servers that keep their data in the state folder. */
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

const EXTERNAL_SERVERS = {
  redis: { variable: 'REDIS_URL', title: 'Redis' },
  nats: { variable: 'NATS_URL', title: 'NATS server' },
} as const;

/** Fails if an external server does not answer, before any process is started. */
async function requireAnswer(kind: BackingKind, source: BackingSource): Promise<void> {
  if (source.kind !== 'url' || (await externalServerAnswers(kind, source.url))) return;
  const { variable, title } = EXTERNAL_SERVERS[kind];
  // The address may hold a password, so the message does not repeat it.
  throw new UsageError(
    `no ${title} answers at the address in ${variable}; start it, or unset ${variable} to run one here`,
  );
}

function serverMember(
  server: ServerPlan,
  { environment, logs }: { environment: BackingInputs['environment']; logs: string },
): Member {
  const { kind, url } = server;
  return {
    name: kind,
    role: kind,
    url,
    readyUrl: null,
    plan: {
      ...server,
      name: kind,
      environment,
      log: openLogFile(join(logs, `${kind}.log`)),
      isReady: ({ pid }) => server.answers(pid),
    },
  };
}
