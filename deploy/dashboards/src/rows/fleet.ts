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
      title: 'Workers that gateways hear',
      description:
        'The gateway that hears the fewest, and the one that hears the most. They should be equal: a gateway that hears fewer has lost its way to the bus or reconnects to it; /readyz shows whom it hears. `sluice fleet` shows the workers themselves.',
      unit: 'short',
      queries: [
        line('fewest', leastOf('sluice.gateway.workers')),
        line('most', mostOf('sluice.gateway.workers')),
      ],
    },
    {
      title: 'Slots, running and queued jobs',
      description:
        'Running near the slots and a queue that does not empty: add workers. A queue beside free slots: the waiting jobs are for a model or pool that the free workers do not serve.',
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
        'Jobs at the workers of a pool, and requests that wait at gateways for its first worker, against its slots. Demand near the slots: add workers. Waiting requests without slots: see SluicePoolNotWaking in docs/operations/alerts.md.',
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
        'How long a new request waits for a slot, or, in a pool without workers, for the first one to start, as the last start took. 0 while a slot is free.',
      unit: 's',
      queries: [line('{{pool}}', mostOf('sluice.pool.expected_wait', { by: ['pool'] }))],
    },
    {
      title: 'Queued jobs by scheduling class',
      description:
        'A higher class starts first. A lower class that only grows gets its least share: add workers, or raise LOWER_CLASS_PERCENT.',
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
      title: 'Whether runtimes answer',
      description:
        "1 for each worker whose runtime answers and serves models. At 0 the worker hands its queue back and is left alone until the runtime is back: look at the runtime's own log.",
      unit: 'bool_on_off',
      queries: [line('{{instance}}', leastOf('sluice.runtime.up', { by: ['instance'] }))],
    },
    {
      title: 'Running on each worker, and on its runtime',
      description:
        "The runtime's own count above the worker's: somebody else uses the GPU. Make them stop, or set RUNTIME_SHARED=true. Runtimes that do not tell of their load have no line.",
      unit: 'short',
      queries: [
        line('{{instance}} worker', sumOf('sluice.worker.running', { by: ['instance'] })),
        line('{{instance}} runtime', sumOf('sluice.runtime.running', { by: ['instance'] })),
      ],
    },
    {
      title: 'Waiting within runtimes',
      description:
        "Should be 0: jobs wait in the worker's queue, which is fair between organizations, not in the runtime's. If it is not, SLOTS is more than the runtime can hold at once: lower it.",
      unit: 'short',
      queries: [line('{{instance}}', sumOf('sluice.runtime.waiting', { by: ['instance'] }))],
    },
    {
      title: 'Cache use of runtimes',
      description:
        'Near 1 for long, a runtime throws conversations out of its cache or makes generations wait: fewer SLOTS, a shorter context, or more GPUs.',
      unit: 'percentunit',
      queries: [line('{{instance}}', mostOf('sluice.runtime.cache_use', { by: ['instance'] }))],
    },
    {
      title: 'Tokens that workers got from their runtimes',
      description:
        'About a token a piece, whether it reached anybody or not. A worker with running jobs and no tokens has a runtime that stands still: see the stalls below.',
      unit: 'tokens/s',
      queries: [
        line('{{instance}}', perSecond('sluice.worker.generated_tokens', { by: ['instance'] })),
      ],
    },
    {
      title: 'Jobs that workers refused',
      description:
        'full and draining are a fleet at its limit or in a change, and the next worker is asked. unknown_model or incompatible that last: a runtime serves other models than its worker said, or workers and gateways are of different contracts.',
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
        'As gateways see it. finished is as it should be, left is a client that went. silent, gap and disconnected are lost frames or workers: look at NATS and at workers that died. failed has its reason.',
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
        'Attempts that failed before their first piece and were given to another worker; clients saw nothing of it. A steady rate is a sick worker or runtime: the panels beside it say which kind.',
      unit: 'ops',
      queries: [line('{{cause}}', perSecond('sluice.gateway.retries', { by: ['cause'] }))],
    },
    {
      title: 'Abandoned generations',
      description:
        'Stopped because nobody waited any more. cancelled are clients that left. gateway_silent and bus_lost are gateways that died and a bus that broke: look at those.',
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
        'As workers see it: upstream_unavailable is a runtime that broke or made no sense, upstream_busy one that refused, worker_busy a worker without time to read a large request or to prepare the many new schemas of one organization, invalid_output an answer that broke a promise, upstream_credentials_rejected a wrong RUNTIME_API_KEY, upstream_model_missing a model that the runtime does not have, queue_timeout a wait that was too long.',
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
      title: 'Runtimes that fell silent',
      description:
        'Attempts that were failed because the runtime said nothing for FIRST_WORD_TIMEOUT_MS or, between the words of an answer that cannot hold calls, STALL_TIMEOUT_MS. Restart the runtime if it goes on; its worker notices when it is back.',
      unit: 'ops',
      queries: [
        line(
          '{{model}} {{stage}}',
          perSecondIfAny('sluice.worker.stalls', { by: ['model', 'stage'], where: { model } }),
        ),
      ],
    },
    {
      title: 'Replies that broke a promise',
      description:
        'Answers that do not match their format, do not keep to tool_choice or parallel_tool_calls, call with arguments that are no JSON or do not match a strict function, or reason after their content in a stream. Each was tried once more if nothing had been delivered; else, or after that, clients got a 502, or an error event in a stream. Those of schema_unchecked could not be checked and were not tried again. Often the runtime was started without structured output for this model.',
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
