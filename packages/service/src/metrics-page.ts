import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { diag } from '@opentelemetry/api';
import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';

const DEFAULTS = PrometheusExporter.DEFAULT_OPTIONS;

/**
 * The page that Prometheus reads. On a server of its own: that of the exporter makes a URL out of its host, which fails
 * for an address of IPv6, and then it answers everybody with 400.
 */
export class MetricsPage extends PrometheusExporter {
  readonly #server = createServer((request, response) => this.#answer(request, response)).unref();

  constructor() {
    super({ preventServerStart: true });
  }

  /** Where the standard variables want it. Where it cannot, it tells: a service works without its metrics, too. */
  serve(): void {
    const port = getNumberFromEnv('OTEL_EXPORTER_PROMETHEUS_PORT');
    const tell = (error: unknown) => diag.error('the page of metrics is not served', error);
    this.#server.on('error', tell);
    try {
      this.#server.listen({
        host: getStringFromEnv('OTEL_EXPORTER_PROMETHEUS_HOST') ?? DEFAULTS.host,
        // A free port would be one that Prometheus does not know.
        port: port === undefined || port === 0 ? DEFAULTS.port : port,
      });
    } catch (error) {
      // Of a number that is no port.
      tell(error);
    }
  }

  override async onShutdown(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    // One that could not listen cannot be closed, either: that was told then.
    this.#server.close(() => closed.resolve());
    await closed.promise;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const place = URL.parse(request.url ?? '', 'http://localhost');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isPage = isRead && place?.pathname === DEFAULTS.endpoint;
    if (isPage) this.getMetricsRequestHandler(request, response);
    else response.writeHead(404).end();
  }
}
