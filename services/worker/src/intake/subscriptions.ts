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
import { count, extractTrace, startAtZero, tracingEnabled, type Logger } from '@sluice/telemetry';
import { refusedFrame } from '../domain/answer-frames.ts';
import type { FrameChannel } from '../domain/attempt.ts';
import type { JobDesk } from '../domain/job-desk.ts';
import type { AttemptChannel } from './attempt-channel.ts';
import type { Leases } from './leases.ts';
import type { Outbox } from './outbox.ts';

export interface JobServiceOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly worker: string;
  readonly desk: JobDesk;
  readonly leases: Leases;
  readonly outbox: Outbox;
  readonly serves: (model: string) => boolean;
  readonly now: () => number;
  readonly logger: Logger;
}

const EMPTY = new Uint8Array(0);
const LEASE_SHAPE = { message: 'lease', fault: 'shape' } as const;
const CONTROL_SHAPE = { message: 'control', fault: 'shape' } as const;
const JOB_SHAPE = { message: 'job', fault: 'shape' } as const;
const JOB_VERSION = { message: 'job', fault: 'version' } as const;
const MISMATCHES = [LEASE_SHAPE, CONTROL_SHAPE, JOB_SHAPE, JOB_VERSION];

/** Listens for jobs, cancels and leases. */
export function serveJobs(options: JobServiceOptions): Disposable {
  const { bus, subjects, worker, desk, leases, logger, now } = options;
  startAtZero('sluice.contract.mismatches', MISMATCHES);
  const subscriptions = [
    bus.subscribe(subjects.control(worker), (message) => takeControl(message, desk)),
    bus.subscribe(subjects.leases(), (message) => {
      const lease = Lease.safeParse(message.json);
      if (!lease.success) {
        count('sluice.contract.mismatches', LEASE_SHAPE);
        return;
      }
      leases.heard(lease.data.gateway, now());
      desk.heard(lease.data.gateway);
    }),
    bus.subscribe(subjects.job(worker), (message) => takeJob(message, options)),
  ];
  let lost: readonly FrameChannel[] = [];
  const stopListening = [
    bus.onDisconnect(() => {
      // Whatever was sent lately may be lost, and nobody can cancel.
      lost = desk.abandonWhere('bus_lost', () => true).map(({ channel }) => channel);
      leases.clear();
      const abandoned = lost.length;
      if (abandoned > 0) logger.warn({ abandoned }, 'attempts abandoned with the bus connection');
    }),
    bus.onReconnect(() => {
      // Gateways on another server of the bus have lost nothing, and would wait for these until they seem silent.
      for (const channel of lost) channel.showGap();
      lost = [];
    }),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const stop of stopListening) stop();
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}

/** Everything is acknowledged, known or not: a cancel is repeated until then. */
function takeControl(message: BusMessage, desk: JobDesk): void {
  const control = ControlMessage.safeParse(message.json);
  if (!control.success) count('sluice.contract.mismatches', CONTROL_SHAPE);
  else if (control.data.kind === 'cancel') desk.cancel(control.data.attempt);
  message.respond(EMPTY);
}

function takeJob(message: BusMessage, options: JobServiceOptions): void {
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
  // The number changes only when neighbours of different versions could misunderstand each other.
  if (header.contract !== CONTRACT_VERSION) {
    count('sluice.contract.mismatches', JOB_VERSION);
    refuse(channel, 'incompatible', options);
    return;
  }
  if (!options.serves(header.runtime_model)) {
    refuse(channel, 'unknown_model', options);
    return;
  }
  options.leases.heard(header.gateway, options.now());
  options.desk.take({
    header,
    body,
    channel,
    arrivedAt: options.now(),
    trace: tracingEnabled() ? extractTrace(message.headers) : undefined,
  });
}

function openChannel(
  subject: string,
  name: string | undefined,
  { outbox, desk, now, logger }: JobServiceOptions,
): AttemptChannel {
  return outbox.open(subject, {
    now,
    onBroken: (error) => {
      logger.warn({ err: error, attempt: name }, 'frames could not be sent');
      if (name !== undefined) desk.noteBrokenChannel(name);
    },
  });
}

function refuse(channel: AttemptChannel, reason: RefusalReason, { desk }: JobServiceOptions): void {
  count('sluice.worker.jobs', { answer: 'refused', reason });
  channel.send(refusedFrame(reason, desk.load));
}
