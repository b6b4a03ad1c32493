import { refusePositionals } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { FORMATS, outputHelp, type Shown } from '../output/formats.ts';
import { claimFolder } from '../stack/claim-folder.ts';
import { explainFailure } from '../stack/explain-failure.ts';
import { showProgress } from '../stack/progress.ts';
import { requireLoopback } from '../stack/require-loopback.ts';
import { requirePort } from '../stack/require-port.ts';
import { runStack, type ReadyStack } from '../stack/run-stack.ts';
import { DEFAULT_STATE } from '../stack/state-path.ts';
import { DEFAULT_PORT, UP_OPTIONS, readUpOptions } from '../stack/up-options.ts';
import { welcomeText } from '../stack/welcome.ts';

export const up = defineCommand({
  help: `
Usage: sluice up [OPTIONS]

Runs Redis, NATS, catalog, quota, a simulated GPU runtime, a worker and a gateway,
each as its own process. When all are ready, it prints an address and an API key,
the same at each start, and starts usage and the console. A process that dies is
started again.

Options:
  --port N          port of the first gateway; 0 chooses a free one (${DEFAULT_PORT})
  --gateways N      number of gateways, each on its own port (1)
  --catalogs N      number of catalogs, which share one store (1)
  --quotas N        number of quota services, which share one Redis (1)
  --workers N       number of workers, each with its own simulated runtime (1)
  --runtime URL     use this runtime and its models instead of simulated ones; may be
                    repeated
  --without-usage   do not run usage, whose database takes some 200 MB of memory
  --without-console do not run the console
  --state DIR       folder for data that is kept between runs (${DEFAULT_STATE}/)
  --fresh           delete the data of earlier runs first
${outputHelp()}

Environment:
  REDIS_URL, NATS_URL   use these servers instead of starting them. Credentials and
                        certificates come from settings such as NATS_CA_FILE
  RUNTIME_API_KEY       sent to the runtimes given with --runtime
  settings of services  are passed on. GRPC_TLS and the other TLS settings of gRPC
                        are ignored, because the services talk over loopback.
                        HOST, ADMIN_HOST and HEALTH_HOST are refused, because
                        everything listens on 127.0.0.1

Ctrl-C stops everything within seconds; open streams get 3 s to end. A single
process that gets a SIGTERM drains as in a deployment, and is then started again.
`,
  options: UP_OPTIONS,
  formats: FORMATS,
  run: async ({ values, positionals, format, show }, context) => {
    const startedAt = performance.now();
    refusePositionals(positionals);
    const options = readUpOptions(values, context);
    requireLoopback(context.environment);
    const stopRequest = stopRequests();
    await using claimed = await claimFolder(options.state, options);
    const { folder } = claimed;
    await requirePort(options.port);
    using progress = showProgress(format === 'table' ? context.print : context.printError);
    progress.say('Starting Sluice …');
    const stack = await runStack({ options, folder, environment: context.environment, progress });
    process.once('exit', stack.kill);
    stopRequest.onSecond(stack.kill);
    try {
      const outcome = await Promise.race([stack.ready, stopRequest.asked]);
      if (outcome !== undefined) {
        show(shownStack(outcome, { seconds: (performance.now() - startedAt) / 1000 }));
        await stopRequest.asked;
      }
    } catch (error) {
      throw explainFailure(error, folder);
    } finally {
      progress.say('Stopping …');
      await stack.stop();
      process.off('exit', stack.kill);
    }
  },
});

function shownStack(
  { running, apiKey, signInUrl }: ReadyStack,
  { seconds }: { seconds: number },
): Shown {
  const { up: _up, services, ...addresses } = running;
  return {
    data: {
      ...addresses,
      api_key: apiKey,
      sign_in_url: signInUrl,
      services: services.map(({ name, url, health_url, process: identity }) => ({
        name,
        pid: identity?.pid ?? null,
        url,
        health_url,
      })),
    },
    text: () =>
      welcomeText({
        apiRoot: running.api_root,
        apiKey,
        models: running.models,
        simulated: services.some(({ name }) => name.startsWith('simulator')),
        logs: running.logs,
        signInUrl,
        seconds,
      }),
  };
}

interface StopRequests {
  readonly asked: Promise<undefined>;
  onSecond(listener: () => void): void;
}

/**
 * Signals within this time count as one. A single Ctrl-C may arrive twice: from the terminal and from the parent
 * process.
 */
const SAME_REQUEST_MS = 500;

/** The first signal stops the stack in order. A second signal kills it. */
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
  // Emitted when a parent process with an IPC channel ends. It can no longer stop this process.
  process.once('disconnect', request);
  // Writing to a closed terminal fails. This must not prevent an orderly stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return {
    asked,
    onSecond: (listener) => {
      onSecond = listener;
    },
  };
}
