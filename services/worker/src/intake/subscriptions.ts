import type { Bus, BusMessage } from '@sluice/bus';
import {
  CONTRACT_VERSION,
  ControlMessage,
  Lease,
  MalformedJobError,
  attemptName,
  decodeJob,
  type JobHeader,
  type RefusalReason,
  type Subjects,
} from '@sluice/contracts';
import { count, extractTrace, initCounters, tracingEnabled, type Logger } from '@sluice/service';
import type { FrameChannel } from '../attempt/attempt.ts';
import type { AttemptChannel } from '../stream/frame-channel.ts';
import type { Outbox } from '../stream/outbox.ts';
import { refusedFrame } from './answer-frames.ts';
import type { Leases } from './gateway-liveness.ts';
import type { JobIntake } from './job-intake.ts';

export interface JobServiceOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly worker: string;
  readonly intake: JobIntake;
  readonly leases: Leases;
  readonly outbox: Outbox;
  readonly serves: (model: string) => boolean;
  /** Called when an operator starts or ends a drain. */
  readonly orderDrain: (drained: boolean) => void;
  readonly clock: () => number;
  readonly logger: Logger;
}

const EMPTY = new Uint8Array(0);
const LEASE_SHAPE = { message: 'lease', fault: 'shape' } as const;
const CONTROL_SHAPE = { message: 'control', fault: 'shape' } as const;
const JOB_SHAPE = { message: 'job', fault: 'shape' } as const;
const JOB_VERSION = { message: 'job', fault: 'version' } as const;
const MISMATCHES = [LEASE_SHAPE, CONTROL_SHAPE, JOB_SHAPE, JOB_VERSION];

/** Subscribes to jobs, control messages and leases. */
export function serveJobs(options: JobServiceOptions): Disposable {
  const { bus, subjects, worker, intake, leases, logger, clock } = options;
  initCounters('sluice.contract.mismatches', MISMATCHES);
  const subscriptions = [
    bus.subscribe(subjects.control(worker), (message) => handleControl(message, options)),
    bus.subscribe(subjects.leases(), (message) => {
      const lease = Lease.safeParse(message.json);
      if (!lease.success) {
        count('sluice.contract.mismatches', LEASE_SHAPE);
        return;
      }
      leases.renew(lease.data.gateway, clock());
      intake.markDelivered(lease.data.gateway);
    }),
    bus.subscribe(subjects.job(worker), (message) => handleJob(message, options)),
  ];
  let abandonedChannels: readonly FrameChannel[] = [];
  const stopListening = [
    bus.onDisconnect(() => {
      // Every attempt is abandoned: its recent frames may be lost, and a cancel could not arrive.
      const attempts = intake.abandonWhere('bus_lost', () => true);
      abandonedChannels = attempts.map(({ channel }) => channel);
      leases.clear();
      const abandoned = attempts.length;
      if (abandoned > 0) logger.warn({ abandoned }, 'attempts abandoned with the bus connection');
    }),
    bus.onReconnect(() => {
      // A gateway whose own connection did not break still waits for these attempts. The gap in the frame numbers tells
      // it that they have failed.
      for (const channel of abandonedChannels) channel.forceGap();
      abandonedChannels = [];
    }),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const stop of stopListening) stop();
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}

/**
 * Acknowledges every message, even one that is unknown or malformed, because gateways repeat a cancel until it is
 * acknowledged.
 */
function handleControl(message: BusMessage, options: JobServiceOptions): void {
  const control = ControlMessage.safeParse(message.json);
  if (control.success) obey(control.data, options);
  else count('sluice.contract.mismatches', CONTROL_SHAPE);
  message.respond(EMPTY);
}

function obey(control: ControlMessage, { intake, orderDrain }: JobServiceOptions): void {
  switch (control.kind) {
    case 'cancel':
      intake.cancel(control.attempt);
      return;
    case 'drain':
    case 'undrain':
      orderDrain(control.kind === 'drain');
      return;
    case 'inquiry':
    // The acknowledgement is the answer.
  }
}

function handleJob(message: BusMessage, options: JobServiceOptions): void {
  const { reply } = message;
  if (reply === undefined) {
    options.logger.warn('a job without a reply subject was ignored');
    return;
  }
  let job: { header: JobHeader; body: Uint8Array };
  try {
    job = decodeJob(message.data);
  } catch (error) {
    if (!(error instanceof MalformedJobError)) throw error;
    count('sluice.contract.mismatches', JOB_SHAPE);
    options.logger.warn({ err: error }, 'a malformed job was refused');
    refuse(openChannel(reply, undefined, options), 'malformed', options);
    return;
  }
  const { header, body } = job;
  const channel = openChannel(reply, attemptName(header.request, header.attempt), options);
  // The version of the contract changes only when gateways and workers of different versions cannot work together.
  if (header.contract !== CONTRACT_VERSION) {
    count('sluice.contract.mismatches', JOB_VERSION);
    refuse(channel, 'incompatible', options);
    return;
  }
  if (!options.serves(header.runtime_model)) {
    refuse(channel, 'unknown_model', options);
    return;
  }
  options.leases.renew(header.gateway, options.clock());
  options.intake.accept({
    header,
    body,
    channel,
    arrivedAt: options.clock(),
    trace: tracingEnabled() ? extractTrace(message.headers) : undefined,
  });
}

function openChannel(
  subject: string,
  name: string | undefined,
  { outbox, intake, clock, logger }: JobServiceOptions,
): AttemptChannel {
  return outbox.open(subject, {
    clock,
    onBroken: (error) => {
      logger.warn({ err: error, attempt: name }, 'frames could not be sent');
      if (name !== undefined) intake.abandonBrokenChannel(name);
    },
  });
}

function refuse(
  channel: AttemptChannel,
  reason: RefusalReason,
  { intake }: JobServiceOptions,
): void {
  count('sluice.worker.jobs', { answer: 'refused', reason });
  channel.send(refusedFrame(reason, intake.load));
}
