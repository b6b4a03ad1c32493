import { fileURLToPath } from 'node:url';
import { createLogger } from '@sluice/telemetry';
import { waitUntil } from '@sluice/testkit';
import { beforeEach, expect } from 'vitest';
import { BusRefusedError, connectBus, readBusAccess, type Bus } from '../src/index.ts';

type Environment = Readonly<Record<string, string>>;

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/tls/${name}`, import.meta.url));
/** Made out to 127.0.0.1, and to no name. */
export const numbered = {
  certificate: fixture('numbered-certificate.pem'),
  key: fixture('numbered-key.pem'),
};
/** Made out to localhost, and to no number. */
export const named = {
  certificate: fixture('named-certificate.pem'),
  key: fixture('named-key.pem'),
};
export const serverTls = ({ certificate, key }: typeof named) => [
  '--tls',
  `--tlscert=${certificate}`,
  `--tlskey=${key}`,
];

export const LOGIN = new BusRefusedError('refuses this user, password, token or credentials file');
export const UNTRUSTED = new BusRefusedError(
  'shows a certificate that is not trusted here, or not made out to this address',
);
export const PLAIN = new BusRefusedError('does not speak TLS, on which the address insists');
/** The client cannot tell it from a server that does not answer. */
export const UNKNOWN = 'The operation was aborted';

/** Tries to enter, and keeps what is logged of it during a test: call it at the top of a file. */
export function useEntrance() {
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
    async expectOpen(environment: Environment): Promise<void> {
      await using bus = await connect(environment);
      await bus.flush();
      expect(bus.connected).toBe(true);
    },
    async expectClosed(environment: Environment, failure: Error | string): Promise<void> {
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
