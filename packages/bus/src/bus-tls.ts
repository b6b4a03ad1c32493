import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import type { TlsOptions as ClientTlsOptions } from '@nats-io/transport-node';
import type { BusAddresses } from './bus-addresses.ts';

/** All in PEM, and of use with `tls://` addresses alone. */
export interface TlsAccess {
  /** Certificates to trust instead of the system's. */
  readonly certificateAuthority?: string | undefined;
  /** What this side shows a server that asks who is calling. */
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}

type TlsOptions = ClientTlsOptions & Pick<ConnectionOptions, 'checkServerIdentity'>;

/** With `tls://` a server that offers no TLS is not talked to. */
export function tlsOptions(
  { servers, secure }: BusAddresses,
  { certificateAuthority, certificate, privateKey }: TlsAccess,
): { tls?: TlsOptions } {
  if (!secure) return {};
  return {
    tls: {
      checkServerIdentity: (name, shown) => identityFault(servers, name, shown),
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(privateKey === undefined ? {} : { key: privateKey }),
    },
  };
}

const CLIENTS_NAME_OF_NUMBERS = 'localhost';

/**
 * The client holds the certificate of every server that is reached by number to the name
 * `localhost`. Here it must be made out to one of the numbers that were given.
 */
function identityFault(
  servers: readonly string[],
  ...[name, shown]: Parameters<typeof checkServerIdentity>
): Error | undefined {
  const numbers = servers.map(hostOf).filter((host) => isIP(host) !== 0);
  if (name !== CLIENTS_NAME_OF_NUMBERS || numbers.length === 0) {
    return checkServerIdentity(name, shown);
  }
  const hosts = servers.map(hostOf).includes(name) ? [name, ...numbers] : numbers;
  const faults = hosts.map((host) => checkServerIdentity(host, shown));
  return faults.includes(undefined) ? undefined : faults[0];
}

/** An address of version 6 stands in brackets, which are no part of it. */
function hostOf(server: string): string {
  return server.slice(0, server.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}
