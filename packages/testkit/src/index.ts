export { findFreePort } from '@sluice/backing';
export type { BackendKind } from './backend.ts';
export { describeDefaults, documentedSettings } from './documented-settings.ts';
export { findOnPath, isExecutable } from './find-on-path.ts';
export { useLeakCheck } from './leak-check.ts';
export { RUN_MARK, processesOfRun } from './left-processes.ts';
export { cannotRun } from './not-run.ts';
export { ServiceProcess, type ServiceProcessOptions } from './service-process.ts';
export {
  startStack,
  useStack,
  type StackOptions,
  type StackService,
  type TestStack,
} from './start-stack.ts';
export {
  useCertificates,
  type CertificateFiles,
  type CertificatesForTests,
} from './use-certificates.ts';
export { useNats, useRedis, type OwnServerForTests, type ServerForTests } from './use-servers.ts';
export { waitUntil, type WaitOptions } from './wait-until.ts';
