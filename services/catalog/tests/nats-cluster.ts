import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@sluice/servers';

/** The path of the server program, if it is installed. A cluster runs as processes, never as containers. */
export function natsProgram(): string | undefined {
  const unpacked = fileURLToPath(new URL('../../../.tools/servers/bin', import.meta.url));
  const folders = [unpacked, ...(process.env['PATH'] ?? '').split(delimiter)];
  const candidates = [
    process.env['SLUICE_NATS_SERVER'] ?? '',
    ...folders.map((folder) => join(folder, 'nats-server')),
  ];
  return candidates.find((candidate) => candidate !== '' && existsSync(candidate));
}

/** A cluster of three NATS servers, named n0, n1 and n2. */
export class NatsCluster implements AsyncDisposable {
  readonly #program: string;
  readonly #folder: string;
  readonly #servers = new Map<string, ChildProcess>();
  readonly url: string;

  private constructor(program: string, folder: string, ports: readonly number[]) {
    this.#program = program;
    this.#folder = folder;
    this.url = ports.map((port) => `127.0.0.1:${port}`).join(',');
  }

  static async start(program: string): Promise<NatsCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-nats-cluster-'));
    const [clients, routes] = [await findThreePorts(), await findThreePorts()];
    const cluster = new NatsCluster(program, folder, clients);
    for (const [number, port] of clients.entries()) {
      const settings = {
        server_name: `n${number}`,
        host: '127.0.0.1',
        port,
        jetstream: { store_dir: join(folder, `n${number}`) },
        cluster: {
          name: 'test',
          host: '127.0.0.1',
          port: routes[number],
          routes: routes.map((route) => `nats://127.0.0.1:${route}`),
        },
      };
      // The configuration format of NATS is a superset of JSON.
      await writeFile(cluster.#settingsOf(`n${number}`), JSON.stringify(settings));
      cluster.startServer(`n${number}`);
    }
    return cluster;
  }

  /** Starts a server that was killed, with its data. */
  startServer(name: string): void {
    const server = spawn(this.#program, ['-c', this.#settingsOf(name)], { stdio: 'ignore' });
    this.#servers.set(name, server);
  }

  /** Kills a server by its name. */
  async kill(name: string): Promise<void> {
    const server = this.#servers.get(name);
    if (server === undefined) throw new Error(`there is no server ${name}`);
    await end(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#servers.values(), end));
    await rm(this.#folder, { recursive: true, force: true });
  }

  #settingsOf(name: string): string {
    return join(this.#folder, `${name}.conf`);
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGKILL');
  await exited;
}

/** `findFreePort` avoids the ephemeral ports, because outgoing connections of other tests could take them. */
async function findThreePorts(): Promise<number[]> {
  return [await findFreePort(), await findFreePort(), await findFreePort()];
}
