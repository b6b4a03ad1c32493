import { writeFile } from 'node:fs/promises';
import { resourceFileSchema } from './resource-file-schema.ts';

/** Writes the schema beside the example: `node services/catalog/src/generate-resource-file-schema.ts`. */
await writeFile(
  new URL('../../../deploy/examples/sluice.schema.json', import.meta.url),
  resourceFileSchema(),
);
