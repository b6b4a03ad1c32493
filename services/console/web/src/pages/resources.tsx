import { type ReactElement, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { usePages } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { More } from '../components/more.tsx';
import { Card, Filters, Page } from '../components/page.tsx';
import { Empty, Reading } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { useSettled } from '../components/use-settled.ts';
import { NotFound } from '../shell/not-found.tsx';
import { pathOfResource } from '../shell/paths.ts';
import { texts } from '../texts.ts';
import { AuditTrail } from './audit-trail.tsx';
import { DocumentEditor } from './document-editor.tsx';
import { type Kind, kindOf, summarize, templateOf } from './resource-kinds.ts';

const words = texts.resources;

export function ResourcesPage({ kind }: { readonly kind: string }): ReactElement {
  const known = kindOf(kind);
  return known === undefined ? <NotFound /> : <Resources kind={known} />;
}

function Resources({ kind }: { readonly kind: Kind }): ReactElement {
  const [, navigate] = useLocation();
  const [search, setSearch] = useState('');
  const [creating, setCreating] = useState(false);
  const settled = useSettled(search);
  const query = settled === '' ? {} : { search: settled };
  const resources = usePages('listResources', { params: { kind }, query });
  return (
    <Page
      title={words.titles[kind]}
      lead={words.leads[kind]}
      actions={
        <>
          {kind === 'organizations' ? (
            <Link href="/platform/projects" className="button">
              {words.titles.projects}
            </Link>
          ) : null}
          {creating ? null : (
            <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
              {words.create[kind]}
            </Button>
          )}
        </>
      }
    >
      {creating ? (
        <Card title={words.create[kind]} lead={words.createLead}>
          <DocumentEditor
            kind={kind}
            start={templateOf(kind)}
            done={(id) => {
              navigate(pathOfResource(kind, id));
            }}
            cancel={() => setCreating(false)}
          />
        </Card>
      ) : null}
      <Filters>
        <TextField
          label={words.search}
          type="search"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </Filters>
      <Reading of={resources}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.resources);
          if (rows.length === 0) {
            return (
              <Empty icon={kind} title={settled === '' ? words.empty[kind] : texts.nothingFound} />
            );
          }
          return (
            <>
              <Table
                label={words.titles[kind]}
                rows={rows}
                rowKey={({ id }) => id}
                columns={[
                  {
                    name: words.id,
                    cell: ({ id }) => (
                      <Link href={pathOfResource(kind, id)} className="wraps">
                        {id}
                      </Link>
                    ),
                  },
                  {
                    name: words.summary,
                    cell: ({ document }) => (
                      <span className="wraps muted">{summarize(document)}</span>
                    ),
                  },
                ]}
              />
              <More shown={rows.length} total={pages[0]?.total} of={resources} />
            </>
          );
        }}
      </Reading>
      <AuditTrail kind={kind} />
    </Page>
  );
}
