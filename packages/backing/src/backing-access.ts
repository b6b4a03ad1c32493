import type { BackingKind } from './backing-source.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How servers of somebody else are entered. */
const ACCESS: Readonly<Record<BackingKind, RegExp>> = {
  redis: /^REDIS_(?:MODE|USERNAME|PASSWORD|SENTINEL_.+|(?:CA|CERT|KEY)_FILE)$/,
  nats: /^NATS_(?:CA|CERT|KEY|CREDS)_FILE$/,
};

/**
 * The environment without what opens other servers than our own, which have no locks: services
 * refuse what they would have to ignore.
 */
export function withoutAccess(environment: Environment, own: readonly BackingKind[]): Environment {
  const isForeign = (name: string) => own.some((kind) => ACCESS[kind].test(name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isForeign(name)));
}
