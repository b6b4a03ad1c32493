import { line, type PanelRow } from '../panel.ts';
import { leastOf, mostOf, perSecond, sumOf } from '../queries.ts';

/** The catalog, and the ledger of outcomes. */
export const records: PanelRow = {
  title: 'Catalog, ledger and contracts',
  panels: [
    {
      title: 'Catalogs that receive changes',
      description:
        '1 for each replica that receives changes as they happen. At 0 it answers from memory for STALE_ANSWERS_MS (30 s), and then refuses calls: see SluiceCatalogNotLive in docs/operations/alerts.md. If all replicas are at 0, NATS is down or the bucket is lost.',
      unit: 'bool_on_off',
      queries: [line('{{instance}}', leastOf('sluice.catalog.live', { by: ['instance'] }))],
    },
    {
      title: 'Calls of gateways',
      description:
        'A gateway calls once for each credential that is not in its cache, and again after a change. A failed call becomes authentication_unavailable or model_availability_unavailable, unless the gateway still has an older answer.',
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
        'The number of entries of each kind, from the replica with the most. A sudden fall means that a file was applied or that the bucket was lost: see `sluice audit`.',
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
        '`sluice audit` shows who made an unexpected change. If calls without a valid token continue, an attacker guesses tokens, or a tool uses an old one. The admin port belongs on an internal network.',
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
        'lost should be 0: each lost record is a request or an attempt that is missing in sums of usage. Lost refusals do not affect bills, because refused requests were offered to no worker. See SluiceLedgerLosing in docs/operations/alerts.md.',
      unit: 'ops',
      queries: [
        line('{{kind}} stored', perSecond('sluice.ledger.stored', { by: ['kind'] })),
        line('{{kind}} lost', perSecond('sluice.ledger.lost', { by: ['kind'] })),
      ],
    },
    {
      title: 'Records that wait to be stored',
      description:
        'The records of a few moments are normal. If the number only grows, NATS does not store records. They are sent again for ten minutes, at most 20,000 of a kind in a process, and are lost after that. Check the disk of JetStream and the leader of the stream.',
      unit: 'short',
      queries: [
        line('{{instance}} {{kind}}', sumOf('sluice.ledger.pending', { by: ['instance', 'kind'] })),
      ],
    },
    {
      title: 'How far usage is behind the ledger',
      description:
        'A few seconds are normal. More is normal only while usage catches up. See SluiceUsageBehind in docs/operations/alerts.md.',
      unit: 's',
      queries: [line('{{kind}}', mostOf('sluice.usage.lag', { by: ['kind'] }))],
    },
    {
      title: 'Records that usage reads',
      description:
        'written: records that reach the tables. skipped: records of another version, or too old ones. missed should be 0: the ledger removed these messages before usage had read them.',
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
        'As a share of what each stream of the ledger may hold, and as a number of messages. At a share of 1, unread records are removed: see SluiceUsageLosing in docs/operations/alerts.md.',
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
        'Should be 0, except while versions with different contracts run side by side. fault shape: a message could not be read at all, because another program publishes under this prefix, or because an entry of the catalog is damaged.',
      unit: 'ops',
      queries: [
        line(
          '{{message}} {{fault}}',
          perSecond('sluice.contract.mismatches', { by: ['message', 'fault'] }),
        ),
      ],
    },
    {
      title: 'Processes that have started',
      description:
        '1 for each process that has started. At 0 the process waits for a server that it needs, usually NATS, and reports almost no other metrics: see SluiceNotStarted in docs/operations/alerts.md. If a process has no line, it is not running, or its metrics do not arrive.',
      unit: 'bool_on_off',
      queries: [
        line(
          '{{job}} {{instance}}',
          leastOf('sluice.process.started', { by: ['job', 'instance'] }),
        ),
      ],
    },
    {
      title: 'Days until certificates expire',
      description:
        'For the certificates that each process read at its start: its own, and those of authorities. A renewed file counts after a restart. Below 14, see SluiceCertificateEnds in docs/operations/alerts.md. Below 0, the certificate has expired.',
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
