import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const CHART_FOLDER = join(import.meta.dirname, '../../helm/sluice');

export const SERVICE_NAMES = ['gateway', 'worker', 'quota', 'catalog', 'usage', 'console'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

function chartFile(path: string): string {
  return readFileSync(join(CHART_FOLDER, path), 'utf8');
}

/** Parses a file of the chart: YAML without templates, or JSON, which is valid YAML. */
export function chartData(path: string): unknown {
  return parse(chartFile(path));
}

/** The variables that the chart may set for a service, in its template and in all included templates. */
export function chartVariables(service: ServiceName): Set<string> {
  return variablesOf(`sluice.environment.${service}`, chartFile('templates/_environment.tpl'));
}

/** The text of a template without parameters, such as a port. */
export function templateText(name: string): string {
  return templateBody(name, chartFile('templates/_names.tpl')).replaceAll(/\{\{.*?\}\}/g, '');
}

function variablesOf(template: string, file: string): Set<string> {
  const body = templateBody(template, file);
  const names = new Set(Array.from(body.matchAll(/^- name: (\w+)$/gm), ([, name = '']) => name));
  for (const [, included = ''] of body.matchAll(/include "(sluice\.environment\.\w+)"/g)) {
    for (const name of variablesOf(included, file)) names.add(name);
  }
  return names;
}

function templateBody(name: string, file: string): string {
  const [, rest] = file.split(`{{- define "${name}" -}}`);
  if (rest === undefined) throw new Error(`the chart has no template ${name}`);
  return rest.split('{{- define ', 1)[0]?.trim() ?? '';
}
