import { createHash } from 'node:crypto';
import type { BackingKind } from './backing-source.ts';
import { LOOPBACK } from './loopback-port.ts';

export interface ContainerOptions {
  readonly kind: BackingKind;
  readonly image: string;
  readonly port: number;
  readonly containerPort: number;
  readonly dataFolder: string;
  readonly settingsFile: string;
  readonly parameters: readonly string[];
}

export const CONTAINER_DATA = '/data';
export const CONTAINER_SETTINGS = '/etc/sluice-server.conf';

export interface DockerCommand {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly killCommand: readonly string[];
}

// `$0` is the name of the container, and `$@` are the options of `docker run`. The container is removed first: if an
// earlier Docker client was killed, its container still runs and uses the port.
const REPLACE_AND_RUN = 'docker rm --force "$0" >/dev/null 2>&1; exec docker run "$@"';

/**
 * Runs a container in the foreground and removes it when it ends. The process is Docker's client, which forwards
 * signals to the container. The container runs as this user, so that this user can read and remove the data folder.
 */
export function dockerCommand(options: ContainerOptions): DockerCommand {
  // The name depends on the data folder: it identifies a leftover container, and no other container is removed.
  const folderHash = createHash('sha256').update(options.dataFolder).digest('hex').slice(0, 12);
  const name = `sluice-${options.kind}-${folderHash}`;
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  return {
    program: '/bin/sh',
    parameters: [
      '-c',
      REPLACE_AND_RUN,
      name,
      '--rm',
      '--init',
      `--name=${name}`,
      `--user=${user}`,
      `--publish=${LOOPBACK}:${options.port}:${options.containerPort}`,
      `--mount=type=bind,source=${options.dataFolder},target=${CONTAINER_DATA}`,
      `--mount=type=bind,source=${options.settingsFile},target=${CONTAINER_SETTINGS},readonly`,
      options.image,
      ...options.parameters,
    ],
    killCommand: ['docker', 'rm', '--force', name],
  };
}
