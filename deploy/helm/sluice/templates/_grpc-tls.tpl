{{/*
The Secret with the gRPC files of a part, and the names of its keys. Quota, catalog and usage use grpcTls.server. The Job that
applies the catalog uses applyCatalog.tls, if it is set. Every other caller uses grpcTls.client.
*/}}
{{- define "sluice.grpcFiles" -}}
{{- $tls := .root.Values.grpcTls }}
{{- if has .component (list "quota" "catalog" "usage") }}
{{- toYaml $tls.server }}
{{- else if and (eq .component "apply-catalog") .values.tls.secretName }}
{{- toYaml .values.tls }}
{{- else }}
{{- toYaml $tls.client }}
{{- end }}
{{- end }}
