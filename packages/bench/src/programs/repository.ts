import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../../..');

/** Folder for programs that only the benchmark needs. */
export const TOOLS = join(ROOT, '.tools');
