import { credsAuthenticator } from '@nats-io/transport-node';
import {
  listSetting,
  readAuthoritiesFile,
  readConfiguration,
  readIdentityFiles,
  readSettingFile,
  requireBothOrNeither,
  settingRefusal,
  wrongSetting,
  type Environment,
} from '@sluice/service';
import * as z from 'zod';
import { BusAddressError, parseBusAddresses } from './bus-addresses.ts';
import type { BusAccess } from './connect-bus.ts';

/** The address used when none is set: a NATS server on the same machine. */
const DEFAULT_NATS_URL = 'nats://127.0.0.1:4222';

/** Settings of every process that connects to the bus. `checkBusSettings` validates them together. */
export const busSettings = {
  /** `nats://` or `tls://` addresses, with an optional `user:password@` or `token@` before the host. */
  NATS_URL: listSetting()
    .superRefine((addresses, context) => {
      try {
        parseBusAddresses(addresses);
      } catch (error) {
        if (!(error instanceof BusAddressError)) throw error;
        // Later checks expect addresses that can be parsed, so validation stops here.
        context.addIssue({ code: 'custom', message: error.message, continue: false });
      }
    })
    .default([DEFAULT_NATS_URL]),
  /** A PEM file of certificates to trust instead of the system's. */
  NATS_CA_FILE: z.string().optional(),
  /** PEM files of the client certificate and its key, for servers that ask for one. Both must be set, or neither. */
  NATS_CERT_FILE: z.string().optional(),
  NATS_KEY_FILE: z.string().optional(),
  /** The credentials file of a user, as `nsc` writes it. It replaces a user name and password. */
  NATS_CREDS_FILE: z.string().optional(),
};

const BusEnvironment = z.object(busSettings);
export type BusSettings = z.infer<typeof BusEnvironment>;

const IDENTITY = ['NATS_CERT_FILE', 'NATS_KEY_FILE'] as const;
const TLS_FILES = ['NATS_CA_FILE', ...IDENTITY] as const;

export function checkBusSettings(settings: BusSettings, context: z.RefinementCtx): void {
  const refuse = settingRefusal<keyof BusSettings>(context);
  const { secure, login } = parseBusAddresses(settings.NATS_URL);
  requireBothOrNeither(IDENTITY, settings, refuse);
  for (const name of TLS_FILES) {
    if (!secure && settings[name] !== undefined) {
      refuse(name, 'is for TLS: the addresses in NATS_URL must be tls://');
    }
  }
  if (settings.NATS_CREDS_FILE !== undefined && login !== undefined) {
    refuse('NATS_CREDS_FILE', 'excludes a user, password or token in NATS_URL');
  }
}

/** The servers and the login that these settings describe. The files are read and validated here, once. */
export function busAccess(settings: BusSettings): BusAccess {
  return {
    servers: settings.NATS_URL,
    certificateAuthority: readAuthoritiesFile('NATS_CA_FILE', settings),
    ...readIdentityFiles(IDENTITY, settings),
    credentials: readCredentials(settings),
  };
}

/** Reads only the settings of the bus, for programs that have no other settings. */
export function readBusAccess(environment: Environment): BusAccess {
  return busAccess(readConfiguration(BusEnvironment.superRefine(checkBusSettings), environment));
}

function readCredentials(settings: BusSettings): Uint8Array | undefined {
  const credentials = readSettingFile('NATS_CREDS_FILE', settings);
  if (credentials === undefined) return undefined;
  try {
    // The authenticator parses the file. Without this check a bad file would fail only when a server first connects.
    credsAuthenticator(credentials)();
  } catch (cause) {
    throw wrongSetting('NATS_CREDS_FILE', 'is not a file of NATS credentials', cause);
  }
  return credentials;
}
