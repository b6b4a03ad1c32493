{{/* Pods read Secrets only at their start. A hash of the chart's own Secrets, as an annotation, replaces pods after a change. */}}

{{- define "sluice.natsHash" -}}
{{- $nats := .root.Values.nats }}
{{- if not (or .values.natsUrlSecret.name $nats.urlSecret.name) }}{{ $nats.url | sha256sum | trunc 16 | quote }}{{ end }}
{{- end }}

{{- define "sluice.redisHash" -}}
{{- if not .Values.redis.urlSecret.name }}{{ .Values.redis.url | sha256sum | trunc 16 | quote }}{{ end }}
{{- end }}

{{/* Of catalog and usage, which both read the admin tokens. */}}
{{- define "sluice.adminHash" -}}
{{- printf "%s %s" (include "sluice.natsHash" .) (toJson .root.Values.catalog.adminTokens) | sha256sum | trunc 16 | quote }}
{{- end }}
