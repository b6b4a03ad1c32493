import type { ReactElement } from 'react';
import { useParams } from 'wouter';
import { Badge } from '../components/badge.tsx';
import { Page } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { texts } from '../texts.ts';
import { documentedErrors } from './error-table.ts';

const words = texts.errorsPage;

/** The errors of the API, with what to do about each. If the address names a code, its error is shown first. */
export function ErrorsPage(): ReactElement {
  const { code } = useParams<{ code?: string }>();
  const named = documentedErrors.find((error) => error.code === code);
  return (
    <Page title={words.title} lead={words.lead}>
      {code === undefined ? null : (
        <section className="card" aria-label={code}>
          <h2>
            <code>{code}</code> {named === undefined ? null : <Badge>{named.status}</Badge>}
          </h2>
          <p>{named === undefined ? words.unknown : named.meaning}</p>
          {named === undefined ? null : (
            <p>
              <strong>{named.advice}</strong>
            </p>
          )}
        </section>
      )}
      <Table
        label={words.title}
        rows={documentedErrors}
        rowKey={(error) => error.code}
        columns={[
          { name: words.code, cell: (error) => <code>{error.code}</code> },
          { name: words.status, cell: ({ status }) => status },
          { name: words.type, cell: ({ type }) => <code>{type}</code> },
          { name: words.meaning, cell: ({ meaning }) => meaning },
          { name: words.advice, cell: ({ advice }) => advice },
        ]}
      />
    </Page>
  );
}
