import type { ReactElement } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { RelativeMoment } from '../components/moment.tsx';
import { texts } from '../texts.ts';
import { type FieldChange, changesOf } from './audit-changes.ts';

const words = texts.audit;
type AuditRecord = RouteReply<'listAudit'>['records'][number];

const tones: Readonly<Record<string, Tone>> = { create: 'good', revoke: 'bad', delete: 'bad' };

export function AuditList({ records }: { readonly records: readonly AuditRecord[] }): ReactElement {
  return (
    <ol className="audit">
      {records.map((record) => (
        <li key={record.sequence}>
          <p className="audit-head">
            <Badge tone={tones[record.action] ?? 'neutral'}>{record.action}</Badge>
            <span className="wraps">
              {record.kind} <strong>{record.id}</strong>
            </span>
          </p>
          <p className="muted">
            <RelativeMoment at={record.at_ms} /> {words.by} <code>{record.who}</code>
          </p>
          <Changes changes={changesOf(record.before, record.after)} />
        </li>
      ))}
    </ol>
  );
}

function Changes({ changes }: { readonly changes: readonly FieldChange[] }): ReactElement | null {
  if (changes.length === 0) return null;
  return (
    <details>
      <summary>{words.changes(changes.length)}</summary>
      <dl className="changes">
        {changes.map(({ field, before, after }) => (
          <div key={field}>
            <dt>{field}</dt>
            <dd>
              {before === null ? null : <del>{before}</del>}
              {after === null ? null : <ins>{after}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
