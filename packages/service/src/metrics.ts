import type { Counter, Histogram, Meter, ObservableResult } from '@opentelemetry/api';
import {
  METRICS,
  type CounterName,
  type HistogramName,
  type MetricAttributes,
  type MetricName,
  type ObservedName,
} from './metric-names.ts';

let meter: Meter | undefined;
const counters = new Map<CounterName, Counter>();
const histograms = new Map<HistogramName, Histogram>();

/** False unless an exporter is set: then what only metrics need is not worth being worked out. */
export function metricsEnabled(): boolean {
  return meter !== undefined;
}

/** Called when the SDK has started, and without a meter when it stops. */
export function useMeter(next: Meter | undefined): void {
  meter = next;
  counters.clear();
  histograms.clear();
}

/** Does nothing when metrics are off. For what happens once a request, never once a token. */
export function count<Name extends CounterName>(
  name: Name,
  attributes: MetricAttributes<Name>,
  amount = 1,
): void {
  if (meter === undefined) return;
  let counter = counters.get(name);
  if (counter === undefined) {
    counter = meter.createCounter(name, describe(name));
    counters.set(name, counter);
  }
  counter.add(amount, attributes);
}

/**
 * For what goes wrong rarely, and comes in bursts. A series that begins with its first count has not grown for
 * Prometheus: no rate would show the burst.
 */
export function startAtZero<Name extends CounterName>(
  name: Name,
  each: readonly MetricAttributes<Name>[],
): void {
  for (const attributes of each) count(name, attributes, 0);
}

/** Models become known as they are asked for: what starts at zero for each is told then, once. */
export function oncePerModel(tell: (model: string) => void): (model: string) => void {
  const told = new Set<string>();
  let toldTo: Meter | undefined;
  return (model) => {
    if (meter === undefined) return;
    if (meter !== toldTo) {
      toldTo = meter;
      told.clear();
    }
    if (told.has(model)) return;
    told.add(model);
    tell(model);
  };
}

/** Does nothing when metrics are off. */
export function measure<Name extends HistogramName>(
  name: Name,
  attributes: MetricAttributes<Name>,
  value: number,
): void {
  if (meter === undefined) return;
  let histogram = histograms.get(name);
  if (histogram === undefined) {
    const advice = { explicitBucketBoundaries: [...METRICS[name].buckets] };
    histogram = meter.createHistogram(name, { ...describe(name), advice });
    histograms.set(name, histogram);
  }
  histogram.record(value, attributes);
}

export type Observation<Name extends ObservedName> = readonly [
  value: number,
  attributes: MetricAttributes<Name>,
];

/**
 * Asked for its values whenever metrics are exported, for as long as they are; nobody asks when they are off.
 * Undefined is a value that is not known at the moment.
 */
export function observe<Name extends ObservedName>(
  name: Name,
  read: () => number | undefined | readonly Observation<Name>[],
): void {
  if (meter === undefined) return;
  const instrument =
    METRICS[name].kind === 'gauge'
      ? meter.createObservableGauge(name, describe(name))
      : meter.createObservableCounter(name, describe(name));
  instrument.addCallback((result: ObservableResult) => {
    const seen = read();
    if (seen === undefined) return;
    if (typeof seen === 'number') result.observe(seen);
    else for (const [value, attributes] of seen) result.observe(value, attributes);
  });
}

function describe(name: MetricName): { unit: string; description: string } {
  const { unit, description } = METRICS[name];
  return { unit, description };
}
