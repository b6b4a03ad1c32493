import { BACKING_KINDS, type BackingKind } from './backing-source.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment may have a key to: each kind of server, and our services among each other. */
export type AccessKind = BackingKind | 'services';
export const ACCESS_KINDS: readonly AccessKind[] = [...BACKING_KINDS, 'services'];

/** How servers of somebody else are entered. */
const ACCESS: Readonly<Record<AccessKind, RegExp>> = {
  redis: /^REDIS_(?:MODE|USERNAME|PASSWORD|SENTINEL_.+|(?:CA|CERT|KEY)_FILE)$/,
  nats: /^NATS_(?:CA|CERT|KEY|CREDS)_FILE$/,
  services: /^GRPC_(?:TLS|(?:CA|CLIENT_CA|CERT|KEY)_FILE)$|^ADMIN_CLIENT_CA_FILE$/,
};

/**
 * The environment without what opens other servers than our own, which have no locks: services
 * refuse what they would have to ignore.
 */
export function withoutAccess(environment: Environment, own: readonly AccessKind[]): Environment {
  const isForeign = (name: string) => own.some((kind) => ACCESS[kind].test(name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isForeign(name)));
}
