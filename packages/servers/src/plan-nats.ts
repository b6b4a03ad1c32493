import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTAINER_DATA, CONTAINER_SETTINGS, dockerCommand } from './docker-command.ts';
import { LOOPBACK } from './loopback-port.ts';
import { probeServer } from './probe-server.ts';
import type { PlanOptions, ServerPlan } from './server-plan.ts';

const SETTINGS_FILE = join(import.meta.dirname, '../../../deploy/nats/nats.conf');
const CONTAINER_PORT = 4222;

/** How to run NATS with JetStream and the shipped settings on the loopback interface. */
export function planNats({ program, dataFolder, port, settings }: PlanOptions): ServerPlan {
  const settingsFile = settingsFileWith(settings ?? {}, dataFolder);
  // The server sends its name in INFO. A random name proves that the server on the port is the one that was started.
  const name = `sluice-${randomBytes(6).toString('hex')}`;
  const shared = {
    kind: 'nats',
    port,
    url: `nats://${LOOPBACK}:${port}`,
    answers: () => natsAnswers(port, name),
  } as const;
  if (program.kind === 'executable') {
    return {
      ...shared,
      program: program.path,
      parameters: natsParameters({ settingsFile, name, port, host: LOOPBACK, store: dataFolder }),
      killCommand: undefined,
    };
  }
  const command = dockerCommand({
    kind: 'nats',
    image: program.image,
    port,
    containerPort: CONTAINER_PORT,
    dataFolder,
    settingsFile,
    // A published port leads to the container's network interface, not to its loopback interface.
    parameters: natsParameters({
      settingsFile: CONTAINER_SETTINGS,
      name,
      port: CONTAINER_PORT,
      host: '0.0.0.0',
      store: CONTAINER_DATA,
    }),
  });
  return { ...shared, ...command };
}

interface NatsParameters {
  settingsFile: string;
  name: string;
  port: number;
  host: string;
  store: string;
}

function natsParameters({ settingsFile, name, port, host, store }: NatsParameters): string[] {
  return [
    '--config',
    settingsFile,
    '--name',
    name,
    '--addr',
    host,
    '--port',
    String(port),
    '--store_dir',
    store,
  ];
}

/** nats-server accepts only one configuration file. With extra settings, a copy of the shipped file is written. */
function settingsFileWith(settings: Readonly<Record<string, string>>, dataFolder: string): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${value}`);
  if (lines.length === 0) return SETTINGS_FILE;
  const path = join(dataFolder, 'nats.conf');
  mkdirSync(dataFolder, { recursive: true });
  writeFileSync(path, [readFileSync(SETTINGS_FILE, 'utf8'), ...lines, ''].join('\n'));
  return path;
}

async function natsAnswers(port: number, name: string): Promise<boolean> {
  return probeServer({
    port,
    send: 'CONNECT {"verbose":false}\r\nPING\r\n',
    check: (received) => {
      const greeting = /^INFO (\{.*\}) ?\r\n/.exec(received)?.[1];
      if (greeting === undefined) return undefined;
      const info: unknown = JSON.parse(greeting);
      const isOurs =
        typeof info === 'object' &&
        info !== null &&
        'server_name' in info &&
        info.server_name === name &&
        'jetstream' in info &&
        info.jetstream === true;
      if (!isOurs) return false;
      return received.includes('\r\nPONG\r\n') ? true : undefined;
    },
  });
}
