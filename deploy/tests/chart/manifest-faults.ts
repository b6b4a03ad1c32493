import {
  allOf,
  containersOf,
  podsOf,
  type Container,
  type Manifest,
  type Pod,
} from './manifest.ts';

type Labels = Readonly<Record<string, string>>;

/** Workloads that do not select exactly their own pods, and selectors that select no pods. */
export function selectorFaults(manifests: readonly Manifest[]): string[] {
  const pods = podsOf(manifests);
  const workloads = [...allOf(manifests, 'Deployment'), ...allOf(manifests, 'StatefulSet')];
  const wrongPods = workloads.flatMap((workload) => {
    const own = Array.from(podsOf([workload]).keys()).join(', ');
    const chosen = podsChosenBy(workload.spec.selector.matchLabels, manifests).join(', ');
    return chosen === own ? [] : [`${workload.metadata.name} selects ${chosen}`];
  });
  const selectors: Labels[] = [
    ...allOf(manifests, 'Service').map(({ spec }) => spec.selector),
    ...allOf(manifests, 'PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
    ...allOf(manifests, 'PodMonitor').map(({ spec }) => spec.selector.matchLabels),
    ...Array.from(pods.values()).flatMap(({ spec }) =>
      spec.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels),
    ),
  ];
  const unused = selectors.filter((selector) => podsChosenBy(selector, manifests).length === 0);
  return [
    ...wrongPods,
    ...unused.map((selector) => `no pod has the labels ${JSON.stringify(selector)}`),
  ];
}

/** The names of the pods with these labels. */
export function podsChosenBy(selector: Labels, manifests: readonly Manifest[]): string[] {
  return Array.from(podsOf(manifests))
    .filter(([, pod]) => selects(selector, pod))
    .map(([name]) => name);
}

/** References to missing ports, volumes and keys of Secrets of the chart, and variables that are set twice. */
export function referenceFaults(manifests: readonly Manifest[]): string[] {
  const pods = podsOf(manifests);
  const ofPods = Array.from(pods).flatMap(([name, pod]) =>
    containersOf(pod)
      .flatMap((container) => containerFaults(container, pod, manifests))
      .map((fault) => `${name}: ${fault}`),
  );
  const ofServices = allOf(manifests, 'Service').flatMap(({ metadata, spec }) => {
    const served = Array.from(pods.values()).filter((pod) => selects(spec.selector, pod));
    const ports = new Set(served.flatMap((pod) => containersOf(pod).flatMap(portNames)));
    return spec.ports
      .filter(({ targetPort }) => !ports.has(targetPort))
      .map(({ targetPort }) => `Service ${metadata.name}: no port ${targetPort}`);
  });
  return [...ofPods, ...ofServices];
}

function containerFaults(container: Container, pod: Pod, manifests: readonly Manifest[]): string[] {
  const volumes = pod.spec.volumes.map(({ name }) => name);
  const variables = container.env.map(({ name }) => name);
  const probed = [container.livenessProbe, container.readinessProbe].flatMap((probe) =>
    probe === undefined ? [] : [probe.httpGet.port],
  );
  const ours = allOf(manifests, 'Secret');
  const missingKeys = container.env.flatMap(({ valueFrom }) => {
    const { name = '', key = '' } = valueFrom?.secretKeyRef ?? {};
    const secret = ours.find(({ metadata }) => metadata.name === name);
    // Secrets of the operator are not among the manifests.
    const isOurs = name.startsWith('acme-sluice-');
    return isOurs && secret?.data[key] === undefined ? [`no ${key} in Secret ${name}`] : [];
  });
  return [
    ...repeated(volumes).map((name) => `two volumes ${name}`),
    ...repeated(variables).map((name) => `two variables ${name}`),
    ...probed
      .filter((port) => !portNames(container).includes(port))
      .map((port) => `no port ${port}`),
    ...container.volumeMounts
      .filter(({ name }) => !volumes.includes(name))
      .map(({ name }) => `no volume ${name}`),
    ...missingKeys,
    ...container.env
      .filter(({ name, value = '' }) => name.endsWith('_FILE') && !isMounted(value, container))
      .map(({ name }) => `the file of ${name} is not mounted`),
  ];
}

function isMounted(path: string, { volumeMounts }: Container): boolean {
  return volumeMounts.some(({ mountPath }) => path.startsWith(`${mountPath}/`));
}

function portNames({ ports }: Container): string[] {
  return ports.map(({ name }) => name);
}

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function selects(selector: Labels, { metadata }: Pod): boolean {
  return Object.entries(selector).every(([name, value]) => metadata.labels[name] === value);
}
