import { type ReactElement, useState } from 'react';
import { usePages } from '../api/queries.ts';
import { SelectField, TextField } from '../components/field.tsx';
import { More } from '../components/more.tsx';
import { Card, Filters, Page } from '../components/page.tsx';
import { Empty, Reading } from '../components/states.tsx';
import { useSettled } from '../components/use-settled.ts';
import { texts } from '../texts.ts';
import { AuditList } from './audit-list.tsx';

const words = texts.audit;

export function AuditPage(): ReactElement {
  const [kind, setKind] = useState('');
  const [id, setId] = useState('');
  const settled = useSettled(id.trim());
  const query = {
    ...(kind === '' ? {} : { kind }),
    ...(settled === '' ? {} : { id: settled }),
  };
  const records = usePages('listAudit', { query });
  return (
    <Page title={words.title} lead={words.lead}>
      <Filters>
        <SelectField
          label={words.kind}
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value)}
        >
          <option value="">{words.allKinds}</option>
          {Object.entries(words.kinds).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </SelectField>
        <TextField
          label={words.id}
          type="search"
          value={id}
          onChange={({ currentTarget }) => setId(currentTarget.value)}
        />
      </Filters>
      <Reading of={records}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.records);
          return rows.length === 0 ? (
            <Empty icon="audit" title={words.none} />
          ) : (
            <Card>
              <AuditList records={rows} />
              <More shown={rows.length} total={pages[0]?.total} of={records} />
            </Card>
          );
        }}
      </Reading>
    </Page>
  );
}
