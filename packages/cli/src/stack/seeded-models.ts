import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { unusablePart, type StateFolder } from './state-folder.ts';

/** The ids of the models that starts created, by the epoch of the catalog. One NATS may hold several catalogs. */
const SeededModels = z.record(z.string(), z.array(z.string()));
type SeededModels = z.infer<typeof SeededModels>;

/** The models of a catalog that earlier starts from this folder created. */
export async function readSeededModels(folder: StateFolder, epoch: number): Promise<Set<string>> {
  return new Set((await readAll(folder))[epoch]);
}

export async function recordSeededModels(
  folder: StateFolder,
  epoch: number,
  ids: readonly string[],
): Promise<void> {
  const file = folder.seededModelsFile;
  const all = { ...(await readAll(folder)), [epoch]: ids };
  try {
    await writeFile(file, `${JSON.stringify(all)}\n`);
  } catch (error) {
    throw unusablePart(folder.path, file, error);
  }
}

/**
 * If the file is missing or truncated, no model is known to come from a start. All models then belong to the operator
 * and stay.
 */
async function readAll({ seededModelsFile }: StateFolder): Promise<SeededModels> {
  try {
    return SeededModels.parse(JSON.parse(await readFile(seededModelsFile, 'utf8')));
  } catch {
    return {};
  }
}
