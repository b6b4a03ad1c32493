import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { call } from '../api/client.ts';
import { SelectField } from '../components/field.tsx';
import { texts } from '../texts.ts';

interface ProjectName {
  readonly id: string;
  readonly name: string;
}
const maxPages = 10;

/** The projects of an organization, for choosing one. Only those of the first ten pages are read. */
export function useProjects(organization: string): UseQueryResult<ProjectName[]> {
  return useQuery({
    queryKey: ['listProjects', organization, 'all'],
    queryFn: async ({ signal }) => {
      const projects: ProjectName[] = [];
      let page: string | null | undefined;
      for (let read = 0; read < maxPages && page !== null; read += 1) {
        const query = page === undefined ? {} : { page };
        const reply = await call('listProjects', { params: { organization }, query }, signal);
        projects.push(...reply.projects);
        page = reply.next_page;
      }
      return projects;
    },
  });
}

interface ProjectFilterProps {
  readonly projects: readonly ProjectName[];
  readonly project: string;
  readonly choose: (project: string) => void;
}

/** Chooses the project whose items a list shows. Not shown if there is only one project. */
export function ProjectFilter({
  projects,
  project,
  choose,
}: ProjectFilterProps): ReactElement | null {
  if (projects.length < 2) return null;
  return (
    <SelectField
      label={texts.projects.one}
      value={project}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="">{texts.projects.all}</option>
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
