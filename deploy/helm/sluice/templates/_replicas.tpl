{{/*
A service whose replicas gateways tell apart: quota or catalog. Takes what sluice.podTemplate takes, but its graceSeconds.

A StatefulSet, not for what it keeps, which is nothing, but for its names; and a Service for each replica, whose address
stays when the pod behind it is another one. By the name of a pod, gateways would ask for an address that resolvers
remember for half a minute. While its replica is not ready a Service refuses connections at once, and gateways turn to
the others: any of them is right.

An old replica goes as soon as the new one before it is ready, which gateways have not found yet: minReadySeconds of a
StatefulSet would be ignored, since it is Parallel. So it serves on after it was told to go. OrderedReady would wait, but
not when nodes are drained, and a replica that cannot start would have to be removed by hand after a rollback.
*/}}
{{- define "sluice.replicas" -}}
{{- $name := printf "%s-%s" (include "sluice.fullname" .root) .component }}
{{- $port := include (printf "sluice.port.%s" .component) .root -}}
# What a StatefulSet must have. Nobody asks for it.
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
spec:
  clusterIP: None
  selector:
    {{- include "sluice.selector" . | nindent 4 }}
  ports:
    - name: grpc
      port: {{ $port }}
      targetPort: grpc
{{- range $number := until (int .values.replicas) }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}-{{ $number }}
  labels:
    {{- include "sluice.labels" $ | nindent 4 }}
spec:
  type: ClusterIP
  selector:
    {{- include "sluice.selector" $ | nindent 4 }}
    statefulset.kubernetes.io/pod-name: {{ $name }}-{{ $number }}
  ports:
    - name: grpc
      port: {{ $port }}
      targetPort: grpc
{{- end }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $name }}
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
spec:
  serviceName: {{ $name }}
  replicas: {{ .values.replicas }}
  podManagementPolicy: Parallel
  selector:
    matchLabels:
      {{- include "sluice.selector" . | nindent 6 }}
  template:
    {{- include "sluice.podTemplate" (merge . (dict
      "serveOnSeconds" .values.serveOnSeconds
      "graceSeconds" (add .values.serveOnSeconds 30)
    )) | nindent 4 }}
{{- end }}
