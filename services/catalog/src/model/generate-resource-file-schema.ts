import { writeFile } from 'node:fs/promises';
import { resourceFileSchema } from './resource-file-schema.ts';

/** Writes the schema beside the example: `pnpm --filter @sluice/catalog generate`. */
await writeFile(
  new URL('../../../../deploy/examples/sluice.schema.json', import.meta.url),
  resourceFileSchema(),
);
