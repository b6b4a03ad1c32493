import { fileURLToPath } from 'node:url';
import { waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { beforeEach, expect } from 'vitest';
import { BusRefusedError, connectBus, readBusAccess, type Bus } from '../src/index.ts';

type Environment = Readonly<Record<string, string>>;

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/tls/${name}`, import.meta.url));
/** A certificate for the address 127.0.0.1, without a host name. */
export const ipCertificate = {
  certificate: fixture('numbered-certificate.pem'),
  key: fixture('numbered-key.pem'),
};
/** A certificate for the name localhost, without an IP address. */
export const nameCertificate = {
  certificate: fixture('named-certificate.pem'),
  key: fixture('named-key.pem'),
};
export const serverTls = ({ certificate, key }: typeof nameCertificate) => [
  '--tls',
  `--tlscert=${certificate}`,
  `--tlskey=${key}`,
];

export const LOGIN = new BusRefusedError('refuses this user, password, token or credentials file');
export const UNTRUSTED = new BusRefusedError(
  'presents a certificate that is not trusted, or not valid for this address',
);
export const PLAIN = new BusRefusedError('does not support TLS, which the address requires');
/** The client cannot tell this case from a server that does not answer. */
export const UNKNOWN = 'The operation was aborted';

/** Tries to connect, and collects the log lines of the test. Call it at the top of a file. */
export function useConnecting() {
  const written: string[] = [];
  const logger = createLogger({
    service: 'bus-test',
    level: 'info',
    destination: { write: (line) => void written.push(line) },
  });
  beforeEach(() => {
    written.length = 0;
  });
  const connect = (environment: Environment): Promise<Bus> =>
    connectBus({ ...readBusAccess(environment), name: 'test', logger });
  return {
    written,
    logger,
    connect,
    async expectAccepted(environment: Environment): Promise<void> {
      await using bus = await connect(environment);
      await bus.flush();
      expect(bus.connected).toBe(true);
    },
    async expectRefused(environment: Environment, failure: Error | string): Promise<void> {
      const before = written.length;
      const stop = new AbortController();
      const access = readBusAccess(environment);
      const attempt = connectBus({ ...access, name: 'test', logger, signal: stop.signal });
      await waitUntil(() => written.length > before, { what: 'the failure of an attempt' });
      stop.abort();
      await expect(attempt).rejects.toThrow(failure);
    },
  };
}
