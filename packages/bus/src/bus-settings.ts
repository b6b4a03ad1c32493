import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { credsAuthenticator } from '@nats-io/transport-node';
import { ConfigurationError, listSetting, readConfiguration, type Environment } from '@sluice/host';
import * as z from 'zod';
import { BusAddressError, parseBusAddresses } from './bus-addresses.ts';
import type { BusAccess } from './connect-bus.ts';

/** Where a service of one machine finds the bus when it is told nothing. */
const DEFAULT_NATS_URL = 'nats://127.0.0.1:4222';

/** Settings of everything that connects to the bus; `checkBusSettings` looks at them together. */
export const busSettings = {
  /** `nats://` or `tls://` addresses; `user:password@` or `token@` stands before the host. */
  NATS_URL: listSetting()
    .superRefine((addresses, context) => {
      try {
        parseBusAddresses(addresses);
      } catch (error) {
        if (!(error instanceof BusAddressError)) throw error;
        // Nothing that takes them for usable is to look at them any more.
        context.addIssue({ code: 'custom', message: error.message, continue: false });
      }
    })
    .default([DEFAULT_NATS_URL]),
  /** A PEM file of the certificates to trust instead of the system's. */
  NATS_CA_FILE: z.string().optional(),
  /** PEM files that show NATS who is calling, where it asks. One needs the other. */
  NATS_CERT_FILE: z.string().optional(),
  NATS_KEY_FILE: z.string().optional(),
  /** What `nsc` writes for a user: instead of a name and a password. */
  NATS_CREDS_FILE: z.string().optional(),
};

const BusEnvironment = z.object(busSettings);
export type BusSettings = z.infer<typeof BusEnvironment>;

const TLS_FILES = ['NATS_CA_FILE', 'NATS_CERT_FILE', 'NATS_KEY_FILE'] as const;

/** What would be ignored is refused: whoever sets it counts on it. */
export function checkBusSettings(settings: BusSettings, context: z.RefinementCtx): void {
  const refuse = (name: keyof BusSettings, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const { secure, login } = parseBusAddresses(settings.NATS_URL);
  if ((settings.NATS_CERT_FILE === undefined) !== (settings.NATS_KEY_FILE === undefined)) {
    refuse('NATS_CERT_FILE', 'goes together with NATS_KEY_FILE');
  }
  for (const name of TLS_FILES) {
    if (!secure && settings[name] !== undefined) {
      refuse(name, 'is for TLS: the addresses in NATS_URL must be tls://');
    }
  }
  if (settings.NATS_CREDS_FILE !== undefined && login !== undefined) {
    refuse('NATS_CREDS_FILE', 'excludes a user, password or token in NATS_URL');
  }
}

/** How to reach the bus by these settings. The files are read and looked at here, once. */
export function busAccess(settings: BusSettings): BusAccess {
  const certificate = readCertificates('NATS_CERT_FILE', settings);
  return {
    servers: settings.NATS_URL,
    certificateAuthority: readCertificates('NATS_CA_FILE', settings),
    certificate,
    privateKey: readPrivateKey(settings, certificate),
    credentials: readCredentials(settings),
  };
}

/** For programs that have no settings of their own. */
export function readBusAccess(environment: Environment): BusAccess {
  return busAccess(readConfiguration(BusEnvironment.superRefine(checkBusSettings), environment));
}

const BEFORE_CERTIFICATE = /(?=-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----)/;

/** TLS itself passes over a file without certificates, and over all that follow a damaged one. */
function readCertificates(
  name: 'NATS_CA_FILE' | 'NATS_CERT_FILE',
  settings: BusSettings,
): string | undefined {
  const text = readSettingFile(name, settings)?.toString();
  if (text === undefined) return undefined;
  try {
    parseCertificates(text);
  } catch (cause) {
    throw wrongSetting(name, 'is no PEM file of certificates', cause);
  }
  return text;
}

/** There may be words before the first. */
function parseCertificates(text: string): X509Certificate[] {
  const [, ...certificates] = `\n${text}`.split(BEFORE_CERTIFICATE);
  if (certificates.length === 0) throw new Error('no certificate begins here');
  return certificates.map((certificate) => new X509Certificate(certificate));
}

function readPrivateKey(
  settings: BusSettings,
  certificate: string | undefined,
): string | undefined {
  const key = readSettingFile('NATS_KEY_FILE', settings);
  if (key === undefined) return undefined;
  try {
    createSecureContext({ cert: certificate, key });
  } catch (cause) {
    throw wrongSetting(
      'NATS_KEY_FILE',
      'is no PEM file of the private key of NATS_CERT_FILE, without a passphrase',
      cause,
    );
  }
  return key.toString();
}

function readCredentials(settings: BusSettings): Uint8Array | undefined {
  const credentials = readSettingFile('NATS_CREDS_FILE', settings);
  if (credentials === undefined) return undefined;
  try {
    // A file that makes no sense would otherwise end the connection, at the first greeting of a server.
    credsAuthenticator(credentials)();
  } catch (cause) {
    throw wrongSetting('NATS_CREDS_FILE', 'is no file of NATS credentials', cause);
  }
  return credentials;
}

function readSettingFile(
  name: 'NATS_CREDS_FILE' | (typeof TLS_FILES)[number],
  settings: BusSettings,
): Buffer | undefined {
  const path = settings[name];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw wrongSetting(name, `the file ${path} cannot be read`, cause);
  }
}

function wrongSetting(name: string, problem: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(`a setting is wrong:\n  ${name}: ${problem}`, { cause });
}
