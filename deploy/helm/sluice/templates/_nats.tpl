{{/* Where a service on the bus finds its user: in Secrets of its own, for a NATS that has one for each, or in the common ones. */}}

{{/* The Secret with the addresses, and its key there. */}}
{{- define "sluice.natsUrl" -}}
{{- $chart := dict "name" (printf "%s-nats" (include "sluice.fullname" .root)) "key" "NATS_URL" }}
{{- $common := ternary .root.Values.nats.urlSecret $chart (not (empty .root.Values.nats.urlSecret.name)) }}
{{- ternary .values.natsUrlSecret $common (not (empty .values.natsUrlSecret.name)) | toYaml }}
{{- end }}

{{/* The same of the credentials. Without a name there are none. */}}
{{- define "sluice.natsCredentials" -}}
{{- ternary .values.natsCredentialsSecret .root.Values.nats.credentialsSecret (not (empty .values.natsCredentialsSecret.name)) | toYaml }}
{{- end }}

{{/* Whether some service takes the addresses in the values: others are not held to them. */}}
{{- define "sluice.natsUrlIsTaken" -}}
{{- $own := list .Values.gateway.natsUrlSecret.name .Values.catalog.natsUrlSecret.name }}
{{- range .Values.workers }}
{{- $own = append $own (dig "natsUrlSecret" "name" $.Values.workerDefaults.natsUrlSecret.name (default dict .)) }}
{{- end }}
{{- if and (not .Values.nats.urlSecret.name) (has "" $own) }}true{{ end }}
{{- end }}
