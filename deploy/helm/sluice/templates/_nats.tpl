{{/* Where a service finds its NATS user: in Secrets of its own, if NATS has a user for each service, or in the common Secrets. */}}

{{/* The name and the key of the Secret with the addresses. */}}
{{- define "sluice.natsUrl" -}}
{{- $chart := dict "name" (printf "%s-nats" (include "sluice.fullname" .root)) "key" "NATS_URL" }}
{{- $common := ternary .root.Values.nats.urlSecret $chart (not (empty .root.Values.nats.urlSecret.name)) }}
{{- ternary .values.natsUrlSecret $common (not (empty .values.natsUrlSecret.name)) | toYaml }}
{{- end }}

{{/* The name and the key of the Secret with the credentials. An empty name means no credentials. */}}
{{- define "sluice.natsCredentials" -}}
{{- ternary .values.natsCredentialsSecret .root.Values.nats.credentialsSecret (not (empty .values.natsCredentialsSecret.name)) | toYaml }}
{{- end }}

{{/* Whether a service uses nats.url. If none does, nats.url is not checked. */}}
{{- define "sluice.natsUrlIsTaken" -}}
{{- $own := list .Values.gateway.natsUrlSecret.name .Values.catalog.natsUrlSecret.name }}
{{- if .Values.usage.enabled }}
{{- $own = append $own .Values.usage.natsUrlSecret.name }}
{{- end }}
{{- if .Values.console.enabled }}
{{- $own = append $own .Values.console.natsUrlSecret.name }}
{{- end }}
{{- range .Values.workers }}
{{- $own = append $own (dig "natsUrlSecret" "name" $.Values.workerDefaults.natsUrlSecret.name (default dict .)) }}
{{- end }}
{{- if and (not .Values.nats.urlSecret.name) (has "" $own) }}true{{ end }}
{{- end }}
