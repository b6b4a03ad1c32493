import { isAlive } from '@sluice/servers';
import { EXIT_DONE, EXIT_FAILED, refusePositionals } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { FORMATS, outputHelp } from '../output/formats.ts';
import type { Colour } from '../screen.ts';
import { answersHealth } from '../stack/answers-health.ts';
import { findLocalStack } from '../stack/find-stack.ts';
import type { RunningProcess } from '../stack/running-stack.ts';
import { DEFAULT_STATE } from '../stack/state-path.ts';
import { table } from '../table.ts';

type State = 'ready' | 'not ready' | 'restarting' | 'external';

export const status = defineCommand({
  help: `
Usage: sluice status [OPTIONS]

Shows the processes that 'sluice up' runs, and whether each is ready. The exit code
is 0 if all are ready, and 1 otherwise.

Options:
  --state DIR       folder of the stack (${DEFAULT_STATE}/)
${outputHelp()}
`,
  options: { state: { type: 'string' } },
  formats: FORMATS,
  run: async ({ values, positionals, show }, context) => {
    refusePositionals(positionals);
    const { up: _up, ...stack } = await findLocalStack(values.state, context);
    const services = await Promise.all(
      stack.services.map(async (service) => ({ ...service, state: await stateOf(service) })),
    );
    show({
      data: {
        ...stack,
        services: services.map(({ name, state, process: identity, url, health_url, restarts }) => ({
          name,
          state,
          pid: identity?.pid ?? null,
          url,
          health_url,
          restarts,
        })),
      },
      text: (screen) => {
        const rows = services.map(({ name, state, process: identity, url, restarts }) => [
          name,
          state,
          String(identity?.pid ?? '-'),
          String(restarts),
          withoutPassword(url),
        ]);
        const head = ['service', 'state', 'pid', 'restarts', 'address'];
        return `${stack.api_root}\n\n${table(head, rows, { screen, colourOf })}`;
      },
    });
    const healthy = services.every(({ state }) => state === 'ready' || state === 'external');
    return healthy ? EXIT_DONE : EXIT_FAILED;
  },
});

function colourOf(cell: string, title: string): Colour | undefined {
  if (title !== 'state' || cell === 'external') return undefined;
  return cell === 'ready' ? 'green' : 'red';
}

async function stateOf(service: RunningProcess): Promise<State> {
  const { process: identity, external, ready } = service;
  if (external) return 'external';
  if (identity === null || !isAlive(identity)) return 'restarting';
  // A paused process looks alive and ready, so its health is requested.
  return ready && (await answersHealth(service)) ? 'ready' : 'not ready';
}

/** Hides passwords and tokens: other people may see the screen. */
function withoutPassword(addresses: string): string {
  return addresses
    .split(',')
    .map((address) => {
      const url = URL.parse(address);
      if (url === null) return address;
      if (url.password !== '') url.password = '***';
      // NATS clients use a user name without a password as a token:
      // https://docs.nats.io/using-nats/developer/connecting/token
      else if (url.username !== '' && /^(?:nats|tls):$/.test(url.protocol)) url.username = '***';
      else return address;
      return url.href;
    })
    .join(',');
}
