{{/*
The pod of a service. Takes a dict:
  root, component, values (of the service), where (the place in the values, for messages), environment, graceSeconds,
  ports (a list of dicts with name and port), secrets (hashes of the Secrets that the pod reads at its start)
  only for a worker: worker (its name) and sidecar (the container of its runtime)
  only for quota and catalog: serveOnSeconds (how long a pod continues to serve before it is stopped)
*/}}
{{- define "sluice.podTemplate" -}}
{{- $root := .root }}
{{- $values := .values }}
{{- $metrics := $root.Values.telemetry.prometheus.enabled }}
{{- $mounts := include "sluice.secretMounts" . | fromYamlArray -}}
metadata:
  # No label has the version: an upgrade must not restart a pod that it does not change, in particular one with a GPU.
  labels:
    {{- include "sluice.selector" . | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if or $values.podAnnotations .secrets }}
  annotations:
    {{- with .secrets }}
    # A changed Secret is read only at the next start.
    sluice/secrets: {{ . }}
    {{- end }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
spec:
  serviceAccountName: {{ include "sluice.serviceAccount" $root }}
  automountServiceAccountToken: false
  # Kubernetes would add variables with the names of Services, which could be mistaken for settings.
  enableServiceLinks: false
  # Without this, Node is process 1 and would ignore a signal that arrives before its signal handler is installed.
  shareProcessNamespace: true
  terminationGracePeriodSeconds: {{ .graceSeconds }}
  {{- with include "sluice.scheduling" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .sidecar }}
  initContainers:
    {{- toYaml (list .) | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "sluice.image" (dict "root" $root "image" $values.image) }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      env:
        {{- include "sluice.environment" (dict "own" .environment "values" $values "where" .where) | nindent 8 }}
      ports:
        {{- range .ports }}
        - name: {{ .name }}
          containerPort: {{ .port }}
        {{- end }}
        - name: health
          containerPort: {{ include "sluice.port.health" $root }}
        {{- if $metrics }}
        - name: metrics
          containerPort: {{ include "sluice.port.metrics" $root }}
        {{- end }}
      {{- with .serveOnSeconds }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ . }}
      {{- end }}
      livenessProbe:
        httpGet:
          path: /livez
          port: health
        {{- toYaml $root.Values.probes.liveness | nindent 8 }}
      readinessProbe:
        httpGet:
          path: /readyz
          port: health
        {{- toYaml $root.Values.probes.readiness | nindent 8 }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      securityContext:
        {{- toYaml $root.Values.containerSecurityContext | nindent 8 }}
      {{- with concat $mounts $values.extraVolumeMounts }}
      volumeMounts:
        {{- toYaml . | nindent 8 }}
      {{- end }}
  {{- with concat (include "sluice.secretVolumes" . | fromYamlArray) $values.extraVolumes }}
  volumes:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* On which nodes a pod may run. */}}
{{- define "sluice.scheduling" -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.topologySpread }}
topologySpreadConstraints:
  {{- range . }}
  - {{ merge (deepCopy .) (dict "labelSelector" (dict "matchLabels" (include "sluice.selector" $ | fromYaml))) | toYaml | nindent 4 | trim }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Secrets that are mounted as files: for NATS, for Redis (quota only), for PostgreSQL (usage only), and for gRPC (all but workers). */}}
{{- define "sluice.secretFiles" -}}
{{- $values := .root.Values }}
{{- if has .component (list "gateway" "worker" "catalog" "usage" "console") }}
{{- with $values.nats.tls.secretName }}
nats: {{ . }}
{{- end }}
{{- with (include "sluice.natsCredentials" . | fromYaml).name }}
nats-credentials: {{ . }}
{{- end }}
{{- end }}
{{- if eq .component "quota" }}
{{- with $values.redis.tls.secretName }}
redis: {{ . }}
{{- end }}
{{- end }}
{{- if and (eq .component "usage") .values.databaseTls.enabled }}
{{- with .values.databaseTls.secretName }}
database: {{ . }}
{{- end }}
{{- end }}
{{- if and $values.grpcTls.enabled (ne .component "worker") }}
{{- with (include "sluice.grpcFiles" . | fromYaml).secretName }}
grpc: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "sluice.secretMounts" -}}
{{- range $name, $secret := include "sluice.secretFiles" . | fromYaml }}
- name: {{ $name }}
  mountPath: /etc/sluice/{{ $name }}
  readOnly: true
{{- end }}
{{- end }}

{{- define "sluice.secretVolumes" -}}
{{- range $name, $secret := include "sluice.secretFiles" . | fromYaml }}
- name: {{ $name }}
  secret:
    secretName: {{ $secret }}
{{- end }}
{{- end }}

{{/* Milliseconds in whole seconds, rounded up, plus ten seconds for the last replies, cancels and records. */}}
{{- define "sluice.graceSeconds" -}}
{{- add (div (add (int64 .) 999) 1000) 10 }}
{{- end }}
