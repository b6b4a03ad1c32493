import { join } from 'node:path';

/**
 * Where Node keeps compiled code: processes that find it start in half the time. Beside the tools that the
 * bootstrap fetches, so that it is shared by every stack and goes with them.
 */
export const COMPILE_CACHE = join(import.meta.dirname, '../../../.tools/compile-cache');
