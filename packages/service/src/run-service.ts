import { createLogger, observe, startTelemetry, type Logger } from '@sluice/telemetry';
import { ConfigurationError } from './configuration.ts';
import { dumpNoMemory } from './dump-no-memory.ts';
import { guardConsole } from './guard-console.ts';
import { startHealthServer, type Readiness } from './health.ts';
import type { ProcessSettings } from './process-settings.ts';
import { collectFullyRarely } from './rare-collections.ts';

/** A running service: disposing of it drains it first. */
export interface RunningService extends AsyncDisposable {
  readiness(): Readiness;
  /** Called before a quick stop: nothing is announced, and what runs gets QUICK_DRAIN_MS at most. */
  shortenDrain?(): void;
}

/** How long a drain may take after SIGINT, which usually comes from a terminal, or when the supervisor is gone. */
export const QUICK_DRAIN_MS = 3_000;

interface StopRequest {
  readonly reason: string;
  readonly quick: boolean;
}

export interface ServiceDescription<Settings extends ProcessSettings> {
  readonly name: string;
  readonly settings: () => Settings;
  readonly start: (settings: Settings, logger: Logger) => Promise<RunningService>;
}

/**
 * The life of a service process: settings, start, health, a signal, drain, exit. Exit codes: 0 after a
 * signal, 1 when it broke, 2 when its settings are wrong.
 */
export async function runService<Settings extends ProcessSettings>(
  description: ServiceDescription<Settings>,
): Promise<void> {
  const { name } = description;
  dumpNoMemory();
  collectFullyRarely();
  let settings: Settings;
  try {
    settings = description.settings();
  } catch (error) {
    if (error instanceof ConfigurationError) refuseSettings(name, error);
    throw error;
  }
  const logger = createLogger({ service: name, level: settings.LOG_LEVEL });
  guardConsole(logger);
  // A rejection that nobody handles comes here too.
  process.on('uncaughtException', (error) => die(logger, error));
  await live(description, settings, logger);
  logger.info('stopped');
  // Whatever else is still open must not hold the process.
  process.exit(0);
}

/** From the first health answer to the last trace sent. */
async function live<Settings extends ProcessSettings>(
  { name, start }: ServiceDescription<Settings>,
  settings: Settings,
  logger: Logger,
): Promise<void> {
  const stopped = stopRequest();
  await using _telemetry = await startTelemetry(name, settings, logger);
  let readiness = (): Readiness => ({ ready: false, details: { phase: 'starting' } });
  let started = false;
  // Most others come with the service: without this one a process that cannot start would look healthy.
  observe('sluice.process.started', () => (started ? 1 : 0));
  // Health answers from the first moment, so that "still starting" and "gone" can be told apart.
  await using health = await starting(name, logger, async () =>
    startHealthServer({
      host: settings.HEALTH_HOST,
      port: settings.HEALTH_PORT,
      readiness: () => readiness(),
    }),
  );
  const service = await starting(name, logger, async () =>
    Promise.race([start(settings, logger), stopped.then(() => undefined)]),
  );
  if (service === undefined) return;
  readiness = () => service.readiness();
  started = true;
  logger.info({ health: health.url }, 'started');
  const { reason, quick } = await stopped;
  logger.info({ reason, quick }, 'stopping');
  if (quick) service.shortenDrain?.();
  await service[Symbol.asyncDispose]();
}

/** Nobody has sent anything yet, so what goes wrong in a start may be told in its own words. */
async function starting<Part>(
  name: string,
  logger: Logger,
  start: () => Promise<Part>,
): Promise<Part> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof ConfigurationError) refuseSettings(name, error);
    process.stderr.write(`${name}: ${error instanceof Error ? describe(error) : 'cannot start'}\n`);
    die(logger, error);
  }
}

/**
 * Resolves at SIGTERM with a full drain; at SIGINT, or when the supervisor that started this process is gone, with a
 * quick one. A second request ends the process at once.
 */
function stopRequest(): Promise<StopRequest> {
  const { promise, resolve } = Promise.withResolvers<StopRequest>();
  let asked = false;
  const request = (stop: StopRequest) => {
    if (asked) process.exit(1);
    asked = true;
    resolve(stop);
  };
  process.on('SIGTERM', (reason) => request({ reason, quick: false }));
  process.on('SIGINT', (reason) => request({ reason, quick: true }));
  process.once('disconnect', () => request({ reason: 'supervisor gone', quick: true }));
  return promise;
}

function describe(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function refuseSettings(name: string, error: ConfigurationError): never {
  process.stderr.write(`${name}: ${error.message}\n`);
  process.exit(2);
}

function die(logger: Logger, error: unknown): never {
  logger.fatal({ err: error }, 'crashed');
  process.exit(1);
}
