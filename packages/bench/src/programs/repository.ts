import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../../..');

/** Where programs that only the benchmark needs are kept. */
export const TOOLS = join(ROOT, '.tools');
