import { EXIT_DONE, type Command } from '../command.ts';
import { claimFolder } from '../stack/claim-folder.ts';
import { explainFailure } from '../stack/explain-failure.ts';
import { showProgress } from '../stack/progress.ts';
import { requireLoopback } from '../stack/require-loopback.ts';
import { requirePort } from '../stack/require-port.ts';
import { runStack, type ReadyStack } from '../stack/run-stack.ts';
import { DEFAULT_STATE } from '../stack/state-path.ts';
import { DEFAULT_PORT, readUpOptions } from '../stack/up-options.ts';
import { welcomeText } from '../stack/welcome.ts';

export const up: Command = {
  help: `
Usage: sluice up [OPTIONS]

Runs Redis, NATS, catalog, quota, a simulated GPU runtime, a worker and a
gateway as processes of their own, waits until each is ready, and shows an
address and a fresh API key. A process that dies is started again.

Options:
  --port N        port of the first gateway; 0 is any free one (${DEFAULT_PORT})
  --gateways N    how many gateways, each on a port of its own (1)
  --catalogs N    how many catalogs, all on one store (1)
  --quotas N      how many quota services, all on one Redis (1)
  --workers N     how many workers, each with a simulated runtime of its own (1)
  --runtime URL   use this runtime and its models instead of simulated ones; may be
                  repeated
  --state DIR     where everything is kept that outlives it (${DEFAULT_STATE}/)
  --fresh         forget what is kept there
  --json          one line of JSON when ready, instead of text for people
  --help          this text

Environment: REDIS_URL and NATS_URL name servers to use instead of own ones,
with NATS_CA_FILE and its like where they are guarded; RUNTIME_API_KEY is sent
to runtimes; settings of the services pass through, but for GRPC_TLS and its
like: on one machine they talk over loopback, in the clear. HOST, ADMIN_HOST
and HEALTH_HOST are refused: everything listens on 127.0.0.1.

Ctrl-C ends everything within seconds: streams get 3 s to end. A process that
is told to end by itself, with SIGTERM, drains as it does in a deployment.
`,
  run: async (parameters, context) => {
    const startedAt = performance.now();
    const options = readUpOptions(parameters, context);
    requireLoopback(context.environment);
    const stopRequest = stopRequests();
    await using claimed = await claimFolder(options.state, options);
    const { folder } = claimed;
    await requirePort(options.port);
    using progress = showProgress(options.json ? context.printError : context.print);
    progress.say('Starting Sluice …');
    const stack = await runStack({ options, folder, environment: context.environment, progress });
    process.once('exit', stack.kill);
    stopRequest.onSecond(stack.kill);
    try {
      const outcome = await Promise.race([stack.ready, stopRequest.asked]);
      if (outcome !== undefined) {
        context.print(
          readyText(outcome, {
            json: options.json,
            seconds: (performance.now() - startedAt) / 1000,
          }),
        );
        await stopRequest.asked;
      }
    } catch (error) {
      throw explainFailure(error, folder);
    } finally {
      progress.say('Stopping …');
      await stack.stop();
      process.off('exit', stack.kill);
    }
    return EXIT_DONE;
  },
};

function readyText(
  { running, apiKey }: ReadyStack,
  { json, seconds }: { json: boolean; seconds: number },
): string {
  if (!json) {
    return welcomeText({
      apiRoot: running.api_root,
      apiKey,
      models: running.models,
      logs: running.logs,
      seconds,
    });
  }
  const { up: _up, services, ...addresses } = running;
  const line = {
    ...addresses,
    api_key: apiKey,
    services: services.map(({ name, url, health_url, process: identity }) => ({
      name,
      pid: identity?.pid ?? null,
      url,
      health_url,
    })),
  };
  return JSON.stringify(line);
}

interface StopRequests {
  readonly asked: Promise<undefined>;
  onSecond(listener: () => void): void;
}

/** One Ctrl-C may arrive twice, from the terminal and from whoever runs this command. */
const SAME_REQUEST_MS = 500;

/** The first signal asks for an orderly end; another one ends at once. */
function stopRequests(): StopRequests {
  const { promise: asked, resolve } = Promise.withResolvers<undefined>();
  let firstAt: number | undefined;
  let onSecond: (() => void) | undefined;
  const request = () => {
    firstAt ??= performance.now();
    if (performance.now() - firstAt > SAME_REQUEST_MS) onSecond?.();
    resolve(undefined);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
    process.on(signal, request);
  }
  // A terminal that was closed takes no more text, which must not keep us from stopping.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return {
    asked,
    onSecond: (listener) => {
      onSecond = listener;
    },
  };
}
