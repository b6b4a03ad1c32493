import { line, type PanelRow } from '../panel.ts';
import { leastOf, mostOf, perSecond, sumOf } from '../queries.ts';

/** The catalog, and the ledger of outcomes. */
export const records: PanelRow = {
  title: 'Catalog, ledger and contracts',
  panels: [
    {
      title: 'Whether catalogs hear of changes',
      description:
        '1 for each replica that hears changes as they happen. At 0 it answers from memory for STALE_ANSWERS_MS (30 s) and then not at all: see SluiceCatalogNotLive in docs/operations/alerts.md. All at 0 is NATS or a lost bucket.',
      unit: 'bool_on_off',
      queries: [line('{{instance}}', leastOf('sluice.catalog.live', { by: ['instance'] }))],
    },
    {
      title: 'Questions of gateways',
      description:
        'One for each credential that a gateway does not know, and again after a change. Failed ones become authentication_unavailable or model_availability_unavailable, unless the gateway still knows an older answer.',
      unit: 'ops',
      queries: [
        line(
          '{{call}} {{outcome}}',
          perSecond('sluice.catalog.answers', { by: ['call', 'outcome'] }),
        ),
      ],
    },
    {
      title: 'Entries',
      description:
        'What each kind has, as the replica with the most sees it. A sudden fall is a file that was applied or a bucket that was lost: `sluice audit` says which.',
      unit: 'short',
      queries: [line('{{kind}}', mostOf('sluice.catalog.entries', { by: ['kind'] }))],
    },
    {
      title: 'Records that NATS cannot read, and streams that are missing',
      description:
        'Both should be 0. See SluiceCatalogRecordsSkipped and SluiceLedgerMissing in docs/operations/alerts.md.',
      unit: 'short',
      queries: [
        line('skipped records', mostOf('sluice.catalog.skipped_records')),
        line('{{kind}} kept', mostOf('sluice.ledger.kept', { by: ['kind'] })),
      ],
    },
    {
      title: 'Changes, and admin calls without a valid token',
      description:
        'Changes that nobody expects are in `sluice audit`, with who made them. Refused calls that go on: somebody tries tokens, or a tool has an old one. The admin port belongs on a network of its own.',
      unit: 'ops',
      queries: [
        line(
          '{{action}} {{kind}}',
          perSecond('sluice.catalog.changes', { by: ['action', 'kind'] }),
        ),
        line('refused', perSecond('sluice.catalog.admin_refusals')),
        line('addresses locked out', perSecond('sluice.catalog.admin_lockouts')),
      ],
    },
    {
      title: 'Records of the ledger',
      description:
        'Lost should be 0: each lost record is a request or an attempt that no sum of usage will show. Refusals came to nothing before any worker was offered them, so no bill misses them. See SluiceLedgerLosing in docs/operations/alerts.md.',
      unit: 'ops',
      queries: [
        line('{{kind}} stored', perSecond('sluice.ledger.stored', { by: ['kind'] })),
        line('{{kind}} lost', perSecond('sluice.ledger.lost', { by: ['kind'] })),
      ],
    },
    {
      title: 'Records that wait to be stored',
      description:
        "A moment's worth is normal. When it only grows, NATS does not take records: they are tried for ten minutes, 20,000 of a kind and process at most, and then lost. Look at JetStream's disk and at the stream's leader.",
      unit: 'short',
      queries: [
        line('{{instance}} {{kind}}', sumOf('sluice.ledger.pending', { by: ['instance', 'kind'] })),
      ],
    },
    {
      title: 'How far usage is behind the ledger',
      description:
        'Seconds are normal at most while it catches up. See SluiceUsageBehind in docs/operations/alerts.md.',
      unit: 's',
      queries: [line('{{kind}}', mostOf('sluice.usage.lag', { by: ['kind'] }))],
    },
    {
      title: 'Records that usage reads',
      description:
        'Written is the rate at which records reach the tables. Skipped records are of another version or too old. Missed should be 0: the ledger removed these messages before usage had read them.',
      unit: 'ops',
      queries: [
        line('{{kind}} written', perSecond('sluice.usage.written', { by: ['kind'] })),
        line(
          '{{kind}} skipped: {{reason}}',
          perSecond('sluice.usage.skipped', { by: ['kind', 'reason'] }),
        ),
        line('{{kind}} missed', perSecond('sluice.usage.missed', { by: ['kind'] })),
      ],
    },
    {
      title: 'What usage has not read',
      description:
        'As a share of what each stream of the ledger may hold, and in messages. At 1, unread records are removed: see SluiceUsageLosing in docs/operations/alerts.md.',
      unit: 'short',
      queries: [
        line('{{kind}} share', mostOf('sluice.usage.unread_share', { by: ['kind'] })),
        line('{{kind}} messages', mostOf('sluice.usage.unread', { by: ['kind'] })),
      ],
    },
    {
      title: 'Budgets',
      description:
        'How long ago budgets were decided: above a minute see SluiceBudgetsStale in docs/operations/alerts.md. Stopped organizations have spent their budget. Webhooks wait while their receivers fail.',
      unit: 'short',
      queries: [
        line('seconds since the last decision', mostOf('sluice.usage.budgets.age', { by: [] })),
        line('stopped organizations', mostOf('sluice.usage.budgets.stopped', { by: [] })),
        line('webhooks that wait', mostOf('sluice.usage.webhooks.waiting', { by: [] })),
        line(
          'webhooks {{outcome}} a second',
          perSecond('sluice.usage.webhooks', { by: ['outcome'] }),
        ),
      ],
    },
    {
      title: 'Messages of another contract',
      description:
        'Should be 0, except while versions of different contracts run side by side. fault shape is a message that could not be read at all: somebody else publishes under our prefix, or an entry of the catalog is damaged.',
      unit: 'ops',
      queries: [
        line(
          '{{message}} {{fault}}',
          perSecond('sluice.contract.mismatches', { by: ['message', 'fault'] }),
        ),
      ],
    },
    {
      title: 'Whether processes have started',
      description:
        '1 for each process once it has started. At 0 it waits for a server that it needs, mostly NATS, and tells hardly anything else of itself: see SluiceNotStarted in docs/operations/alerts.md. No line at all is a process that does not run, or whose metrics do not arrive.',
      unit: 'bool_on_off',
      queries: [
        line(
          '{{job}} {{instance}}',
          leastOf('sluice.process.started', { by: ['job', 'instance'] }),
        ),
      ],
    },
    {
      title: 'Days until certificates end',
      description:
        'Of those that processes have read at their start, their own and those of authorities: a renewed file counts after a restart. Below 14 see SluiceCertificateEnds in docs/operations/alerts.md; below 0 it has ended.',
      unit: 'd',
      belowZero: true,
      queries: [
        line(
          '{{instance}} {{setting}}',
          leastOf('sluice.certificate.days_left', { by: ['instance', 'setting'] }),
        ),
      ],
    },
  ],
};
