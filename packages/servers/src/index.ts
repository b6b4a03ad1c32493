export { ACCESS_KINDS, withoutAccess } from './backing-access.ts';
export { BackingEnvironmentError, readBackingEnvironment } from './backing-environment.ts';
export {
  BACKING_KINDS,
  type BackingKind,
  type BackingSource,
  type ServerProgram,
} from './backing-source.ts';
export { givenServerAnswers } from './given-server.ts';
export { findFreePort, isPortFree, LOOPBACK } from './loopback-port.ts';
export { planNats } from './plan-nats.ts';
export { planRedis } from './plan-redis.ts';
export type { ServerPlan } from './server-plan.ts';
export { ServerStartError, type RunningServer } from './server-process.ts';
export { startNats, startRedis } from './start-servers.ts';
