import { FREE_PORTS, FREE_PORTS_VARIABLE } from '@sluice/servers';

/**
 * A setup file of vitest for suites whose files run in parallel. A port counts as free until a server listens on it, so
 * two files could choose the same one. Therefore each file, and the processes that it starts, use a separate part of
 * the range of ports.
 */
const PARTS = 4;
const { lowest, highest } = FREE_PORTS;
const size = Math.floor((highest - lowest) / PARTS);
/**
 * The number of the worker, from 1 to the number of files that run in parallel. The id of the parent process makes it
 * unlikely that two runs use the same parts.
 */
const worker = Number(process.env['VITEST_POOL_ID'] ?? '1');
const first = lowest + ((worker + process.ppid) % PARTS) * size;
process.env[FREE_PORTS_VARIABLE] = `${first}-${first + size}`;
