export { ACCESS_KINDS, withoutAccess } from './backing-access.ts';
export { BackingEnvironmentError, readBackingEnvironment } from './backing-environment.ts';
export {
  BACKING_KINDS,
  type BackingKind,
  type BackingSource,
  type ServerProgram,
} from './backing-source.ts';
export { externalServerAnswers } from './external-server.ts';
export {
  ChildProgram,
  endAllPrograms,
  signalGroup,
  startProgram,
  type ProgramOptions,
  type StartOptions,
} from './child-program.ts';
export { openLogFile, type LogFile } from './log-file.ts';
export {
  FREE_PORTS,
  FREE_PORTS_VARIABLE,
  findFreePort,
  isPortFree,
  LOOPBACK,
} from './loopback-port.ts';
export { planNats } from './plan-nats.ts';
export { identify, isAlive, ProcessIdentity } from './process-identity.ts';
export { Interrupted, runProgram } from './run-program.ts';
export { planRedis } from './plan-redis.ts';
export type { ServerPlan } from './server-plan.ts';
export { StartFailure } from './start-failure.ts';
export {
  startSluice,
  type RunningSluice,
  type SluiceOptions,
  type SluiceService,
} from './start-sluice.ts';
export { startNats, startRedis, type RunningServer } from './start-servers.ts';
export {
  describeDeath,
  supervise,
  type Death,
  type Supervised,
  type SupervisedOptions,
} from './supervise.ts';
