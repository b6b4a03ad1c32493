import { findFreePort } from '@sluice/servers';
import { vi } from 'vitest';

/** The page on which a process exports its metrics to Prometheus. */
export class MetricsPage {
  readonly url: string;
  /** Settings for the process that exports the metrics. */
  readonly settings: Readonly<Record<string, string>>;

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}/metrics`;
    this.settings = {
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    };
  }

  /** The page of a process that will be started with `settings`. */
  static async onFreePort(): Promise<MetricsPage> {
    return new MetricsPage(await findFreePort());
  }

  /**
   * The page of the test's own process. OpenTelemetry reads its settings from the environment, so this changes the
   * environment. Undo that with `vi.unstubAllEnvs`.
   */
  static async ofThisProcess(more: Readonly<Record<string, string>> = {}): Promise<MetricsPage> {
    const page = await MetricsPage.onFreePort();
    for (const [name, value] of Object.entries({ ...page.settings, ...more })) {
      vi.stubEnv(name, value);
    }
    return page;
  }

  async read(): Promise<string> {
    const reply = await fetch(this.url);
    return reply.text();
  }
}
