import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { diag } from '@opentelemetry/api';
import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';

const DEFAULTS = PrometheusExporter.DEFAULT_OPTIONS;

/**
 * The page that Prometheus reads. It has its own HTTP server: the exporter's server builds a URL from its host, which
 * fails for an IPv6 address, and then answers every request with 400.
 */
export class MetricsPage extends PrometheusExporter {
  readonly #server = createServer((request, response) => this.#answer(request, response)).unref();

  constructor() {
    super({ preventServerStart: true });
  }

  /** Listens where the standard OTEL variables say. A failure is only logged: a service works without its metrics. */
  serve(): void {
    const port = getNumberFromEnv('OTEL_EXPORTER_PROMETHEUS_PORT');
    const logFailure = (error: unknown) => diag.error('the page of metrics is not served', error);
    this.#server.on('error', logFailure);
    try {
      this.#server.listen({
        host: getStringFromEnv('OTEL_EXPORTER_PROMETHEUS_HOST') ?? DEFAULTS.host,
        // Port 0 would be a random free port, which Prometheus does not know.
        port: port === undefined || port === 0 ? DEFAULTS.port : port,
      });
    } catch (error) {
      // Thrown if the number is not a valid port.
      logFailure(error);
    }
  }

  override async onShutdown(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    // `close` reports an error if the server does not listen. That failure was logged by `serve`.
    this.#server.close(() => closed.resolve());
    await closed.promise;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(request.url ?? '', 'http://localhost');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isPage = isRead && url?.pathname === DEFAULTS.endpoint;
    if (isPage) this.getMetricsRequestHandler(request, response);
    else response.writeHead(404).end();
  }
}
