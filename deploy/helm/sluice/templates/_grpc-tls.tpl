{{/*
The Secret with the files that a part needs for gRPC, and which of its keys is what: grpcTls.server for who is called;
for the Job that applies the catalog its own, if it has one; grpcTls.client for who else calls.
*/}}
{{- define "sluice.grpcFiles" -}}
{{- $tls := .root.Values.grpcTls }}
{{- if has .component (list "quota" "catalog") }}
{{- toYaml $tls.server }}
{{- else if and (eq .component "apply-catalog") .values.tls.secretName }}
{{- toYaml .values.tls }}
{{- else }}
{{- toYaml $tls.client }}
{{- end }}
{{- end }}
