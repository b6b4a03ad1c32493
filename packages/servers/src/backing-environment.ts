import { isAbsolute } from 'node:path';
import type { BackingSource, ServerProgram } from './backing-source.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface BackingEnvironment {
  readonly redis: BackingSource;
  readonly nats: BackingSource;
}

/** The environment does not define valid sources for Redis and NATS. The message names every problem. */
export class BackingEnvironmentError extends Error {
  override readonly name = 'BackingEnvironmentError';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const REDIS = {
  title: 'Redis',
  urlVariable: 'REDIS_URL',
  serverVariable: 'SLUICE_REDIS_SERVER',
  protocols: ['redis:', 'rediss:'],
} as const;

const NATS = {
  title: 'NATS',
  urlVariable: 'NATS_URL',
  serverVariable: 'SLUICE_NATS_SERVER',
  protocols: ['nats:', 'tls:'],
} as const;

/** Reads where Redis and NATS come from. The address of a running server has priority over a program to start. */
export function readBackingEnvironment(environment: Environment): BackingEnvironment {
  const redis = readSource(environment, REDIS);
  const nats = readSource(environment, NATS);
  if (typeof redis === 'string' || typeof nats === 'string') {
    throw new BackingEnvironmentError(
      [redis, nats].filter((problem) => typeof problem === 'string'),
    );
  }
  return { redis, nats };
}

/** Returns the problem, for the error message, if the environment does not define a valid source. */
function readSource(
  environment: Environment,
  { title, urlVariable, serverVariable, protocols }: typeof REDIS | typeof NATS,
): BackingSource | string {
  const url = environment[urlVariable] ?? '';
  if (url !== '') {
    // The address may hold a password, so a message never repeats it.
    return url.split(',').every((part) => hasProtocol(part.trim(), protocols))
      ? { kind: 'url', url }
      : `${urlVariable} is not an address of ${title}: it must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  }
  const server = environment[serverVariable] ?? '';
  if (server === '') {
    return `No ${title}: set ${urlVariable}, or ${serverVariable} to a program or docker:IMAGE (deploy/bootstrap.sh --servers sets it)`;
  }
  const program = readProgram(server);
  if (program.kind === 'docker') {
    return program.image === '' ? `${serverVariable} names no image after "docker:"` : program;
  }
  return isAbsolute(program.path)
    ? program
    : `${serverVariable} must be an absolute path or docker:IMAGE, not "${program.path}"`;
}

function hasProtocol(url: string, protocols: readonly string[]): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && protocols.includes(parsed.protocol);
}

const DOCKER_PREFIX = 'docker:';

function readProgram(text: string): ServerProgram {
  return text.startsWith(DOCKER_PREFIX)
    ? { kind: 'docker', image: text.slice(DOCKER_PREFIX.length) }
    : { kind: 'executable', path: text };
}
