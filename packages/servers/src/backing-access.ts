import { BACKING_KINDS, type BackingKind } from './backing-source.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What credentials in the environment can give access to: a kind of server, or Sluice's own services. */
export type AccessKind = BackingKind | 'services';
export const ACCESS_KINDS: readonly AccessKind[] = [...BACKING_KINDS, 'services'];

/** The variables with credentials and connection options for each kind. */
const ACCESS: Readonly<Record<AccessKind, RegExp>> = {
  redis: /^REDIS_(?:MODE|USERNAME|PASSWORD|SENTINEL_.+|(?:CA|CERT|KEY)_FILE)$/,
  nats: /^NATS_(?:CA|CERT|KEY|CREDS)_FILE$/,
  services: /^GRPC_(?:TLS|(?:CA|CLIENT_CA|CERT|KEY)_FILE)$|^ADMIN_CLIENT_CA_FILE$/,
};

/**
 * Removes the credentials for the kinds in `own`: the servers that the caller starts itself. These servers need no
 * credentials, and a service refuses settings that it would have to ignore.
 */
export function withoutAccess(environment: Environment, own: readonly AccessKind[]): Environment {
  const isRemoved = (name: string) => own.some((kind) => ACCESS[kind].test(name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isRemoved(name)));
}
