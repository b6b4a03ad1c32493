import { line, type PanelRow } from '../panel.ts';
import {
  is,
  isChosen,
  isNot,
  leastOf,
  mostOf,
  perSecond,
  perSecondIfAny,
  sumOf,
} from '../queries.ts';

const model = isChosen('model');

/** Workers and their runtimes. */
export const fleet: PanelRow = {
  title: 'Workers and runtimes',
  panels: [
    {
      title: 'Workers that gateways know',
      description:
        'The lowest and the highest number of workers that a gateway receives heartbeats from. They should be equal. A gateway with fewer workers has a broken connection to NATS; its /readyz lists the workers that it knows. `sluice fleet` shows all workers. Draining workers take no new jobs until `sluice undrain` or a restart.',
      unit: 'short',
      queries: [
        line('fewest', leastOf('sluice.gateway.workers')),
        line('most', mostOf('sluice.gateway.workers')),
        line('draining', sumOf('sluice.worker.draining')),
      ],
    },
    {
      title: 'Slots, running and queued jobs',
      description:
        'If running jobs are near the slots and the queue does not empty, add workers. If jobs wait although slots are free, the free workers do not serve their model or pool.',
      unit: 'short',
      queries: [
        line('slots', sumOf('sluice.worker.slots')),
        line('running', sumOf('sluice.worker.running')),
        line('queued', sumOf('sluice.worker.queued')),
      ],
    },
    {
      title: 'Demand for each pool',
      description:
        'Jobs at the workers of a pool, and requests that wait at gateways for its first worker, compared with its slots. If the demand is near the slots, add workers. If requests wait and there are no slots, see SluicePoolNotWaking in docs/operations/alerts.md.',
      unit: 'short',
      queries: [
        line('{{pool}} slots', mostOf('sluice.pool.slots', { by: ['pool'] })),
        line('{{pool}} running', mostOf('sluice.pool.running', { by: ['pool'] })),
        line('{{pool}} queued', mostOf('sluice.pool.queued', { by: ['pool'] })),
        line('{{pool}} waiting', sumOf('sluice.pool.waiting', { by: ['pool'] })),
        line('{{pool}} unserved', sumOf('sluice.pool.unserved', { by: ['pool'] })),
      ],
    },
    {
      title: 'Expected wait in each pool',
      description:
        'How long a new request waits for a slot. In a pool without workers, how long it waits for the first one, estimated from the last start. 0 while a slot is free.',
      unit: 's',
      queries: [line('{{pool}}', mostOf('sluice.pool.expected_wait', { by: ['pool'] }))],
    },
    {
      title: 'Queued jobs by scheduling class',
      description:
        'Jobs of a higher class start first. If the queue of a lower class only grows, the class gets no more than its least share: add workers, or raise LOWER_CLASS_PERCENT.',
      unit: 'short',
      queries: [line('class {{class}}', sumOf('sluice.worker.class.queued', { by: ['class'] }))],
    },
    {
      title: 'Tokens by scheduling class',
      description:
        'Input and output tokens of attempts that have ended. While all classes wait, a lower class gets at least LOWER_CLASS_PERCENT of them.',
      unit: 'tokens/s',
      stacked: true,
      queries: [
        line('class {{class}}', perSecondIfAny('sluice.worker.class.tokens', { by: ['class'] })),
      ],
    },
    {
      title: 'Requests that no worker took',
      description:
        'no_worker: no worker serves the model. Its pool is wrong, or its runtime is down: see SluiceModelUnserved in docs/operations/alerts.md. no_model: the runtimes of the pool are up and none has it: see SluiceModelMissing. no_room: every worker was full: add workers.',
      unit: 'reqps',
      stacked: true,
      queries: [
        line(
          '{{model}} {{reason}}',
          perSecondIfAny('sluice.gateway.unserved', { by: ['model', 'reason'], where: { model } }),
        ),
      ],
    },
    {
      title: 'Runtimes that answer',
      description:
        '1 for each worker whose runtime answers and serves models. At 0 the worker returns its queue and gets no jobs until the runtime answers again: read the log of the runtime.',
      unit: 'bool_on_off',
      queries: [line('{{instance}}', leastOf('sluice.runtime.up', { by: ['instance'] }))],
    },
    {
      title: 'Running on each worker, and on its runtime',
      description:
        'If the count of the runtime is above that of the worker, other clients use the GPU. Stop them, or set RUNTIME_SHARED=true. Runtimes that do not report their load have no line.',
      unit: 'short',
      queries: [
        line('{{instance}} worker', sumOf('sluice.worker.running', { by: ['instance'] })),
        line('{{instance}} runtime', sumOf('sluice.runtime.running', { by: ['instance'] })),
      ],
    },
    {
      title: 'Waiting within runtimes',
      description:
        'Should be 0: jobs should wait in the queue of the worker, which is fair between organizations, and not in the queue of the runtime. If it is above 0, the runtime cannot run as many requests as SLOTS allows: lower SLOTS.',
      unit: 'short',
      queries: [line('{{instance}}', sumOf('sluice.runtime.waiting', { by: ['instance'] }))],
    },
    {
      title: 'Cache use of runtimes',
      description:
        'If it stays near 1, the runtime evicts conversations from its cache, or makes generations wait. Lower SLOTS, shorten the context, or add GPUs.',
      unit: 'percentunit',
      queries: [line('{{instance}}', mostOf('sluice.runtime.cache_use', { by: ['instance'] }))],
    },
    {
      title: 'Generated tokens',
      description:
        'Counted as one token for each piece from the runtime, delivered to a client or not. If a worker has running jobs and no tokens, its runtime has stalled: see the panel about stalled runtimes below.',
      unit: 'tokens/s',
      queries: [
        line('{{instance}}', perSecond('sluice.worker.generated_tokens', { by: ['instance'] })),
      ],
    },
    {
      title: 'Jobs that workers refused',
      description:
        'full and draining mean that workers are at their limit or are being replaced; the next worker is asked. If unknown_model continues, a runtime does not serve the models that its worker reported. If incompatible continues, workers and gateways have different contracts.',
      unit: 'ops',
      stacked: true,
      queries: [
        line(
          '{{reason}}',
          perSecondIfAny('sluice.worker.jobs', {
            by: ['reason'],
            where: { answer: isNot('accepted') },
          }),
        ),
      ],
    },
  ],
};

/** The outcomes of jobs. */
export const attempts: PanelRow = {
  title: 'Attempts',
  panels: [
    {
      title: 'Attempts by how they ended',
      description:
        'As gateways see it. finished is a success, left is a client that disconnected. silent, gap and disconnected are lost frames or workers: check NATS, and workers that have ended. failed has its reason.',
      unit: 'ops',
      stacked: true,
      queries: [
        line(
          '{{end}} {{reason}}',
          perSecondIfAny('sluice.gateway.attempts', { by: ['end', 'reason'] }),
        ),
      ],
    },
    {
      title: 'Retries by cause',
      description:
        'Attempts that failed before their first piece and were retried at another worker. Clients did not notice. A steady rate means that a worker or runtime is faulty: the panels beside this one show the kind of fault.',
      unit: 'ops',
      queries: [line('{{cause}}', perSecond('sluice.gateway.retries', { by: ['cause'] }))],
    },
    {
      title: 'Abandoned generations',
      description:
        'Generations that were stopped because their result was no longer needed. cancelled: the client disconnected. gateway_silent and bus_lost: a gateway died, or a connection to NATS broke, which needs attention.',
      unit: 'ops',
      stacked: true,
      queries: [
        line(
          '{{reason}}, {{stage}}',
          perSecond('sluice.worker.attempts', {
            by: ['reason', 'stage'],
            where: { end: is('abandoned'), model },
          }),
        ),
      ],
    },
    {
      title: 'Failed attempts by reason',
      description:
        'As workers see it. upstream_unavailable: the runtime broke or sent invalid output. upstream_busy: the runtime refused. worker_busy: the worker had no time to read a large request, or to prepare many new schemas of one organization. invalid_output: the answer did not keep to the request. upstream_credentials_rejected: RUNTIME_API_KEY is wrong. upstream_model_missing: the runtime does not have the model. queue_timeout: the wait for a slot was too long.',
      unit: 'ops',
      stacked: true,
      queries: [
        line(
          '{{model}} {{reason}}',
          perSecondIfAny('sluice.worker.attempts', {
            by: ['model', 'reason'],
            where: { end: is('failed'), model },
          }),
        ),
      ],
    },
    {
      title: 'Stalled runtimes',
      description:
        'Attempts that failed because the runtime sent nothing for FIRST_WORD_TIMEOUT_MS or, after its first output, for STALL_TIMEOUT_MS. If this continues, restart the runtime; its worker detects it when it answers again.',
      unit: 'ops',
      queries: [
        line(
          '{{model}} {{stage}}',
          perSecondIfAny('sluice.worker.stalls', { by: ['model', 'stage'], where: { model } }),
        ),
      ],
    },
    {
      title: 'Replies that do not keep to the request',
      description:
        'Answers that do not match their format, break tool_choice or parallel_tool_calls, call with arguments that are not JSON or do not match a strict function, or have reasoning after content in a stream. If nothing had been delivered, each was generated once more. Otherwise, or if that failed too, the client got a 502, or an error event in a stream. schema_unchecked: the answer could not be checked, and was not generated again. A frequent cause is a runtime that was started without structured output for this model.',
      unit: 'ops',
      queries: [
        line(
          '{{model}} {{fault}}',
          perSecondIfAny('sluice.worker.reply_faults', {
            by: ['model', 'fault'],
            where: { model },
          }),
        ),
      ],
    },
  ],
};
