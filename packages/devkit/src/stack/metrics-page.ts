import { findFreePort } from '@sluice/backing';
import { vi } from 'vitest';

/** Where a process shows its metrics to Prometheus. */
export class MetricsPage {
  readonly url: string;
  /** Of whoever is to show them. */
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

  static async ofProcess(): Promise<MetricsPage> {
    return new MetricsPage(await findFreePort());
  }

  /** The SDK reads its settings from the environment: the test undoes that with `vi.unstubAllEnvs`. */
  static async ofThisProcess(more: Readonly<Record<string, string>> = {}): Promise<MetricsPage> {
    const page = await MetricsPage.ofProcess();
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
