{{/* Scaling of workers by the demand for their pool. */}}

{{/*
How long the workers of a scaled entry drain, in milliseconds: (dict "root" $ "values" $values). A scaler stops workers while
they run jobs, and a job may run for RUN_TIMEOUT_MS of the gateways. With a shorter drain, scaling down breaks streams.
*/}}
{{- define "sluice.scaledDrainMs" -}}
{{- max (int64 .values.drainMs) (int64 (default 600000 .root.Values.gateway.settings.RUN_TIMEOUT_MS)) }}
{{- end }}

{{/* Refuses autoscaling that cannot work: (dict "root" $ "worker" $name "where" $where "values" $values). */}}
{{- define "sluice.checkAutoscaling" -}}
{{- $scaling := .values.autoscaling }}
{{- if $scaling.enabled }}
{{- if not $scaling.prometheusAddress }}
{{- fail (printf "%s: autoscaling needs prometheusAddress, of the Prometheus that has the metrics of the gateways" .where) }}
{{- end }}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) }}
{{- fail (printf "%s: autoscaling.minReplicas must not be above autoscaling.maxReplicas" .where) }}
{{- end }}
{{- $pool := .values.pool }}
{{- range $other, $entry := .root.Values.workers }}
{{- $otherPool := default $.root.Values.workerDefaults.pool (get (default dict $entry) "pool") }}
{{- if and (ne $other $.worker) (eq $otherPool $pool) }}
{{- fail (printf "%s: autoscaling needs a pool of its own, because the demand is that for a whole pool; workers.%s has the pool %s too" $.where $other $pool) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/*
The demand for a pool in requests: (dict "root" $ "values" $values). What a gateway knows of its own requests is added
up. What every gateway knows of the same workers is not: see docs/operations/autoscaling.md.
*/}}
{{- define "sluice.demandQuery" -}}
{{- $labels := .values.autoscaling.metricLabels }}
{{- if and (not $labels) .root.Values.telemetry.podMonitor.enabled }}
{{- $labels = printf "namespace=%q" .root.Release.Namespace }}
{{- end }}
{{- $of := printf "{pool=%q%s}" .values.pool (ternary (printf ", %s" $labels) "" (not (empty $labels))) -}}
sum(sluice_pool_waiting{{ $of }}) + max(sluice_pool_running{{ $of }}) + max(sluice_pool_queued{{ $of }}) + clamp_max(sum(sluice_pool_unserved{{ $of }}), 1)
{{- end }}

{{/* A ScaledObject of KEDA: the arguments of sluice.labels, and "values" $values. */}}
{{- define "sluice.scaledObject" -}}
{{- $scaling := .values.autoscaling }}
{{- $name := printf "%s-worker-%s" (include "sluice.fullname" .root) .worker -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ $name }}
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ $name }}
  minReplicaCount: {{ $scaling.minReplicas }}
  maxReplicaCount: {{ $scaling.maxReplicas }}
  pollingInterval: {{ $scaling.pollingSeconds }}
  cooldownPeriod: {{ $scaling.cooldownSeconds }}
  {{- with $scaling.behavior }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        {{- toYaml . | nindent 8 }}
  {{- end }}
  triggers:
    - type: prometheus
      metricType: AverageValue
      metadata:
        serverAddress: {{ $scaling.prometheusAddress | quote }}
        query: {{ include "sluice.demandQuery" . | quote }}
        threshold: {{ coalesce $scaling.requestsPerWorker .values.slots 64 | toString | quote }}
        activationThreshold: {{ $scaling.activationRequests | toString | quote }}
        # If the metrics are missing, the number of workers stays. Otherwise an outage of Prometheus would stop them all.
        ignoreNullValues: 'false'
      {{- with $scaling.authenticationRef }}
      authenticationRef:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}
