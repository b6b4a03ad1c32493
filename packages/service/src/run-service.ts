import packageJson from '../package.json' with { type: 'json' };
import { applyGcFlags } from './gc-flags.ts';
import { startHealthServer, type Readiness } from './health.ts';
import { createLogger, type Logger } from './logger.ts';
import { observe } from './metrics.ts';
import { redactConsole, excludeMemoryFromCoreDumps } from './process-hardening.ts';
import { type ProcessSettings, ConfigurationError } from './settings.ts';
import { startTelemetry } from './start-telemetry.ts';

/** A running service. Disposing of it drains it first. */
export interface RunningService extends AsyncDisposable {
  readiness(): Readiness;
  /** Called before a quick stop. The drain then announces nothing, and gives running work at most QUICK_DRAIN_MS. */
  shortenDrain?(): void;
}

/** How long a drain may take after SIGINT, which usually comes from a terminal, or after the supervisor has ended. */
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
 * Runs a service process: reads the settings, starts the service, waits for a signal, drains and exits. The exit code
 * is 0 after a signal, 1 after a failure and 2 if a setting is wrong.
 */
export async function runService<Settings extends ProcessSettings>(
  description: ServiceDescription<Settings>,
): Promise<void> {
  const { name } = description;
  excludeMemoryFromCoreDumps();
  applyGcFlags();
  let settings: Settings;
  try {
    settings = description.settings();
  } catch (error) {
    if (error instanceof ConfigurationError) refuseSettings(name, error);
    throw error;
  }
  const logger = createLogger({ service: name, level: settings.LOG_LEVEL });
  redactConsole(logger);
  // This event includes unhandled rejections: https://nodejs.org/api/process.html#event-uncaughtexception.
  process.on('uncaughtException', (error) => die(logger, error));
  await runUntilStopped(description, settings, logger);
  logger.info('stopped');
  // Handles that are still open must not keep the process alive.
  process.exit(0);
}

/** Starts the service, waits for a request to stop, and drains it. Serves health and telemetry meanwhile. */
async function runUntilStopped<Settings extends ProcessSettings>(
  { name, start }: ServiceDescription<Settings>,
  settings: Settings,
  logger: Logger,
): Promise<void> {
  const stopRequested = stopRequest();
  await using _telemetry = await startTelemetry(name, settings, logger);
  let readiness = (): Readiness => ({ ready: false, details: { phase: 'starting' } });
  let started = false;
  // Most metrics exist only after the service has started. Without this one, a process that cannot start would look
  // healthy.
  observe('sluice.process.started', () => (started ? 1 : 0));
  // Health is served before the service starts, so that a probe can distinguish a slow start from a dead process.
  await using health = await startOrExit(name, logger, async () =>
    startHealthServer({
      host: settings.HEALTH_HOST,
      port: settings.HEALTH_PORT,
      readiness: () => readiness(),
    }),
  );
  const service = await startOrExit(name, logger, async () =>
    Promise.race([start(settings, logger), stopRequested.then(() => undefined)]),
  );
  if (service === undefined) return;
  readiness = () => service.readiness();
  started = true;
  // All packages of a release have the same version.
  logger.info({ health: health.url, version: packageJson.version }, 'started');
  const { reason, quick } = await stopRequested;
  logger.info({ reason, quick }, 'stopping');
  if (quick) service.shortenDrain?.();
  await service[Symbol.asyncDispose]();
}

/**
 * If the start fails, prints the message and exits. No request has been served yet, so the message cannot contain
 * content.
 */
async function startOrExit<Part>(
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
 * Resolves with a full drain at SIGTERM. Resolves with a quick drain at SIGINT, or when the supervisor that started
 * this process has ended. A second request to stop ends the process at once.
 */
function stopRequest(): Promise<StopRequest> {
  const { promise, resolve } = Promise.withResolvers<StopRequest>();
  let isStopping = false;
  const request = (stop: StopRequest) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    resolve(stop);
  };
  process.on('SIGTERM', (reason) => request({ reason, quick: false }));
  process.on('SIGINT', (reason) => request({ reason, quick: true }));
  process.once('disconnect', () => request({ reason: 'the supervisor has ended', quick: true }));
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
