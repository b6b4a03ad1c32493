import { afterEach, expect, test, vi } from 'vitest';
import { startProgram } from './child-program.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('credentials of other servers do not reach a program, unless they are passed to it', async () => {
  vi.stubEnv('NATS_CA_FILE', '/of/somebody');
  vi.stubEnv('REDIS_PASSWORD', 'of-somebody');
  vi.stubEnv('KEPT', 'yes');
  const script = `
    const { NATS_CA_FILE, REDIS_PASSWORD, KEPT } = process.env;
    console.log(JSON.stringify({ NATS_CA_FILE, REDIS_PASSWORD, KEPT }));
  `;
  await using program = await startProgram({
    name: 'printer',
    program: process.execPath,
    parameters: ['--eval', script],
    environment: { REDIS_PASSWORD: 'of-the-bench' },
  });
  expect(JSON.parse(await program.firstLine)).toEqual({
    REDIS_PASSWORD: 'of-the-bench',
    KEPT: 'yes',
  });
});
