import { resolve } from 'node:path';
import { readAddress, readApiRoot } from '../address-option.ts';
import { UsageError, type CommandContext } from '../command.ts';
import {
  LOCAL,
  findContext,
  readContextFile,
  writeContextFile,
  type ContextFile,
  type Deployment,
} from '../contexts/context-file.ts';
import { defineCommand } from '../define-command.ts';
import { LIST_FORMATS, outputHelp, type Shown } from '../output/formats.ts';
import { readVerb } from '../read-verb.ts';
import { table } from '../table.ts';

const VERBS = ['add', 'list', 'use', 'remove'] as const;

const OPTIONS = {
  state: { type: 'string' },
  address: { type: 'string' },
  usage: { type: 'string' },
  quota: { type: 'string' },
  url: { type: 'string' },
  nats: { type: 'string' },
  prefix: { type: 'string' },
  'nats-creds-file': { type: 'string' },
  'token-file': { type: 'string' },
  'token-env': { type: 'string' },
  tls: { type: 'boolean' },
  'ca-file': { type: 'string' },
  'cert-file': { type: 'string' },
  'key-file': { type: 'string' },
} as const;

export const contextCommand = defineCommand({
  help: `
Usage: sluice context add NAME [OPTIONS]
       sluice context list
       sluice context use NAME
       sluice context remove NAME

Names deployments, so that commands find them. A command uses the context of
--context, else of SLUICE_CONTEXT, else the one chosen with 'use'. The context
${LOCAL} is the stack on this machine. 'add' changes a context that exists already.

The contexts are in ~/.config/sluice/contexts.yaml, or in the file that SLUICE_CONFIG
names. Only its owner can read it. It holds no secrets, only where they are.

Options of 'add':
  --address H:P     admin port of a catalog
  --usage H:P       port of a usage service
  --quota H:P       port of a quota service
  --url URL         base address of the API, including /compat/v1
  --nats URL        NATS, without a password
  --prefix PREFIX   subject prefix
  --token-file FILE file with the admin token, readable by its owner only
  --token-env NAME  environment variable with the admin token (SLUICE_ADMIN_TOKEN)
  --nats-creds-file FILE
                    credentials for NATS
  --tls             encrypt calls to the catalog, usage and quota
  --ca-file FILE    authorities to trust; implies --tls
  --cert-file FILE, --key-file FILE
                    certificate and key of this client; imply --tls
  --state DIR       folder of a stack on this machine, instead of addresses
${outputHelp(LIST_FORMATS)}
`,
  options: OPTIONS,
  formats: LIST_FORMATS,
  words: [{ words: VERBS }],
  run: async ({ values, positionals, show }, context) => {
    const { verb, rest } = readVerb('context', VERBS, positionals);
    const [name, ...more] = rest;
    if (more.length > 0 || (verb === 'list' && name !== undefined)) {
      throw new UsageError(`too many words: '${rest.slice(verb === 'list' ? 0 : 1).join(' ')}'`);
    }
    const file = await readContextFile(context);
    if (verb === 'list') {
      show(listed(file));
      return;
    }
    if (name === undefined) throw new UsageError('name the context');
    if (verb === 'use') {
      findContext(file, name);
      await writeContextFile({ ...file, current: name }, context);
      context.print(`Commands now use the context ${name}.`);
    } else if (verb === 'remove') {
      findContext(file, name);
      if (name === LOCAL) throw new UsageError(`${LOCAL} is always there`);
      const { [name]: _removed, ...contexts } = file.contexts;
      const current = file.current === name ? LOCAL : file.current;
      await writeContextFile({ current, contexts }, context);
      context.print(`The context ${name} is removed; commands now use ${current}.`);
    } else await add(name, { file, given: readDeployment(values, context) }, context);
  },
});

type Values = Parameters<Parameters<typeof defineCommand<typeof OPTIONS>>[0]['run']>[0]['values'];

async function add(
  name: string,
  { file, given }: { file: ContextFile; given: Deployment },
  context: CommandContext,
): Promise<void> {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) || name === LOCAL) {
    throw new UsageError(
      `'${name}' is no name for a context: use up to 64 letters, digits or . _ -, but not ${LOCAL}`,
    );
  }
  const known = Object.hasOwn(file.contexts, name) ? file.contexts[name] : undefined;
  const deployment = { ...known, ...given };
  const { state, ...addresses } = deployment;
  if (Object.keys(deployment).length === 0) {
    throw new UsageError('say where it is, such as with --address HOST:PORT');
  }
  if (state !== undefined && Object.keys(addresses).length > 0) {
    throw new UsageError('--state and addresses exclude each other');
  }
  const contexts = { ...file.contexts, [name]: deployment };
  const path = await writeContextFile({ ...file, contexts }, context);
  const use = file.current === name ? '' : `; 'sluice context use ${name}' chooses it`;
  context.print(`The context ${name} is in ${path}${use}.`);
}

/** Checks the options. Paths become absolute, because other commands run in other folders. */
function readDeployment(values: Values, { folder }: CommandContext): Deployment {
  const path = (given: string | undefined) =>
    given === undefined ? undefined : resolve(folder, given);
  const files = {
    ca_file: path(values['ca-file']),
    cert_file: path(values['cert-file']),
    key_file: path(values['key-file']),
  };
  const isEncrypted = Object.values(files).some((file) => file !== undefined);
  const { nats } = values;
  // A user or a password is between the `//` and an `@`.
  if (nats !== undefined && /^[^/]*\/\/[^/]*@/.test(nats)) {
    throw new UsageError('--nats must hold no user or password: use --nats-creds-file');
  }
  return withoutUndefined({
    state: path(values.state),
    address: values.address && readAddress('--address', values.address),
    usage: values.usage && readAddress('--usage', values.usage),
    quota: values.quota && readAddress('--quota', values.quota),
    url: values.url && readApiRoot(values.url),
    nats,
    prefix: values.prefix,
    nats_creds_file: path(values['nats-creds-file']),
    token_file: path(values['token-file']),
    token_env: values['token-env'],
    tls: values.tls ?? (isEncrypted ? true : undefined),
    ...files,
  });
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `fromEntries` loses the names
  return Object.fromEntries(entries) as Defined<Fields>;
}

function listed({ current, contexts }: ContextFile): Shown {
  const entries = [[LOCAL, {}] as const, ...Object.entries(contexts)];
  const data = entries.map(([name, deployment]) => ({
    name,
    current: name === current,
    ...deployment,
  }));
  const row = ([name, deployment]: readonly [string, Deployment]) => [
    name === current ? '*' : '',
    name,
    name === LOCAL ? 'the stack on this machine' : (deployment.address ?? deployment.state ?? '-'),
    deployment.url ?? '-',
  ];
  return {
    data,
    text: (screen) => table(['', 'context', 'address', 'url'], entries.map(row), { screen }),
  };
}
