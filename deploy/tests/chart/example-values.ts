/** Passwords that must not appear outside of Secrets. */
export const PASSWORDS = {
  nats: 'open-nats-please',
  redis: 'open-redis-please',
  operations: 'operations-0123456789',
  deploy: 'deploy-0123456789abc',
};

const runtimeContainer = {
  image: 'vllm/vllm-openai:v0.11.0',
  args: ['--model', 'quill/deep-70b', '--port', '9000'],
  resources: { limits: { 'nvidia.com/gpu': 1 } },
  volumeMounts: [{ name: 'shared-memory', mountPath: '/dev/shm' }],
};

/** Values with all options enabled. */
const everything = {
  image: { registry: 'registry.example.com/sluice' },
  imagePullSecrets: [{ name: 'registry-login' }],
  serviceAccount: { annotations: { 'example.com/owner': 'inference' } },
  nats: { url: `nats://sluice:${PASSWORDS.nats}@nats:4222` },
  redis: { mode: 'sentinel', url: `redis://:${PASSWORDS.redis}@one:26379,redis://two:26379` },
  ledger: { replicas: 3, maxBytes: 1_099_511_627_776 },
  telemetry: {
    otlpEndpoint: 'http://collector:4318',
    resourceAttributes: { 'deployment.environment.name': 'production' },
    extraEnv: [
      {
        name: 'OTEL_EXPORTER_OTLP_HEADERS',
        valueFrom: { secretKeyRef: { name: 'collector', key: 'headers' } },
      },
    ],
    prometheus: { enabled: true },
    podMonitor: { enabled: true, labels: { release: 'prometheus' } },
  },
  gateway: {
    settings: { BODY_LIMIT_BYTES: 6_291_456, CORS_ORIGINS: 'https://chat.example.com' },
    drain: { announceMs: 7_500, limitMs: 600_001 },
    service: { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'] },
    ingress: {
      enabled: true,
      className: 'nginx',
      hosts: ['api.example.com'],
      annotations: { 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' },
      tls: [{ secretName: 'api', hosts: ['api.example.com'] }],
    },
    httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['api.example.com'] },
    autoscaling: { enabled: true },
    podAnnotations: { 'example.com/team': 'inference' },
    podLabels: { tier: 'edge' },
    priorityClassName: 'serving',
    affinity: { podAntiAffinity: {} },
  },
  quota: { replicas: 3, nodeSelector: { disk: 'none' }, settings: { REDIS_DEADLINE_MS: 50 } },
  catalog: {
    replicas: 3,
    bucketReplicas: 3,
    adminTokens: { operations: PASSWORDS.operations, deploy: PASSWORDS.deploy },
  },
  usage: {
    enabled: true,
    databaseUrlSecret: { name: 'usage-database', key: 'url' },
    settings: { REQUEST_DAYS: 90 },
  },
  workers: {
    small: {
      runtimeUrl: 'http://vllm-small:8000/v1',
      runtimeKind: 'vllm',
      slots: 32,
      runtimeApiKeySecret: { name: 'vllm-small', key: 'key' },
    },
    large: {
      pool: 'large',
      replicas: 4,
      drainMs: 300_500,
      runtime: { container: runtimeContainer, port: 9_000, stopSeconds: 45 },
      extraVolumes: [{ name: 'shared-memory', emptyDir: { medium: 'Memory' } }],
      tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
      settings: { QUEUE_LIMIT: 256, SHARED_PREFIX_CACHE: true },
    },
    seldom: {
      pool: 'seldom',
      runtime: { container: { image: 'vllm/vllm-openai:v0.11.0' } },
      autoscaling: { enabled: true, prometheusAddress: 'http://prometheus:9090' },
    },
  },
  networkPolicy: {
    enabled: true,
    gatewayFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
  },
  applyCatalog: { enabled: true, admin: 'deploy', file: 'plans: []\n' },
};

/** Values with all secrets in Secrets of the operator, and with TLS for all connections that support it. */
const secretsOfOthers = {
  fullnameOverride: 'a-name-that-is-far-too-long-for-the-names-of-pods',
  nats: {
    urlSecret: { name: 'nats-access', key: 'url' },
    credentialsSecret: { name: 'nats-user', key: 'sluice.creds' },
    tls: { secretName: 'nats-tls', certificate: 'tls.crt', key: 'tls.key' },
  },
  redis: {
    mode: 'sentinel',
    url: 'rediss://one:26379,rediss://two:26379',
    passwordSecret: { name: 'redis', key: 'password' },
    sentinelPasswordSecret: { name: 'redis', key: 'sentinel-password' },
    tls: { secretName: 'redis-tls', ca: 'authority.pem' },
  },
  grpcTls: {
    enabled: true,
    server: {
      secretName: 'services-tls',
      clientCa: 'ca.crt',
      quotaClientCa: 'callers.crt',
      adminClientCa: 'operators.crt',
    },
    client: { secretName: 'gateway-tls', certificate: 'tls.crt', key: 'tls.key' },
  },
  catalog: {
    adminTokensSecret: { name: 'admins', key: 'tokens' },
    natsCredentialsSecret: { name: 'nats-catalog', key: 'catalog.creds' },
  },
  usage: {
    enabled: true,
    databaseUrlSecret: { name: 'usage-database', key: 'url' },
    databasePasswordSecret: { name: 'usage-database', key: 'password' },
    databaseTls: { enabled: true, secretName: 'database-tls', ca: 'ca.crt' },
    natsCredentialsSecret: { name: 'nats-usage', key: 'usage.creds' },
  },
  gateway: {
    extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/extra/ca.crt' }],
    extraVolumes: [{ name: 'extra', secret: { secretName: 'extra' } }],
    extraVolumeMounts: [{ name: 'extra', mountPath: '/etc/extra', readOnly: true }],
  },
  workers: {
    shared: { runtimeUrl: 'https://gpu.example', replicas: 2, settings: { RUNTIME_SHARED: true } },
  },
  networkPolicy: { enabled: true },
  applyCatalog: {
    enabled: true,
    tokenSecret: { name: 'deploy-token', key: 'token' },
    tls: { secretName: 'deploy-tls', certificate: 'tls.crt', key: 'tls.key' },
    file: 'models: []\n',
  },
};

export const EXAMPLES = { defaults: {}, everything, secretsOfOthers } as const;
