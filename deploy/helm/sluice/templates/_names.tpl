{{/* Names, labels, ports and images. */}}

{{- define "sluice.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/*
The beginning of all names, short enough to append the name of a part, the number of a pod and a revision. A name that is
too long is cut and ends with a hash of the whole name. Otherwise two long names with the same beginning would be equal.
*/}}
{{- define "sluice.fullname" -}}
{{- $whole := .Values.fullnameOverride }}
{{- if not $whole }}
{{- $name := include "sluice.name" . }}
{{- $whole = ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- end }}
{{- $whole = trimSuffix "-" $whole }}
{{- /* Helm allows release names that are not valid in the name of a Service. */}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]*[a-z0-9])?$" $whole) }}
{{- fail (printf "%q cannot begin the names of Services: set fullnameOverride to small letters, digits and -, a letter first" $whole) }}
{{- end }}
{{- if gt (len $whole) 30 }}
{{- printf "%s-%s" ($whole | trunc 23 | trimSuffix "-") ($whole | sha256sum | trunc 6) }}
{{- else }}
{{- $whole }}
{{- end }}
{{- end }}

{{- define "sluice.serviceAccount" -}}
{{- default (ternary (include "sluice.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{/*
The labels that select the pods of one part: (dict "root" $ "component" "quota"). They must never change. Values are
quoted, because a worker may be called 1, and a release "on".
*/}}
{{- define "sluice.selector" -}}
app.kubernetes.io/name: {{ include "sluice.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- with .worker }}
sluice/worker: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "sluice.port.gateway" -}}8080{{- end }}
{{- define "sluice.port.quota" -}}50051{{- end }}
{{- define "sluice.port.catalog" -}}7002{{- end }}
{{- define "sluice.port.admin" -}}7003{{- end }}
{{- define "sluice.port.usage" -}}7004{{- end }}
{{- define "sluice.port.console" -}}7005{{- end }}
{{- define "sluice.port.health" -}}8081{{- end }}
{{- define "sluice.port.metrics" -}}9464{{- end }}

{{/* The full name of an image: (dict "root" $ "image" .Values.gateway.image) */}}
{{- define "sluice.image" -}}
{{- $common := .root.Values.image }}
{{- with $common.registry }}{{ trimSuffix "/" . }}/{{ end }}
{{- .image.repository }}
{{- if .image.digest }}@{{ .image.digest }}
{{- else }}:{{ coalesce .image.tag $common.tag .root.Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* host:port of each replica of quota or catalog, by the Service of this replica: see _replicas.tpl. */}}
{{- define "sluice.addresses" -}}
{{- $name := printf "%s-%s" (include "sluice.fullname" .root) .component }}
{{- $port := include (printf "sluice.port.%s" .component) .root }}
{{- $addresses := list }}
{{- range $number := until (int .replicas) }}
{{- $addresses = append $addresses (printf "%s-%d.%s.svc:%s" $name $number $.root.Release.Namespace $port) }}
{{- end }}
{{- join "," $addresses }}
{{- end }}

{{- define "sluice.adminAddress" -}}
{{ include "sluice.fullname" . }}-catalog-admin.{{ .Release.Namespace }}.svc:{{ include "sluice.port.admin" . }}
{{- end }}

{{/* Not empty if there are admin tokens. */}}
{{- define "sluice.hasAdminTokens" -}}
{{- if or .Values.catalog.adminTokens .Values.catalog.adminTokensSecret.name }}yes{{ end }}
{{- end }}

{{/* Not empty if there are admin tokens or keys of consoles. The catalog opens its admin port only then. */}}
{{- define "sluice.hasAdminPort" -}}
{{- if or (include "sluice.hasAdminTokens" .) .Values.catalog.consoleKeys }}yes{{ end }}
{{- end }}

{{/* Not empty if usage reads budgets from the admin port of the catalog. */}}
{{- define "sluice.keepsBudgets" -}}
{{- if and .Values.usage.enabled .Values.usage.budgets.secretName (include "sluice.hasAdminTokens" .) }}yes{{ end }}
{{- end }}
