import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const HELP = `Usage: npm run generate    writes the types of the gRPC contracts in proto/, the schema of
                           the file that 'sluice apply' takes, and the dashboard
       npm run generate -- --out DIR
                           writes the types alone, into this folder`;

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const generator = createRequire(import.meta.url).resolve(
  '@grpc/proto-loader/build/bin/proto-loader-gen-types.js',
);

const GENERATED = fileURLToPath(new URL('generated', import.meta.url));

/** New types are written beside the old, into a folder with this and what mkdtemp adds after its name. */
const BESIDE = '.new-';
const RANDOM_END = /^[A-Za-z0-9]{6}$/;

const wish = readParameters();
if (wish === undefined) process.exitCode = 2;
else if (wish.help) console.log(HELP);
else await replace(path.resolve(wish.out ?? GENERATED));

/** Undefined when they are wrong, which is said. */
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

/** What is there stays until all of the new is: a contract that is broken costs nobody the old types. */
async function replace(folder: string): Promise<void> {
  await mkdir(path.dirname(folder), { recursive: true });
  await removeLeftovers(folder);
  const beside = await mkdtemp(`${folder}${BESIDE}`);
  try {
    const fresh = path.join(beside, 'types');
    await generateInto(fresh);
    // Our own folder may hold types of contracts that are gone; another one may hold anything.
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

/** Whether there is anything in the folder that the types would not replace. */
async function holdsMoreThan(fresh: string, folder: string): Promise<boolean> {
  const own = new Set(await readdir(fresh));
  const present = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  return present.some((name) => !own.has(name));
}

/** A run that was killed leaves its folder, which nobody else uses. */
async function removeLeftovers(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  const beginning = `${path.basename(folder)}${BESIDE}`;
  for (const name of await readdir(parent)) {
    const isLeft = name.startsWith(beginning) && RANDOM_END.test(name.slice(beginning.length));
    if (isLeft) await rm(path.join(parent, name), { recursive: true, force: true });
  }
}

async function generateInto(folder: string): Promise<void> {
  // From the repository's root, because the generator writes the protos' relative paths into its output.
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
      // A message as it is received has the plain name; as it may be sent, the name with Input.
      '--inputTemplate=%sInput',
      '--outputTemplate=%s',
      '--includeDirs=proto',
      `--outDir=${folder}`,
      'quota/v1/quota.proto',
      'catalog/v1/catalog.proto',
    ],
    { cwd: repository },
  );
}
