import { ServiceProcess } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { renderChart } from './helm.ts';
import type { Manifest } from './manifest.ts';
import { startContainer, type SecretFiles } from './run-container.ts';

export interface Installation extends AsyncDisposable {
  readonly manifests: readonly Manifest[];
  readonly gatewayUrl: string;
  readonly adminAddress: string;
  readonly quotaAddress: string;
}

/** Files and Secrets that the operator provides, because the chart does not create them. */
interface ProvidedFiles {
  readonly files?: SecretFiles;
  readonly secrets?: readonly Manifest[];
}

/** Starts the services of the chart as processes on this machine, each in the environment of its container. */
export async function install(
  values: object,
  { files = {}, secrets = [] }: ProvidedFiles,
): Promise<Installation> {
  await using starting = new AsyncDisposableStack();
  const [runtime, quota, catalog, admin, gateway] = await Promise.all(
    Array.from({ length: 5 }, async () => String(await findFreePort())),
  );
  const runtimeUrl = `http://127.0.0.1:${runtime}`;
  const rendered = await renderChart({ ...values, workers: { demo: { runtimeUrl } } });
  const manifests = [...rendered, ...secrets];
  const start = async (pod: string, instead: Record<string, string>) =>
    starting.use(await startContainer({ manifests, pod, instead, files }));
  starting.use(
    await ServiceProcess.start({
      name: 'simulator',
      entry: 'packages/simulator/src/main.ts',
      settings: { PORT: runtime ?? '' },
      readyUrl: `${runtimeUrl}/health`,
    }),
  );
  await start('acme-sluice-quota-0', { PORT: quota ?? '' });
  await start('acme-sluice-catalog-0', { PORT: catalog ?? '', ADMIN_PORT: admin ?? '' });
  await start('acme-sluice-worker-demo', {});
  await start('acme-sluice-gateway', {
    PORT: gateway ?? '',
    QUOTA_ADDRESSES: `127.0.0.1:${quota}`,
    CATALOG_ADDRESSES: `127.0.0.1:${catalog}`,
  });
  const running = starting.move();
  return {
    manifests,
    gatewayUrl: `http://127.0.0.1:${gateway}`,
    adminAddress: `127.0.0.1:${admin}`,
    quotaAddress: `127.0.0.1:${quota}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
