import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { MetricName } from '@sluice/service';
import * as z from 'zod';

const Point = z.object({
  attributes: z
    .array(z.object({ key: z.string(), value: z.object({ stringValue: z.string() }) }))
    .default([]),
  asInt: z.coerce.number().optional(),
  asDouble: z.number().optional(),
  count: z.coerce.number().optional(),
});
const Series = z.object({ dataPoints: z.array(Point) });
const Metric = z.object({
  name: z.string(),
  sum: Series.optional(),
  gauge: Series.optional(),
  histogram: Series.optional(),
});
const Exported = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: z.object({
        attributes: z.array(
          z.object({ key: z.string(), value: z.object({ stringValue: z.string().optional() }) }),
        ),
      }),
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(Metric),
        }),
      ),
    }),
  ),
});

export interface ExportedValue {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** For a histogram, the number of measurements. */
  readonly value: number;
}

/** An OpenTelemetry collector that receives the metrics of the services as JSON. */
export class MetricsCollector implements AsyncDisposable {
  /** All request bodies, unchanged. */
  readonly bodies: string[] = [];
  readonly paths = new Set<string>();
  /** The last export of each service. Values are cumulative since the start of the service. */
  readonly latest = new Map<string, ExportedValue[]>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request
        .setEncoding('utf8')
        .on('data', (text: string) => (body += text))
        .on('end', () => {
          this.paths.add(request.url ?? '');
          this.bodies.push(body);
          this.#take(body);
          response.setHeader('content-type', 'application/json').end('{}');
        });
    });
  }

  static async start(): Promise<MetricsCollector> {
    const collector = new MetricsCollector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no address');
    return `http://127.0.0.1:${address.port}/v1/metrics`;
  }

  /** The values of the last export of every service. */
  get values(): ExportedValue[] {
    return [...this.latest.values()].flat();
  }

  /** The sum of all values of this metric that have at least these attributes. */
  total(name: MetricName, attributes: Readonly<Record<string, string>> = {}): number {
    return this.values
      .filter((value) => value.name === name)
      .filter((value) =>
        Object.entries(attributes).every(([key, wanted]) => value.attributes[key] === wanted),
      )
      .reduce((sum, { value }) => sum + value, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #take(body: string): void {
    for (const { resource, scopeMetrics } of Exported.parse(JSON.parse(body)).resourceMetrics) {
      const named = resource.attributes.find(({ key }) => key === 'service.name');
      const metrics = scopeMetrics.flatMap((scope) => scope.metrics);
      this.latest.set(named?.value.stringValue ?? '', metrics.flatMap(valuesOf));
    }
  }
}

function valuesOf({ name, sum, gauge, histogram }: z.infer<typeof Metric>): ExportedValue[] {
  const points = (sum ?? gauge ?? histogram)?.dataPoints ?? [];
  return points.map((point) => ({
    name,
    attributes: Object.fromEntries(
      point.attributes.map(({ key, value }) => [key, value.stringValue]),
    ),
    value: point.count ?? point.asDouble ?? point.asInt ?? 0,
  }));
}
