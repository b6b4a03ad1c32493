export { ACCESS_KINDS, withoutAccess, type AccessKind } from './backing-access.ts';
export {
  BackingEnvironmentError,
  readBackingEnvironment,
  type BackingEnvironment,
} from './backing-environment.ts';
export {
  BACKING_KINDS,
  type BackingKind,
  type BackingSource,
  type ServerProgram,
} from './backing-source.ts';
export { givenServerAnswers } from './given-server.ts';
export { findFreePort, isPortFree, LOOPBACK } from './loopback-port.ts';
export { planNats } from './plan-nats.ts';
export { planRedis, type RedisPlanOptions } from './plan-redis.ts';
export type { PlanOptions, ServerPlan } from './server-plan.ts';
export { ServerStartError, type RunningServer, type ServerExit } from './server-process.ts';
export {
  startNats,
  startRedis,
  type StartNatsOptions,
  type StartRedisOptions,
} from './start-servers.ts';
