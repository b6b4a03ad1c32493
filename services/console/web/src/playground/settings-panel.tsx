import type { ReactElement } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { CheckField, ChoiceField, SelectField, TextArea, TextField } from '../components/field.tsx';
import { formatCompact } from '../format/numbers.ts';
import { texts } from '../texts.ts';
import type { ReadSettings, Settings } from './settings.ts';

const words = texts.playground;
type Model = RouteReply<'listModels'>['models'][number];

interface SettingsPanelProps {
  readonly models: readonly Model[];
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly settings: Settings;
  readonly read: ReadSettings;
  readonly change: (changed: Partial<Settings>) => void;
}

const schemaExample = `{
  "type": "object",
  "properties": { "city": { "type": "string" } },
  "required": ["city"],
  "additionalProperties": false
}`;
const toolsExample = `[
  {
    "type": "function",
    "function": {
      "name": "get_weather",
      "parameters": {
        "type": "object",
        "properties": { "city": { "type": "string" } }
      }
    }
  }
]`;

export function SettingsPanel(props: SettingsPanelProps): ReactElement {
  const { models, projects, settings, read, change } = props;
  const model = models.find(({ id }) => id === settings.model);
  const efforts = model?.reasoning?.supported_efforts ?? [];
  const problemOf = (name: keyof Settings): string | undefined => {
    const problem = read.problems[name];
    return problem === undefined ? undefined : words.problems[problem];
  };
  return (
    <section className="card settings-panel" aria-label={words.settings}>
      <SelectField
        label={words.model}
        hint={model === undefined ? undefined : describe(model)}
        value={settings.model}
        onChange={({ currentTarget }) => change({ model: currentTarget.value, effort: '' })}
      >
        {models.map(({ id }) => (
          <option key={id}>{id}</option>
        ))}
      </SelectField>
      {efforts.length === 0 ? null : (
        <SelectField
          label={words.effort}
          value={settings.effort}
          onChange={({ currentTarget }) => change({ effort: currentTarget.value })}
        >
          <option value="">{words.defaultEffort(model?.reasoning?.default_effort)}</option>
          {efforts.map((effort) => (
            <option key={effort}>{effort}</option>
          ))}
        </SelectField>
      )}
      <TextArea
        label={words.system}
        rows={3}
        placeholder={words.systemPlaceholder}
        value={settings.system}
        onChange={({ currentTarget }) => change({ system: currentTarget.value })}
      />
      <details>
        <summary>{words.parameters}</summary>
        <div className="parameter-grid">
          {(
            [
              ['temperature', 'temperature', '0 – 2'],
              ['topP', 'top_p', '0 – 1'],
              ['maxTokens', 'max_completion_tokens', '≥ 1'],
              ['seed', 'seed', words.wholeNumber],
              ['frequencyPenalty', 'frequency_penalty', '-2 – 2'],
              ['presencePenalty', 'presence_penalty', '-2 – 2'],
            ] as const
          ).map(([name, label, range]) => (
            <TextField
              key={name}
              label={label}
              inputMode="decimal"
              placeholder={range}
              autoComplete="off"
              error={problemOf(name)}
              value={settings[name]}
              onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
            />
          ))}
        </div>
      </details>
      <details>
        <summary>{words.tools}</summary>
        <TextArea
          label={words.toolsJson}
          className="code-input"
          rows={8}
          spellCheck={false}
          placeholder={toolsExample}
          error={problemOf('tools')}
          value={settings.tools}
          onChange={({ currentTarget }) => change({ tools: currentTarget.value })}
        />
        <SelectField
          label="tool_choice"
          disabled={read.toolNames.length === 0}
          value={settings.toolChoice}
          onChange={({ currentTarget }) => change({ toolChoice: currentTarget.value })}
        >
          {['auto', 'none', 'required', ...read.toolNames].map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </SelectField>
        <CheckField
          label="parallel_tool_calls"
          disabled={read.toolNames.length === 0}
          checked={settings.parallelCalls}
          onChange={({ currentTarget }) => change({ parallelCalls: currentTarget.checked })}
        />
      </details>
      <details>
        <summary>{words.format}</summary>
        <ChoiceField
          label="response_format"
          value={settings.format}
          choose={(format) => change({ format })}
          choices={[
            ['text', 'text'],
            ['json_object', 'json_object'],
            ['json_schema', 'json_schema'],
          ]}
        />
        {settings.format === 'json_schema' ? (
          <>
            <TextField
              label={words.schemaName}
              autoComplete="off"
              error={problemOf('schemaName')}
              value={settings.schemaName}
              onChange={({ currentTarget }) => change({ schemaName: currentTarget.value })}
            />
            <TextArea
              label={words.schema}
              className="code-input"
              rows={8}
              spellCheck={false}
              placeholder={schemaExample}
              error={problemOf('schema')}
              value={settings.schema}
              onChange={({ currentTarget }) => change({ schema: currentTarget.value })}
            />
            <CheckField
              label="strict"
              checked={settings.schemaStrict}
              onChange={({ currentTarget }) => change({ schemaStrict: currentTarget.checked })}
            />
          </>
        ) : null}
      </details>
      {projects.length < 2 ? null : (
        <SelectField
          label={words.project}
          hint={words.projectHint}
          value={settings.project}
          onChange={({ currentTarget }) => change({ project: currentTarget.value })}
        >
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
    </section>
  );
}

function describe(model: Model): string | undefined {
  const facts: string[] = [];
  if (model.context_length !== undefined) {
    facts.push(words.contextLength(formatCompact(model.context_length)));
  }
  if (model.shutdown_date !== null) facts.push(words.shutdown(model.shutdown_date));
  return facts.length === 0 ? undefined : facts.join(' · ');
}
