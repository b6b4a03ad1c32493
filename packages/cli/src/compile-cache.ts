import { join } from 'node:path';

/**
 * The compile cache of Node (https://nodejs.org/docs/latest-v24.x/api/module.html#module-compile-cache) about halves
 * the start time of a process. It lies next to the tools that the bootstrap downloads: all stacks share it, and it is
 * deleted with the tools.
 */
export const COMPILE_CACHE = join(import.meta.dirname, '../../../.tools/compile-cache');
