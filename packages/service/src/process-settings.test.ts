import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { checkProcessSettings, processSettings, readConfiguration } from './settings.ts';

describe('where traces and metrics go', () => {
  const settings = z.object(processSettings).superRefine(checkProcessSettings);

  it.each([
    ['OTEL_SDK_DISABLED', 'true'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://collector:4318'],
    ['OTEL_TRACES_EXPORTER', 'console'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_METRICS_EXPORTER', 'otlp, prometheus,'],
    ['OTEL_NODE_RESOURCE_DETECTORS', 'env,serviceinstance'],
  ])('may be %s=%s', (name, value) => {
    expect(readConfiguration(settings, { [name]: value })).toMatchObject({ [name]: value });
  });

  it('may be switched off in capitals', () => {
    const environment = { OTEL_SDK_DISABLED: 'True' };
    expect(readConfiguration(settings, environment).OTEL_SDK_DISABLED).toBe('true');
  });

  it('may be a host and a port, by gRPC', () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    };
    expect(readConfiguration(settings, environment)).toMatchObject(environment);
  });

  it.each([
    ['OTEL_SDK_DISABLED', 'yes'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'collector'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http'],
    ['OTEL_TRACES_EXPORTER', 'prometheus'],
    ['OTEL_METRICS_EXPORTER', 'Prometheus'],
    ['OTEL_NODE_RESOURCE_DETECTORS', 'env,pod'],
  ])('may not be %s=%s, which would be ignored', (name, value) => {
    expect(() => readConfiguration(settings, { [name]: value })).toThrow(`${name}: must be `);
  });
});
