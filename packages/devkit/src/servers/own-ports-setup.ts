import { FREE_PORTS, FREE_PORTS_VARIABLE } from '@sluice/servers';

// A setup file of vitest for suites whose files run in parallel. A port counts as free until a server listens on it, so
// two files could choose the same one. Therefore each file, and the processes that it starts, use a separate part of the
// range of ports.

/** At least the number of files that run in parallel. */
const PARTS = 4;
const { lowest, highest } = FREE_PORTS;
const size = Math.floor((highest - lowest) / PARTS);
/** Vitest numbers the files that run in parallel, from 1. */
const poolId = Number(process.env['VITEST_POOL_ID'] ?? '1');
// Another run of the tests has another parent process, so it rarely gets the same part.
const first = lowest + ((poolId + process.ppid) % PARTS) * size;
process.env[FREE_PORTS_VARIABLE] = `${first}-${first + size}`;
