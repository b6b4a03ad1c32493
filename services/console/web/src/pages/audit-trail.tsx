import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { usePages } from '../api/queries.ts';
import { Card } from '../components/page.tsx';
import { Reading } from '../components/states.tsx';
import { texts } from '../texts.ts';
import { AuditList } from './audit-list.tsx';

const words = texts.audit;
const shown = 10;

/** The last changes of one resource, or of all resources of a kind. */
export function AuditTrail({
  kind,
  id,
}: {
  readonly kind: string;
  readonly id?: string;
}): ReactElement {
  const query = { kind, ...(id === undefined ? {} : { id }) };
  const records = usePages('listAudit', { query });
  return (
    <Card title={words.lastChanges} actions={<Link href="/platform/audit">{words.all}</Link>}>
      <Reading of={records} rows={3}>
        {({ pages }) => {
          const rows = pages[0]?.records.slice(0, shown) ?? [];
          return rows.length === 0 ? (
            <p className="muted">{words.none}</p>
          ) : (
            <AuditList records={rows} />
          );
        }}
      </Reading>
    </Card>
  );
}
