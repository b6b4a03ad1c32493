import { readFile, stat } from 'node:fs/promises';
import { UsageError, type CommandContext } from '../command.ts';
import { errorCode } from '../error-code.ts';
import { LOCAL, findContext, readContextFile, type Deployment } from './context-file.ts';

export interface ChosenDeployment extends Deployment {
  /** The name of its context. */
  readonly name: string;
}

/**
 * The deployment of the context that --context, SLUICE_CONTEXT or the file of contexts names. Undefined is the stack on
 * this machine. `isNamed` says whether an option such as --address names a deployment. In that case, only --context
 * counts.
 */
export async function chosenDeployment(
  context: Pick<CommandContext, 'environment' | 'contextName'>,
  { isNamed }: { isNamed: boolean },
): Promise<ChosenDeployment | undefined> {
  const { contextName, environment } = context;
  if (isNamed && contextName === undefined) return undefined;
  const file = await readContextFile(context);
  const fromEnvironment = environment['SLUICE_CONTEXT'];
  const name =
    contextName ??
    (fromEnvironment === undefined || fromEnvironment === '' ? file.current : fromEnvironment);
  const deployment = findContext(file, name);
  return deployment === undefined ? undefined : { ...deployment, name };
}

export type AddressField = 'address' | 'usage' | 'quota' | 'url' | 'nats';

/** The address of a service in the deployment. */
export function addressIn(deployment: ChosenDeployment, field: AddressField): string {
  const address = deployment[field];
  if (address !== undefined) return address;
  const { name } = deployment;
  throw new UsageError(
    `the context ${name} has no ${field}; add it with 'sluice context add ${name} --${field} …', or choose '--context ${LOCAL}'`,
  );
}

/** The environment with the TLS and credentials files of the deployment. */
export function environmentOf(
  { tls, ca_file, cert_file, key_file, nats_creds_file }: Deployment,
  environment: CommandContext['environment'],
): CommandContext['environment'] {
  return {
    ...environment,
    ...(tls === undefined ? {} : { GRPC_TLS: String(tls) }),
    ...(ca_file === undefined ? {} : { GRPC_CA_FILE: ca_file }),
    ...(cert_file === undefined ? {} : { GRPC_CERT_FILE: cert_file }),
    ...(key_file === undefined ? {} : { GRPC_KEY_FILE: key_file }),
    ...(nats_creds_file === undefined ? {} : { NATS_CREDS_FILE: nats_creds_file }),
  };
}

/** The admin token of the deployment. Undefined if its context names neither a file nor a variable. */
export async function tokenOf(
  { name, token_file: file, token_env: variable }: ChosenDeployment,
  { environment }: Pick<CommandContext, 'environment'>,
): Promise<string | undefined> {
  if (file !== undefined) return readSecretFile(file);
  if (variable === undefined) return undefined;
  const token = environment[variable];
  if (token !== undefined && token !== '') return token;
  throw new UsageError(`the context ${name} reads its token from ${variable}, which is not set`);
}

const GROUP_AND_OTHERS = 0o077;

async function readSecretFile(file: string): Promise<string> {
  try {
    const { mode } = await stat(file);
    if ((mode & GROUP_AND_OTHERS) !== 0) {
      throw new UsageError(`${file} is open to other users; 'chmod 600 ${file}' first`);
    }
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read (${errorCode(error)})`, { cause: error });
  }
}
