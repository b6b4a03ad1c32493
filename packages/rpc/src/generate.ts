import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const HELP = `Usage: npm run generate    writes the types of the gRPC contracts in proto/, the schema of
                           files for 'sluice apply', the dashboard and the NATS users
       npm run generate -- --out DIR
                           writes only the types, into this folder`;

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const generator = createRequire(import.meta.url).resolve(
  '@grpc/proto-loader/build/bin/proto-loader-gen-types.js',
);

const GENERATED = fileURLToPath(new URL('generated', import.meta.url));

/**
 * New types are written to a folder beside the old one. Its name has this suffix and the characters that mkdtemp adds.
 */
const NEW_SUFFIX = '.new-';
const RANDOM_END = /^[A-Za-z0-9]{6}$/;

const parameters = readParameters();
if (parameters === undefined) process.exitCode = 2;
else if (parameters.help) console.log(HELP);
else await replace(path.resolve(parameters.out ?? GENERATED));

/** Returns undefined after printing an error if the parameters are wrong. */
function readParameters(): { help: boolean; out?: string } | undefined {
  const options = {
    help: { type: 'boolean', short: 'h', default: false },
    out: { type: 'string' },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`npm run generate: ${error.message.split(/\. |\n/, 1)[0]}; see --help`);
    return undefined;
  }
}

/** Replaces the old types only when all new ones are written, so a broken contract leaves the old types in place. */
async function replace(folder: string): Promise<void> {
  await mkdir(path.dirname(folder), { recursive: true });
  await removeLeftovers(folder);
  const beside = await mkdtemp(`${folder}${NEW_SUFFIX}`);
  try {
    const fresh = path.join(beside, 'types');
    await generateInto(fresh);
    // Our own folder may hold types of deleted contracts. Any other folder may hold unrelated files.
    if (folder !== GENERATED && (await holdsMoreThan(fresh, folder))) {
      console.error(`npm run generate: ${folder} holds other files, too; name a folder of its own`);
      process.exitCode = 2;
      return;
    }
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  console.log(`types written to ${path.relative(process.cwd(), folder)}`);
}

/** Whether the folder holds anything that the types would not replace. */
async function holdsMoreThan(fresh: string, folder: string): Promise<boolean> {
  const own = new Set(await readdir(fresh));
  const present = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  return present.some((name) => !own.has(name));
}

/** Removes folders left by runs that were killed. Nothing else uses them. */
async function removeLeftovers(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  const beginning = `${path.basename(folder)}${NEW_SUFFIX}`;
  for (const name of await readdir(parent)) {
    const isLeft = name.startsWith(beginning) && RANDOM_END.test(name.slice(beginning.length));
    if (isLeft) await rm(path.join(parent, name), { recursive: true, force: true });
  }
}

async function generateInto(folder: string): Promise<void> {
  // Runs in the repository root, because the generator writes the relative paths of the protos into its output.
  await promisify(execFile)(
    process.execPath,
    [
      generator,
      '--longs=Number',
      '--enums=String',
      '--defaults',
      '--oneofs',
      '--grpcLib=@grpc/grpc-js',
      '--importFileExtension=.ts',
      '--includeComments',
      // The type of a received message has the plain name. The type of a message to send has the suffix Input.
      '--inputTemplate=%sInput',
      '--outputTemplate=%s',
      '--includeDirs=proto',
      `--outDir=${folder}`,
      'quota/v1/quota.proto',
      'catalog/v1/catalog.proto',
      'catalog/v1/console.proto',
      'catalog/v1/budgets.proto',
      'usage/v1/usage.proto',
    ],
    { cwd: repository },
  );
}
