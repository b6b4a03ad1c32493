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

/** False unless an exporter is set. Use it to skip work that only metrics need. */
export function metricsEnabled(): boolean {
  return meter !== undefined;
}

/** Called with a meter after the SDK has started, and with undefined when it stops. */
export function useMeter(next: Meter | undefined): void {
  meter = next;
  counters.clear();
  histograms.clear();
}

/** Increases a counter. Does nothing if metrics are off. Call it for events of a request, never for each token. */
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
 * Starts counters at 0. Use it for rare failures that come in bursts. Without the 0, Prometheus sees the first value as
 * the start of the series, and no rate shows the first burst
 * (https://prometheus.io/docs/practices/instrumentation/#avoid-missing-metrics).
 */
export function initCounters<Name extends CounterName>(
  name: Name,
  attributeSets: readonly MetricAttributes<Name>[],
): void {
  for (const attributes of attributeSets) count(name, attributes, 0);
}

/**
 * Returns a function that calls `init` once for each combination of a model and other labels. It is used to call
 * `initCounters` when a model is first requested.
 */
export function oncePerModel<Labels extends readonly [model: string, ...others: string[]]>(
  init: (...labels: Labels) => void,
): (...labels: Labels) => void {
  const done = new Set<string>();
  let doneFor: Meter | undefined;
  return (...labels) => {
    if (meter === undefined) return;
    // A new meter has none of the counters yet.
    if (meter !== doneFor) {
      doneFor = meter;
      done.clear();
    }
    const key = labels.join(' ');
    if (done.has(key)) return;
    done.add(key);
    init(...labels);
  };
}

/** Records a value in a histogram. Does nothing if metrics are off. */
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
 * Calls `read` at each export of metrics, and never if metrics are off. `read` returns undefined if the value is not
 * known at the moment.
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
    const values = read();
    if (values === undefined) return;
    if (typeof values === 'number') result.observe(values);
    else for (const [value, attributes] of values) result.observe(value, attributes);
  });
}

function describe(name: MetricName): { unit: string; description: string } {
  const { unit, description } = METRICS[name];
  return { unit, description };
}
