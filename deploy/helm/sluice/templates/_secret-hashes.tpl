{{/* Pods read secrets at their start alone: a hash of what the chart itself keeps rolls them when it changes. */}}

{{- define "sluice.natsHash" -}}
{{- $nats := .root.Values.nats }}
{{- if not (or .values.natsUrlSecret.name $nats.urlSecret.name) }}{{ $nats.url | sha256sum | trunc 16 | quote }}{{ end }}
{{- end }}

{{- define "sluice.redisHash" -}}
{{- if not .Values.redis.urlSecret.name }}{{ .Values.redis.url | sha256sum | trunc 16 | quote }}{{ end }}
{{- end }}

{{- define "sluice.catalogHash" -}}
{{- printf "%s %s" (include "sluice.natsHash" .) (toJson .values.adminTokens) | sha256sum | trunc 16 | quote }}
{{- end }}
