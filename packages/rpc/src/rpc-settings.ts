import {
  booleanSetting,
  readAuthoritiesFile,
  readConfiguration,
  readIdentityFiles,
  requireBothOrNeither,
  settingRefusal,
  wrongSetting,
  type Environment,
  type RefuseSetting,
} from '@sluice/service';
import * as z from 'zod';
import type { ClientTls, Identity, ServerTls } from './rpc-tls.ts';

const IDENTITY = ['GRPC_CERT_FILE', 'GRPC_KEY_FILE'] as const;

const identitySettings = {
  /** Whether calls between services use TLS. Both sides must use the same value. */
  GRPC_TLS: booleanSetting().default(false),
  /** PEM files of the certificate and key of this process. Both must be set, or neither. */
  GRPC_CERT_FILE: z.string().optional(),
  GRPC_KEY_FILE: z.string().optional(),
};

/** Settings of every process that serves calls. `checkRpcServerSettings` validates them together. */
export const rpcServerSettings = {
  ...identitySettings,
  /** A PEM file of certificate authorities. Callers must present a certificate issued by one of them. */
  GRPC_CLIENT_CA_FILE: z.string().optional(),
};

/** Settings of every process that makes calls. `checkRpcClientSettings` validates them together. */
export const rpcClientSettings = {
  ...identitySettings,
  /** A PEM file of the authorities to trust instead of the system's. */
  GRPC_CA_FILE: z.string().optional(),
};

const ClientEnvironment = z.object(rpcClientSettings);
type IdentitySettings = z.infer<z.ZodObject<typeof identitySettings>>;
export type RpcServerSettings = z.infer<z.ZodObject<typeof rpcServerSettings>>;
export type RpcClientSettings = z.infer<typeof ClientEnvironment>;

export function checkRpcServerSettings(
  settings: RpcServerSettings,
  context: z.RefinementCtx,
): void {
  const refuse = settingRefusal<keyof RpcServerSettings>(context);
  checkIdentity(settings, refuse);
  const { GRPC_TLS, GRPC_CERT_FILE, GRPC_KEY_FILE, GRPC_CLIENT_CA_FILE } = settings;
  if (!GRPC_TLS && GRPC_CLIENT_CA_FILE !== undefined) refuse('GRPC_CLIENT_CA_FILE', NEEDS_TLS);
  if (GRPC_TLS && GRPC_CERT_FILE === undefined && GRPC_KEY_FILE === undefined) {
    refuse('GRPC_TLS', NEEDS_IDENTITY);
  }
}

export function checkRpcClientSettings(
  settings: RpcClientSettings,
  context: z.RefinementCtx,
): void {
  const refuse = settingRefusal<keyof RpcClientSettings>(context);
  checkIdentity(settings, refuse);
  const { GRPC_TLS, GRPC_CA_FILE } = settings;
  if (!GRPC_TLS && GRPC_CA_FILE !== undefined) refuse('GRPC_CA_FILE', NEEDS_TLS);
}

const NEEDS_TLS = 'is for TLS: set GRPC_TLS=true';
const NEEDS_IDENTITY = 'needs GRPC_CERT_FILE and GRPC_KEY_FILE: callers check the certificate';

function checkIdentity(
  settings: IdentitySettings,
  refuse: RefuseSetting<keyof IdentitySettings>,
): void {
  requireBothOrNeither(IDENTITY, settings, refuse);
  for (const name of IDENTITY) {
    if (!settings.GRPC_TLS && settings[name] !== undefined) refuse(name, NEEDS_TLS);
  }
}

/** TLS for a server, from these settings. Undefined without TLS. The files are read here, once. */
export function rpcServerTls(settings: RpcServerSettings): ServerTls | undefined {
  if (!settings.GRPC_TLS) return undefined;
  const identity = readIdentity(settings);
  if (identity === undefined) throw wrongSetting('GRPC_TLS', NEEDS_IDENTITY, undefined);
  return { identity, clientAuthority: readAuthoritiesFile('GRPC_CLIENT_CA_FILE', settings) };
}

/** TLS for a client, from these settings. Undefined without TLS. The files are read here, once. */
export function rpcClientTls(settings: RpcClientSettings): ClientTls | undefined {
  if (!settings.GRPC_TLS) return undefined;
  return {
    certificateAuthority: readAuthoritiesFile('GRPC_CA_FILE', settings),
    identity: readIdentity(settings),
  };
}

/** Reads only the TLS settings, for programs that have no other settings. */
export function readRpcClientTls(environment: Environment): ClientTls | undefined {
  const schema = ClientEnvironment.superRefine(checkRpcClientSettings);
  return rpcClientTls(readConfiguration(schema, environment));
}

function readIdentity(settings: IdentitySettings): Identity | undefined {
  const { certificate, privateKey } = readIdentityFiles(IDENTITY, settings);
  if (certificate === undefined || privateKey === undefined) return undefined;
  return { certificate, privateKey };
}
