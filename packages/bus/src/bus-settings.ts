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
} from '@sluice/host';
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

/** How to reach the bus by these settings. The files are read and looked at here, once. */
export function busAccess(settings: BusSettings): BusAccess {
  return {
    servers: settings.NATS_URL,
    certificateAuthority: readAuthoritiesFile('NATS_CA_FILE', settings),
    ...readIdentityFiles(IDENTITY, settings),
    credentials: readCredentials(settings),
  };
}

/** For programs that have no settings of their own. */
export function readBusAccess(environment: Environment): BusAccess {
  return busAccess(readConfiguration(BusEnvironment.superRefine(checkBusSettings), environment));
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
