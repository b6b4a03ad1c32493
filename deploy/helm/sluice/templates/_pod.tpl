{{/*
The pod of a service. Takes a dict:
  root, component, values (of the service), where (in the values, for messages), environment, graceSeconds,
  ports (a list of dicts with name and port), secrets (hashes of what the pod reads at its start), and for a worker
  worker (its name) and sidecar (the container of its runtime), and for who serves on when told to go serveOnSeconds
*/}}
{{- define "sluice.podTemplate" -}}
{{- $root := .root }}
{{- $values := .values }}
{{- $metrics := $root.Values.telemetry.prometheus.enabled }}
{{- $mounts := include "sluice.secretMounts" . | fromYamlArray -}}
metadata:
  # No version: an upgrade that changes nothing about a pod must not restart it, least of all one with a GPU.
  labels:
    {{- include "sluice.selector" . | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if or $values.podAnnotations .secrets }}
  annotations:
    {{- with .secrets }}
    # Another secret is read at the next start alone.
    sluice/secrets: {{ . }}
    {{- end }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
spec:
  serviceAccountName: {{ include "sluice.serviceAccount" $root }}
  automountServiceAccountToken: false
  # Variables made from the names of Services would be taken for settings.
  enableServiceLinks: false
  # Else a service is process 1, on which a stop would be lost that comes before Node listens for it.
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

{{/* Where a pod may run. */}}
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

{{/* Files of Secrets: of NATS for services on the bus, of Redis for quota, of gRPC for who calls or is called. */}}
{{- define "sluice.secretFiles" -}}
{{- $values := .root.Values }}
{{- if has .component (list "gateway" "worker" "catalog") }}
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

{{/* Whole seconds for these milliseconds, and ten more for the last replies, cancels and records. */}}
{{- define "sluice.graceSeconds" -}}
{{- add (div (add (int64 .) 999) 1000) 10 }}
{{- end }}
