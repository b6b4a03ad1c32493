import { type SubmitEvent, type ReactElement, useState } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useChange, usePages } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Confirm, Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { More } from '../components/more.tsx';
import { useNotice } from '../components/notices.tsx';
import { Filters, Page } from '../components/page.tsx';
import { Empty, Failure, Reading } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { useSettled } from '../components/use-settled.ts';
import { formatCount } from '../format/numbers.ts';
import { hasRole, useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';
import { CreateProject } from './create-project.tsx';

const words = texts.projects;

type Project = RouteReply<'listProjects'>['projects'][number];

export function ProjectsPage(): ReactElement {
  const { id: organization, role } = useOrganization();
  const [search, setSearch] = useState('');
  const settled = useSettled(search);
  const query = settled === '' ? {} : { search: settled };
  const projects = usePages('listProjects', { params: { organization }, query });
  const [deleting, setDeleting] = useState<Project>();
  const [renaming, setRenaming] = useState<Project>();
  const manages = hasRole(role, 'admin');
  return (
    <Page title={words.title} lead={words.lead}>
      {manages ? <CreateProject organization={organization} /> : null}
      <Filters>
        <TextField
          label={words.search}
          type="search"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </Filters>
      <Reading of={projects}>
        {({ pages }) => {
          const rows: Project[] = pages.flatMap((page) => page.projects);
          if (rows.length === 0) {
            return (
              <Empty icon="projects" title={settled === '' ? words.empty : texts.nothingFound} />
            );
          }
          return (
            <>
              <Table
                label={words.title}
                rows={rows}
                rowKey={({ id }) => id}
                columns={[
                  {
                    name: words.name,
                    cell: ({ id, name }) => <strong id={`project-${id}`}>{name}</strong>,
                  },
                  {
                    name: words.activeKeys,
                    number: true,
                    cell: ({ active_keys: count }) => formatCount(count),
                  },
                  { name: words.id, cell: ({ id }) => <code>{id}</code> },
                  {
                    name: texts.actions,
                    unnamed: true,
                    cell: (project) =>
                      manages ? (
                        <span className="row-actions">
                          <Button
                            look="quiet"
                            aria-describedby={`project-${project.id}`}
                            onClick={() => setRenaming(project)}
                          >
                            {words.rename}
                          </Button>
                          <Button
                            look="quiet"
                            className="danger-text"
                            aria-describedby={`project-${project.id}`}
                            onClick={() => setDeleting(project)}
                          >
                            {words.delete}
                          </Button>
                        </span>
                      ) : null,
                  },
                ]}
              />
              <More shown={rows.length} total={pages[0]?.total} of={projects} />
            </>
          );
        }}
      </Reading>
      {renaming === undefined ? null : (
        <RenameProject
          organization={organization}
          project={renaming}
          close={() => setRenaming(undefined)}
        />
      )}
      {deleting === undefined ? null : (
        <DeleteProject
          organization={organization}
          project={deleting}
          close={() => setDeleting(undefined)}
        />
      )}
    </Page>
  );
}

interface ProjectDialogProps {
  readonly organization: string;
  readonly project: Project;
  readonly close: () => void;
}

function DeleteProject({ organization, project, close }: ProjectDialogProps): ReactElement {
  const remove = useChange('deleteProject', ['listProjects']);
  const notice = useNotice();
  return (
    <Confirm
      title={words.deleteTitle(project.name)}
      action={words.delete}
      close={close}
      busy={remove.isPending}
      error={remove.error}
      confirm={async () => {
        await remove.mutateAsync({ params: { organization, project: project.id } });
        notice(words.deleted(project.name));
      }}
    >
      <p>{words.deleteText}</p>
    </Confirm>
  );
}

function RenameProject({ organization, project, close }: ProjectDialogProps): ReactElement {
  const [name, setName] = useState(project.name);
  const rename = useChange('renameProject', ['listProjects']);
  const notice = useNotice();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const params = { organization, project: project.id };
    await rename.mutateAsync({ params, body: { name: name.trim() } }).then(
      (renamed) => {
        notice(words.renamed(renamed.name));
        close();
      },
      () => undefined,
    );
  };
  return (
    <Dialog title={words.renameTitle(project.name)} close={close}>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label={words.projectName}
          required
          maxLength={128}
          autoComplete="off"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {rename.error === null ? null : <Failure error={rename.error} />}
        <footer className="dialog-actions">
          <Button onClick={close}>{texts.cancel}</Button>
          <Button type="submit" look="primary" busy={rename.isPending}>
            {words.rename}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
