import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CONTAINER_DATA, CONTAINER_SETTINGS, dockerCommand } from './docker-command.ts';
import { LOOPBACK } from './loopback-port.ts';
import { probeServer } from './probe-server.ts';
import type { PlanOptions, ServerPlan } from './server-plan.ts';

const SETTINGS_FILE = join(import.meta.dirname, '../../../deploy/redis/redis.conf');
const CONTAINER_PORT = 6379;

/** How to run Redis with the shipped settings on the loopback interface. */
export function planRedis({ program, dataFolder, port, settings }: PlanOptions): ServerPlan {
  const extra = Object.entries(settings ?? {}).flatMap(([name, value]) => [`--${name}`, value]);
  const shared = { kind: 'redis', port, url: `redis://${LOOPBACK}:${port}` } as const;
  if (program.kind === 'executable') {
    return {
      ...shared,
      program: program.path,
      parameters: [SETTINGS_FILE, '--port', String(port), '--dir', dataFolder, ...extra],
      answers: (pid) => redisAnswers(port, 'INFO server', `\r\nprocess_id:${pid}\r\n`),
      killCommand: undefined,
    };
  }
  // In a container, Redis has another process id than outside, so it is recognized by a mark. The mark is the value of
  // a setting without effect: the name for the system log, to which Redis does not write here.
  const mark = `sluice-${randomBytes(6).toString('hex')}`;
  const command = dockerCommand({
    kind: 'redis',
    image: program.image,
    port,
    containerPort: CONTAINER_PORT,
    dataFolder,
    settingsFile: SETTINGS_FILE,
    // A published port leads to the container's network interface, not to its loopback interface.
    parameters: [
      'redis-server',
      CONTAINER_SETTINGS,
      '--bind',
      '0.0.0.0',
      '--protected-mode',
      'no',
      '--dir',
      CONTAINER_DATA,
      '--syslog-ident',
      mark,
      ...extra,
    ],
  });
  return {
    ...shared,
    ...command,
    answers: () => redisAnswers(port, 'CONFIG GET syslog-ident', `\r\n${mark}\r\n`),
  };
}

/** Whether the server answers and is the one that was started. While Redis loads its data, it answers with an error. */
async function redisAnswers(port: number, question: string, proof: string): Promise<boolean> {
  return probeServer({
    port,
    // The answer to the second PING marks the end of the answer to the question.
    send: `PING\r\n${question}\r\nPING\r\n`,
    check: (received) => {
      // The answer can arrive in pieces, so only the part that has arrived is compared.
      if (!received.startsWith('+PONG'.slice(0, received.length))) return false;
      return received.endsWith('\r\n+PONG\r\n') ? received.includes(proof) : undefined;
    },
  });
}
