{{/*
Quota or catalog, whose replicas have an address each. Takes the arguments of sluice.podTemplate, without graceSeconds.

The replicas are stateless. A StatefulSet is used for its stable pod names, and each replica has a Service, whose address
stays when the pod is replaced. Gateways do not use the DNS names of pods, because resolvers cache the address of the old
pod for half a minute. While a replica is not ready, its Service refuses connections at once, and gateways use another
replica. Every replica can answer every call.

During an upgrade, Kubernetes stops the next old replica as soon as a new one is ready, when gateways may not have
connected to the new one yet. Therefore a replica continues to serve for serveOnSeconds before it stops. minReadySeconds
does not help, because it is ignored with podManagementPolicy Parallel. OrderedReady does not help either: it has no
effect while nodes are drained, and after a rollback a replica that cannot start must be removed by hand.
*/}}
{{- define "sluice.replicas" -}}
{{- $name := printf "%s-%s" (include "sluice.fullname" .root) .component }}
{{- $port := include (printf "sluice.port.%s" .component) .root -}}
# A StatefulSet requires a headless Service. Sluice does not use it.
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
