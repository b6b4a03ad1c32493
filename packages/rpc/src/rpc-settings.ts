import {
  booleanSetting,
  readCertificatesFile,
  readConfiguration,
  readPrivateKeyFile,
  wrongSetting,
  type Environment,
} from '@sluice/host';
import * as z from 'zod';
import type { ClientTls, Identity, ServerTls } from './rpc-tls.ts';

const identitySettings = {
  /** Whether calls between services are encrypted: on both sides, or on neither. */
  GRPC_TLS: booleanSetting().default(false),
  /** PEM files of who this process is. One needs the other. */
  GRPC_CERT_FILE: z.string().optional(),
  GRPC_KEY_FILE: z.string().optional(),
};

/** Settings of every process that is called; `checkRpcServerSettings` looks at them together. */
export const rpcServerSettings = {
  ...identitySettings,
  /** A PEM file of the authorities of which callers must show a certificate. */
  GRPC_CLIENT_CA_FILE: z.string().optional(),
};

/** Settings of every process that calls; `checkRpcClientSettings` looks at them together. */
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
  const refuse = refusal(context);
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
  const refuse = refusal(context);
  checkIdentity(settings, refuse);
  const { GRPC_TLS, GRPC_CA_FILE } = settings;
  if (!GRPC_TLS && GRPC_CA_FILE !== undefined) refuse('GRPC_CA_FILE', NEEDS_TLS);
}

/** What would be ignored is refused: whoever sets it counts on it. */
const NEEDS_TLS = 'is for TLS: set GRPC_TLS=true';
const NEEDS_IDENTITY = 'needs GRPC_CERT_FILE and GRPC_KEY_FILE: callers want to be shown them';

type Refuse = (name: string, message: string) => void;

function refusal(context: z.RefinementCtx): Refuse {
  return (name, message) => context.addIssue({ code: 'custom', path: [name], message });
}

function checkIdentity(settings: IdentitySettings, refuse: Refuse): void {
  const { GRPC_TLS, GRPC_CERT_FILE, GRPC_KEY_FILE } = settings;
  if ((GRPC_CERT_FILE === undefined) !== (GRPC_KEY_FILE === undefined)) {
    refuse('GRPC_CERT_FILE', 'goes together with GRPC_KEY_FILE');
  }
  if (!GRPC_TLS && GRPC_CERT_FILE !== undefined) refuse('GRPC_CERT_FILE', NEEDS_TLS);
  if (!GRPC_TLS && GRPC_KEY_FILE !== undefined) refuse('GRPC_KEY_FILE', NEEDS_TLS);
}

/** How to be called by these settings; undefined is in the clear. The files are read here, once. */
export function rpcServerTls(settings: RpcServerSettings): ServerTls | undefined {
  if (!settings.GRPC_TLS) return undefined;
  const identity = readIdentity(settings);
  if (identity === undefined) throw wrongSetting('GRPC_TLS', NEEDS_IDENTITY, undefined);
  const path = settings.GRPC_CLIENT_CA_FILE;
  return { identity, clientAuthority: readCertificatesFile({ name: 'GRPC_CLIENT_CA_FILE', path }) };
}

/** How to call by these settings; undefined is in the clear. The files are read here, once. */
export function rpcClientTls(settings: RpcClientSettings): ClientTls | undefined {
  if (!settings.GRPC_TLS) return undefined;
  const path = settings.GRPC_CA_FILE;
  return {
    certificateAuthority: readCertificatesFile({ name: 'GRPC_CA_FILE', path }),
    identity: readIdentity(settings),
  };
}

/** For programs that have no settings of their own. */
export function readRpcClientTls(environment: Environment): ClientTls | undefined {
  const schema = ClientEnvironment.superRefine(checkRpcClientSettings);
  return rpcClientTls(readConfiguration(schema, environment));
}

function readIdentity(settings: IdentitySettings): Identity | undefined {
  const certificate = readCertificatesFile({
    name: 'GRPC_CERT_FILE',
    path: settings.GRPC_CERT_FILE,
  });
  const privateKey = readPrivateKeyFile({
    name: 'GRPC_KEY_FILE',
    path: settings.GRPC_KEY_FILE,
    certificate: { name: 'GRPC_CERT_FILE', text: certificate },
  });
  if (certificate === undefined || privateKey === undefined) return undefined;
  return { certificate, privateKey };
}
