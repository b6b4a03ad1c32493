import * as z from 'zod';

/** The label with the name of a pod, which Kubernetes adds to the pods of a StatefulSet. */
const POD_NAME = 'statefulset.kubernetes.io/pod-name';

const Strings = z.record(z.string(), z.string());
const Named = z.looseObject({ name: z.string() });

const Probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.string() }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int(),
  failureThreshold: z.int(),
  terminationGracePeriodSeconds: z.int().optional(),
});

/** The decoded values of a Secret. */
function decoded(data: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(data);
  return Object.fromEntries(entries.map(([key, value]) => [key, atob(value)]));
}

/** The fields of a container that the chart uses. Strict, because Kubernetes ignores or refuses a misspelt field. */
const Container = z.strictObject({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: z.string().optional(),
  restartPolicy: z.literal('Always').optional(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  env: z
    .array(
      z.strictObject({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z
          .strictObject({
            secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }).optional(),
            fieldRef: z.strictObject({ fieldPath: z.string() }).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).default([]),
  lifecycle: z
    .strictObject({
      preStop: z.strictObject({ sleep: z.strictObject({ seconds: z.int().positive() }) }),
    })
    .optional(),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  resources: z.looseObject({}).optional(),
  securityContext: z.looseObject({}).optional(),
  volumeMounts: z
    .array(
      z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
    )
    .default([]),
});
export type Container = z.infer<typeof Container>;

const PodSpec = z.strictObject({
  serviceAccountName: z.string(),
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  shareProcessNamespace: z.literal(true).optional(),
  restartPolicy: z.string().optional(),
  terminationGracePeriodSeconds: z.int().optional(),
  imagePullSecrets: z.array(Named).optional(),
  priorityClassName: z.string().optional(),
  nodeSelector: Strings.optional(),
  tolerations: z.array(z.looseObject({})).optional(),
  affinity: z.looseObject({}).optional(),
  topologySpreadConstraints: z
    .array(
      z.strictObject({
        topologyKey: z.string(),
        maxSkew: z.int(),
        whenUnsatisfiable: z.string(),
        matchLabelKeys: z.array(z.string()).optional(),
        labelSelector: z.strictObject({ matchLabels: Strings }),
      }),
    )
    .default([]),
  initContainers: z.array(Container).default([]),
  containers: z.array(Container),
  volumes: z.array(Named).default([]),
});

const Pod = z.strictObject({
  metadata: z.strictObject({ labels: Strings, annotations: Strings.optional() }),
  spec: PodSpec,
});
export type Pod = z.infer<typeof Pod>;

const Selector = z.strictObject({ matchLabels: Strings });

const metadata = z.strictObject({
  name: z.string().max(63),
  labels: Strings,
  annotations: Strings.optional(),
});

const workload = { replicas: z.int().optional(), selector: Selector, template: Pod };

/** A manifest of the chart, with all fields that it may have. */
export const Manifest = z.discriminatedUnion('kind', [
  z.strictObject({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('Deployment'),
    metadata,
    spec: z.strictObject({
      ...workload,
      strategy: z.looseObject({}),
      progressDeadlineSeconds: z.int().optional(),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('StatefulSet'),
    metadata,
    spec: z.strictObject({
      ...workload,
      serviceName: z.string(),
      podManagementPolicy: z.literal('Parallel'),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Pod'),
    metadata,
    spec: PodSpec,
  }),
  z.strictObject({
    apiVersion: z.literal('batch/v1'),
    kind: z.literal('Job'),
    metadata,
    spec: z.strictObject({
      backoffLimit: z.int(),
      activeDeadlineSeconds: z.int(),
      podFailurePolicy: z.strictObject({
        rules: z.array(
          z.strictObject({
            action: z.enum(['FailJob', 'Ignore', 'Count']),
            onExitCodes: z.strictObject({
              containerName: z.string(),
              operator: z.enum(['In', 'NotIn']),
              values: z.array(z.int()),
            }),
          }),
        ),
      }),
      template: Pod,
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Service'),
    metadata,
    spec: z.strictObject({
      type: z.string().optional(),
      clusterIP: z.literal('None').optional(),
      publishNotReadyAddresses: z.boolean().optional(),
      loadBalancerClass: z.string().optional(),
      loadBalancerSourceRanges: z.array(z.string()).optional(),
      selector: Strings,
      ports: z.array(
        z.strictObject({
          name: z.string(),
          port: z.int(),
          targetPort: z.string(),
          appProtocol: z.string().optional(),
        }),
      ),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Secret'),
    metadata,
    data: Strings.transform(decoded),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('ConfigMap'),
    metadata,
    data: Strings,
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('ServiceAccount'),
    metadata,
    automountServiceAccountToken: z.literal(false),
  }),
  z.strictObject({
    apiVersion: z.literal('policy/v1'),
    kind: z.literal('PodDisruptionBudget'),
    metadata,
    spec: z.strictObject({
      maxUnavailable: z.union([z.int(), z.string()]),
      unhealthyPodEvictionPolicy: z.literal('AlwaysAllow'),
      selector: Selector,
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('networking.k8s.io/v1'),
    kind: z.literal('NetworkPolicy'),
    metadata,
    spec: z.strictObject({
      podSelector: Selector,
      policyTypes: z.tuple([z.literal('Ingress')]),
      ingress: z.array(
        z.strictObject({
          ports: z.array(z.strictObject({ port: z.string() })),
          from: z.array(z.looseObject({ podSelector: Selector.optional() })).optional(),
        }),
      ),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('networking.k8s.io/v1'),
    kind: z.literal('Ingress'),
    metadata,
    spec: z.looseObject({ rules: z.array(z.looseObject({ host: z.string() })) }),
  }),
  z.strictObject({
    apiVersion: z.literal('gateway.networking.k8s.io/v1'),
    kind: z.literal('HTTPRoute'),
    metadata,
    spec: z.looseObject({ parentRefs: z.array(Named) }),
  }),
  z.strictObject({
    apiVersion: z.literal('autoscaling/v2'),
    kind: z.literal('HorizontalPodAutoscaler'),
    metadata,
    spec: z.looseObject({ minReplicas: z.int(), maxReplicas: z.int() }),
  }),
  z.strictObject({
    apiVersion: z.literal('keda.sh/v1alpha1'),
    kind: z.literal('ScaledObject'),
    metadata,
    spec: z.strictObject({
      scaleTargetRef: z.strictObject({
        apiVersion: z.literal('apps/v1'),
        kind: z.literal('Deployment'),
        name: z.string(),
      }),
      minReplicaCount: z.int().min(0),
      maxReplicaCount: z.int().min(1),
      pollingInterval: z.int().positive(),
      cooldownPeriod: z.int().min(0),
      advanced: z
        .strictObject({
          horizontalPodAutoscalerConfig: z.strictObject({ behavior: z.looseObject({}) }),
        })
        .optional(),
      triggers: z.tuple([
        z.strictObject({
          type: z.literal('prometheus'),
          metricType: z.literal('AverageValue'),
          // Every value of the metadata of a trigger is a text.
          metadata: z.strictObject({
            serverAddress: z.string(),
            query: z.string(),
            threshold: z.string(),
            activationThreshold: z.string(),
            ignoreNullValues: z.string(),
          }),
          authenticationRef: z.looseObject({ name: z.string() }).optional(),
        }),
      ]),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('monitoring.coreos.com/v1'),
    kind: z.literal('PodMonitor'),
    metadata,
    spec: z.looseObject({
      selector: Selector,
      podMetricsEndpoints: z.array(z.looseObject({ port: z.string() })),
    }),
  }),
]);
export type Manifest = z.infer<typeof Manifest>;
export type ManifestOf<Kind extends Manifest['kind']> = Extract<Manifest, { kind: Kind }>;

export function allOf<Kind extends Manifest['kind']>(
  manifests: readonly Manifest[],
  kind: Kind,
): ManifestOf<Kind>[] {
  return manifests.filter((manifest): manifest is ManifestOf<Kind> => manifest.kind === kind);
}

export function oneOf<Kind extends Manifest['kind']>(
  manifests: readonly Manifest[],
  kind: Kind,
  name: string,
): ManifestOf<Kind> {
  const found = allOf(manifests, kind).find(({ metadata: { name: given } }) => given === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** The pods that the manifests would start, by name: all pods of a StatefulSet, and one pod of any other workload. */
export function podsOf(manifests: readonly Manifest[]): Map<string, Pod> {
  const pods = new Map<string, Pod>();
  for (const manifest of manifests) {
    const { name, labels, annotations } = manifest.metadata;
    if (manifest.kind === 'Pod') {
      pods.set(name, { metadata: { labels, annotations }, spec: manifest.spec });
    } else if (manifest.kind === 'Deployment' || manifest.kind === 'Job') {
      pods.set(name, manifest.spec.template);
    } else if (manifest.kind === 'StatefulSet') {
      for (const pod of replicasOf(manifest)) pods.set(pod.metadata.labels[POD_NAME] ?? name, pod);
    }
  }
  return pods;
}

function replicasOf({ metadata: { name }, spec }: ManifestOf<'StatefulSet'>): Pod[] {
  const { metadata: given, spec: podSpec } = spec.template;
  return Array.from({ length: spec.replicas ?? 1 }, (_, number) => ({
    metadata: { ...given, labels: { ...given.labels, [POD_NAME]: `${name}-${number}` } },
    spec: podSpec,
  }));
}

export function containersOf({ spec }: Pod): Container[] {
  return [...spec.initContainers, ...spec.containers];
}

/** The variables of a container, with their values from the manifest or from Secrets of the chart. */
export function environmentOf(
  container: Container | undefined,
  manifests: readonly Manifest[],
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const { name, value, valueFrom } of container?.env ?? []) {
    const { name: secret = '', key = '' } = valueFrom?.secretKeyRef ?? {};
    const kept = allOf(manifests, 'Secret').find(
      ({ metadata: { name: given } }) => given === secret,
    );
    const found = value ?? kept?.data[key];
    if (found !== undefined) environment[name] = found;
  }
  return environment;
}
