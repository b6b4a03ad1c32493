import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

/** Writes the TypeScript types of the gRPC contracts: `node packages/rpc/src/generate.ts [--out DIR]`. */

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const generator = createRequire(import.meta.url).resolve(
  '@grpc/proto-loader/build/bin/proto-loader-gen-types.js',
);

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = path.resolve(values.out ?? fileURLToPath(new URL('generated', import.meta.url)));

await rm(out, { recursive: true, force: true });
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
    `--outDir=${out}`,
    'quota/v1/quota.proto',
    'catalog/v1/catalog.proto',
  ],
  { cwd: repository },
);
console.log(`types written to ${path.relative(process.cwd(), out)}`);
