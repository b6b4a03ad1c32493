{{/* The settings of each service. A test compares their names with docs/settings.md. */}}

{{- define "sluice.environment.gateway" -}}
{{ include "sluice.environment.process" . }}
{{ include "sluice.environment.bus" . }}
{{ include "sluice.environment.calling" . }}
- name: HOST
  value: {{ .root.Values.bindAddress | quote }}
- name: PORT
  value: {{ include "sluice.port.gateway" .root | quote }}
- name: QUOTA_ADDRESSES
  value: {{ include "sluice.addresses" (dict "root" .root "component" "quota" "replicas" .root.Values.quota.replicas) | quote }}
- name: CATALOG_ADDRESSES
  value: {{ include "sluice.addresses" (dict "root" .root "component" "catalog" "replicas" .root.Values.catalog.replicas) | quote }}
- name: DRAIN_ANNOUNCE_MS
  value: {{ include "sluice.text" .values.drain.announceMs | quote }}
- name: DRAIN_LIMIT_MS
  value: {{ include "sluice.text" .values.drain.limitMs | quote }}
{{- end }}

{{- define "sluice.environment.worker" -}}
{{ include "sluice.environment.process" . }}
{{ include "sluice.environment.bus" . }}
- name: RUNTIME_URL
  value: {{ ternary (printf "http://127.0.0.1:%d" (int .values.runtime.port)) .values.runtimeUrl (not (empty .values.runtime.container)) | quote }}
- name: RUNTIME_KIND
  value: {{ .values.runtimeKind | quote }}
{{- with .values.runtimeApiKeySecret }}{{ if .name }}
- name: RUNTIME_API_KEY
  {{- include "sluice.fromSecret" . | nindent 2 }}
{{- end }}{{ end }}
- name: POOL
  value: {{ .values.pool | quote }}
- name: WORKER_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: WORKER_HOST
  valueFrom:
    fieldRef:
      fieldPath: spec.nodeName
{{- if .values.slots }}
- name: SLOTS
  value: {{ include "sluice.text" .values.slots | quote }}
{{- end }}
- name: DRAIN_TIMEOUT_MS
  value: {{ include "sluice.text" .values.drainMs | quote }}
{{- end }}

{{- define "sluice.environment.quota" -}}
{{- $redis := .root.Values.redis -}}
{{ include "sluice.environment.process" . }}
{{ include "sluice.environment.called" . }}
- name: HOST
  value: {{ .root.Values.bindAddress | quote }}
- name: PORT
  value: {{ include "sluice.port.quota" .root | quote }}
- name: REDIS_MODE
  value: {{ $redis.mode | quote }}
- name: REDIS_URL
  {{- include "sluice.fromSecret" (ternary $redis.urlSecret (dict "name" (printf "%s-redis" (include "sluice.fullname" .root)) "key" "REDIS_URL") (not (empty $redis.urlSecret.name))) | nindent 2 }}
{{- if $redis.passwordSecret.name }}
- name: REDIS_PASSWORD
  {{- include "sluice.fromSecret" $redis.passwordSecret | nindent 2 }}
{{- end }}
{{- if $redis.sentinelPasswordSecret.name }}
- name: REDIS_SENTINEL_PASSWORD
  {{- include "sluice.fromSecret" $redis.sentinelPasswordSecret | nindent 2 }}
{{- end }}
{{- if $redis.tls.secretName }}
{{- with $redis.tls.ca }}
- name: REDIS_CA_FILE
  value: /etc/sluice/redis/{{ . }}
{{- end }}
{{- with $redis.tls.certificate }}
- name: REDIS_CERT_FILE
  value: /etc/sluice/redis/{{ . }}
{{- end }}
{{- with $redis.tls.key }}
- name: REDIS_KEY_FILE
  value: /etc/sluice/redis/{{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "sluice.environment.catalog" -}}
{{ include "sluice.environment.process" . }}
{{ include "sluice.environment.bus" . }}
{{ include "sluice.environment.ledger" . }}
{{ include "sluice.environment.called" . }}
- name: HOST
  value: {{ .root.Values.bindAddress | quote }}
- name: PORT
  value: {{ include "sluice.port.catalog" .root | quote }}
{{- if include "sluice.hasAdminPort" .root }}
- name: ADMIN_HOST
  value: {{ .root.Values.bindAddress | quote }}
- name: ADMIN_PORT
  value: {{ include "sluice.port.admin" .root | quote }}
{{- end }}
{{- if include "sluice.hasAdminTokens" .root }}
- name: ADMIN_TOKENS
  {{- include "sluice.adminTokens" .root | nindent 2 }}
{{- if include "sluice.keepsBudgets" .root }}
- name: BUDGET_TOKENS
  {{- include "sluice.fromSecret" (dict "name" .root.Values.usage.budgets.secretName "key" "BUDGET_TOKENS") | nindent 2 }}
{{- end }}
{{- end }}
{{- with .values.consoleKeys }}
- name: CONSOLE_KEYS
  {{- $pairs := list }}
  {{- range $name, $key := . }}
  {{- $pairs = append $pairs (printf "%s:%s" $name $key) }}
  {{- end }}
  value: {{ join "," $pairs | quote }}
{{- end }}
{{- with .values.consolePlan }}
- name: CONSOLE_PLAN
  value: {{ . | quote }}
{{- end }}
{{- with .root.Values.grpcTls.server.adminClientCa }}
- name: ADMIN_CLIENT_CA_FILE
  value: /etc/sluice/grpc/{{ . }}
{{- end }}
- name: CATALOG_BUCKET
  value: {{ .values.bucket | quote }}
- name: CATALOG_REPLICAS
  value: {{ include "sluice.text" .values.bucketReplicas | quote }}
{{- end }}

{{- define "sluice.environment.usage" -}}
{{ include "sluice.environment.process" . }}
{{ include "sluice.environment.bus" . }}
{{ include "sluice.environment.called" . }}
- name: HOST
  value: {{ .root.Values.bindAddress | quote }}
- name: PORT
  value: {{ include "sluice.port.usage" .root | quote }}
{{- if .values.databaseUrlSecret.name }}
- name: DATABASE_URL
  {{- include "sluice.fromSecret" .values.databaseUrlSecret | nindent 2 }}
{{- end }}
{{- if .values.databasePasswordSecret.name }}
- name: DATABASE_PASSWORD
  {{- include "sluice.fromSecret" .values.databasePasswordSecret | nindent 2 }}
{{- end }}
{{- if .values.databaseTls.enabled }}
- name: DATABASE_TLS
  value: 'true'
{{- if .values.databaseTls.secretName }}
- name: DATABASE_CA_FILE
  value: /etc/sluice/database/{{ .values.databaseTls.ca }}
{{- end }}
{{- end }}
{{- if include "sluice.hasAdminTokens" .root }}
- name: ADMIN_TOKENS
  {{- include "sluice.adminTokens" .root | nindent 2 }}
{{- end }}
{{- if include "sluice.keepsBudgets" .root }}
- name: CATALOG_ADMIN_ADDRESSES
  value: {{ include "sluice.adminAddress" .root | quote }}
- name: CATALOG_TOKEN
  {{- include "sluice.fromSecret" (dict "name" .values.budgets.secretName "key" "CATALOG_TOKEN") | nindent 2 }}
- name: WEBHOOK_KEY
  {{- include "sluice.fromSecret" (dict "name" .values.budgets.secretName "key" "WEBHOOK_KEY") | nindent 2 }}
{{- with .root.Values.grpcTls }}{{ if and .enabled .server.ca }}
- name: GRPC_CA_FILE
  value: /etc/sluice/grpc/{{ .server.ca }}
{{- end }}{{ end }}
{{- end }}
{{- end }}

{{- define "sluice.environment.console" -}}
{{ include "sluice.environment.process" . }}
{{ include "sluice.environment.bus" . }}
{{ include "sluice.environment.calling" . }}
- name: HOST
  value: {{ .root.Values.bindAddress | quote }}
- name: PORT
  value: {{ include "sluice.port.console" .root | quote }}
- name: PUBLIC_URL
  value: {{ .values.publicUrl | quote }}
- name: API_URL
  value: {{ .values.apiUrl | quote }}
- name: COOKIE_KEYS
  {{- include "sluice.fromSecret" (dict "name" .values.keysSecret.name "key" .values.keysSecret.cookieKeys) | nindent 2 }}
- name: ASSERTION_KEY
  {{- include "sluice.fromSecret" (dict "name" .values.keysSecret.name "key" .values.keysSecret.assertionKey) | nindent 2 }}
- name: CATALOG_ADMIN_ADDRESSES
  value: {{ include "sluice.adminAddress" .root | quote }}
- name: QUOTA_ADDRESSES
  value: {{ include "sluice.addresses" (dict "root" .root "component" "quota" "replicas" .root.Values.quota.replicas) | quote }}
{{- if .root.Values.usage.enabled }}
- name: USAGE_ADDRESS
  value: {{ printf "%s-usage.%s.svc:%s" (include "sluice.fullname" .root) .root.Release.Namespace (include "sluice.port.usage" .root) | quote }}
- name: USAGE_TOKEN
  {{- include "sluice.fromSecret" .values.usageTokenSecret | nindent 2 }}
{{- end }}
{{- if .values.oidc.issuer }}
- name: OIDC_ISSUER
  value: {{ .values.oidc.issuer | quote }}
- name: OIDC_CLIENT_ID
  value: {{ .values.oidc.clientId | quote }}
- name: OIDC_CLIENT_SECRET
  {{- include "sluice.fromSecret" .values.oidc.clientSecret | nindent 2 }}
{{- end }}
- name: DRAIN_ANNOUNCE_MS
  value: {{ include "sluice.text" .values.drain.announceMs | quote }}
- name: DRAIN_LIMIT_MS
  value: {{ include "sluice.text" .values.drain.limitMs | quote }}
{{- end }}

{{/* The Secret with the admin tokens. */}}
{{- define "sluice.adminTokens" -}}
{{- $secret := .Values.catalog.adminTokensSecret }}
{{- include "sluice.fromSecret" (ternary $secret (dict "name" (printf "%s-admin" (include "sluice.fullname" .)) "key" "ADMIN_TOKENS") (not (empty $secret.name))) }}
{{- end }}

{{/* The Job that applies the catalog. Also takes token: the name and the key of the Secret with the admin token. */}}
{{- define "sluice.environment.applyCatalog" -}}
- name: SLUICE_ADMIN_TOKEN
  {{- include "sluice.fromSecret" .token | nindent 2 }}
{{ include "sluice.environment.calling" . }}
{{- end }}

{{/* Settings of every service. */}}
{{- define "sluice.environment.process" -}}
{{- $telemetry := .root.Values.telemetry -}}
- name: LOG_LEVEL
  value: {{ .root.Values.logLevel | quote }}
- name: HEALTH_HOST
  value: {{ .root.Values.bindAddress | quote }}
- name: HEALTH_PORT
  value: {{ include "sluice.port.health" .root | quote }}
{{- with $telemetry.otlpEndpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
- name: OTEL_METRIC_EXPORT_INTERVAL
  value: {{ $telemetry.metricIntervalMs | quote }}
{{- end }}
{{- if $telemetry.prometheus.enabled }}
- name: OTEL_METRICS_EXPORTER
  value: prometheus
- name: OTEL_EXPORTER_PROMETHEUS_HOST
  value: {{ .root.Values.bindAddress | quote }}
- name: OTEL_EXPORTER_PROMETHEUS_PORT
  value: {{ include "sluice.port.metrics" .root | quote }}
{{- end }}
{{- if or $telemetry.otlpEndpoint $telemetry.prometheus.enabled }}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: OTEL_RESOURCE_ATTRIBUTES
  value: {{ include "sluice.resourceAttributes" .root | quote }}
{{- end }}
{{- with $telemetry.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Settings of every service that uses NATS. */}}
{{- define "sluice.environment.bus" -}}
{{- if regexMatch "\\.(ledger|refusals)(\\.|$)" .root.Values.subjectPrefix -}}
{{- fail "subjectPrefix: must not have ledger or refusals after its first part, where the streams of another release are: take another word" -}}
{{- end -}}
{{- $nats := .root.Values.nats }}
{{- $credentials := include "sluice.natsCredentials" . | fromYaml -}}
- name: NATS_URL
  {{- include "sluice.fromSecret" (include "sluice.natsUrl" . | fromYaml) | nindent 2 }}
- name: SUBJECT_PREFIX
  value: {{ .root.Values.subjectPrefix | quote }}
{{- if $credentials.name }}
- name: NATS_CREDS_FILE
  value: /etc/sluice/nats-credentials/{{ $credentials.key }}
{{- end }}
{{- if $nats.tls.secretName }}
{{- with $nats.tls.ca }}
- name: NATS_CA_FILE
  value: /etc/sluice/nats/{{ . }}
{{- end }}
{{- with $nats.tls.certificate }}
- name: NATS_CERT_FILE
  value: /etc/sluice/nats/{{ . }}
{{- end }}
{{- with $nats.tls.key }}
- name: NATS_KEY_FILE
  value: /etc/sluice/nats/{{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* Settings of gRPC servers. */}}
{{- define "sluice.environment.called" -}}
{{- $server := .root.Values.grpcTls.server }}
{{- if .root.Values.grpcTls.enabled -}}
- name: GRPC_TLS
  value: 'true'
- name: GRPC_CERT_FILE
  value: /etc/sluice/grpc/{{ $server.certificate }}
- name: GRPC_KEY_FILE
  value: /etc/sluice/grpc/{{ $server.key }}
{{- with ternary (default $server.clientCa $server.quotaClientCa) $server.clientCa (eq .component "quota") }}
- name: GRPC_CLIENT_CA_FILE
  value: /etc/sluice/grpc/{{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* Settings of gRPC clients. */}}
{{- define "sluice.environment.calling" -}}
{{- $files := include "sluice.grpcFiles" . | fromYaml }}
{{- if .root.Values.grpcTls.enabled -}}
- name: GRPC_TLS
  value: 'true'
{{- if $files.secretName }}
{{- with $files.ca }}
- name: GRPC_CA_FILE
  value: /etc/sluice/grpc/{{ . }}
{{- end }}
{{- with $files.certificate }}
- name: GRPC_CERT_FILE
  value: /etc/sluice/grpc/{{ . }}
{{- end }}
{{- with $files.key }}
- name: GRPC_KEY_FILE
  value: /etc/sluice/grpc/{{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Settings of the catalog, which creates and keeps the streams of the ledger. */}}
{{- define "sluice.environment.ledger" -}}
- name: LEDGER_REPLICAS
  value: {{ include "sluice.text" .root.Values.ledger.replicas | quote }}
- name: LEDGER_DAYS
  value: {{ include "sluice.text" .root.Values.ledger.days | quote }}
- name: LEDGER_MAX_BYTES
  value: {{ include "sluice.text" .root.Values.ledger.maxBytes | quote }}
{{- end }}

{{- define "sluice.resourceAttributes" -}}
{{- $pairs := list (printf "k8s.namespace.name=%s" .Release.Namespace) "k8s.pod.name=$(POD_NAME)" "service.instance.id=$(POD_NAME)" }}
{{- range $name, $value := .Values.telemetry.resourceAttributes }}
{{- $pairs = append $pairs (printf "%s=%s" $name (include "sluice.text" $value)) }}
{{- end }}
{{- join "," $pairs }}
{{- end }}

{{- define "sluice.fromSecret" -}}
valueFrom:
  secretKeyRef:
    name: {{ .name }}
    key: {{ .key }}
{{- end }}

{{/* Helm reads whole numbers of a values file as floating-point numbers, and would write them as 1e+06. */}}
{{- define "sluice.text" -}}
{{- if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ toString . }}{{ end }}
{{- end }}

{{/*
All variables of a container: those of the chart, of settings and of extraEnv. A variable that is set twice is refused,
because one of the two values would be ignored. The grace period, for example, is computed from the chart's own values.
*/}}
{{- define "sluice.environment" -}}
{{- $variables := fromYamlArray .own }}
{{- range $name, $value := .values.settings }}
{{- $variables = append $variables (dict "name" $name "value" (include "sluice.text" $value)) }}
{{- end }}
{{- $variables = concat $variables .values.extraEnv }}
{{- $seen := dict }}
{{- range $variables }}
{{- if hasKey $seen .name }}{{ fail (printf "%s: %s is set twice: by a value of its own, in settings or in extraEnv" $.where .name) }}{{ end }}
{{- $_ := set $seen .name true }}
{{- end }}
{{- toYaml $variables }}
{{- end }}
