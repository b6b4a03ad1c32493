import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { UsageError } from '../command.ts';
import { LOOPBACK, type FreePorts } from './free-port.ts';
import { launch } from './launch.ts';
import { openLogFile } from './log-file.ts';
import type { Member } from './process-group.ts';
import type { StateFolder } from './state-folder.ts';

export interface BackingInputs {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: StateFolder;
  readonly ports: FreePorts;
}

const GRACE_MS = 10_000;

export async function planBacking({
  environment,
  folder,
  ports,
}: BackingInputs): Promise<{ redis: Member; nats: Member }> {
  return {
    redis: await plan('redis', environment['REDIS_URL'], environment['SLUICE_REDIS_SERVER']),
    nats: await plan('nats', environment['NATS_URL'], environment['SLUICE_NATS_SERVER']),
  };

  async function plan(
    role: 'redis' | 'nats',
    given: string | undefined,
    program: string | undefined,
  ): Promise<Member> {
    if (given !== undefined && given !== '') {
      return { name: role, role, url: given, readyUrl: null, plan: undefined };
    }
    if (program === undefined) throw new UsageError(`no ${role} server`);
    const port = await ports.next();
    const data = folder[role];
    const log = openLogFile(folder.logs, role);
    const settings = join(data, 'nats.conf');
    if (role === 'nats') {
      await writeFile(
        settings,
        `listen: "${LOOPBACK}:${port}"\nmax_payload: 8388608\njetstream { store_dir: "${data}" }\n`,
      );
    }
    const parameters =
      role === 'nats'
        ? ['--config', settings]
        : [
            '--port',
            String(port),
            '--bind',
            LOOPBACK,
            '--dir',
            data,
            '--appendonly',
            'yes',
            '--save',
            '',
          ];
    return {
      name: role,
      role,
      url: `${role}://${LOOPBACK}:${port}`,
      readyUrl: null,
      plan: {
        name: role,
        log,
        graceMs: GRACE_MS,
        isReady: async () => {
          const { promise, resolve } = Promise.withResolvers<boolean>();
          const socket = connect({ host: LOOPBACK, port }, () =>
            socket.write(role === 'redis' ? 'PING\r\n' : ''),
          );
          socket.once('data', (bytes) => resolve(/^(\+PONG|INFO)/.test(bytes.toString())));
          socket.once('error', () => resolve(false));
          const answer = await promise;
          socket.destroy();
          return answer;
        },
        launch: async () =>
          launch({
            program,
            parameters,
            environment: { ...environment },
            log: log.descriptor,
            tether: false,
          }),
      },
    };
  }
}
