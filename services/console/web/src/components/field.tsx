import {
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';

interface About {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** Whether the label is only for screen readers. */
  readonly bare?: boolean;
}

/** The attributes that connect a control with its label, its hint and its error. */
interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/**
 * A control with its label, its hint and its error. Screen readers read all of them when the control gets the focus.
 */
function Labelled({
  label,
  hint,
  error,
  bare = false,
  children,
}: About & { readonly children: (wiring: Wiring) => ReactNode }): ReactElement {
  const id = useId();
  const notes = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .filter((note) => note !== '')
    .join(' ');
  return (
    <div className="field">
      <label htmlFor={id} className={bare ? 'for-screen-readers' : undefined}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': notes === '' ? undefined : notes,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hint === undefined ? null : (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error === undefined ? null : (
        <span className="field-error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  bare,
  ...rest
}: About & InputHTMLAttributes<HTMLInputElement>): ReactElement {
  return (
    <Labelled {...about(label, hint, error, bare)}>
      {(wiring) => <input type="text" {...rest} {...wiring} />}
    </Labelled>
  );
}

export function TextArea({
  label,
  hint,
  error,
  bare,
  ...rest
}: About & TextareaHTMLAttributes<HTMLTextAreaElement>): ReactElement {
  return (
    <Labelled {...about(label, hint, error, bare)}>
      {(wiring) => <textarea {...rest} {...wiring} />}
    </Labelled>
  );
}

export function SelectField({
  label,
  hint,
  error,
  bare,
  children,
  ...rest
}: About & SelectHTMLAttributes<HTMLSelectElement>): ReactElement {
  return (
    <Labelled {...about(label, hint, error, bare)}>
      {(wiring) => (
        <span className="select">
          <select {...rest} {...wiring}>
            {children}
          </select>
        </span>
      )}
    </Labelled>
  );
}

interface CheckProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: ReactNode;
}

export function CheckField({ label, ...rest }: CheckProps): ReactElement {
  return (
    <label className="check">
      <input type="checkbox" {...rest} />
      <span>{label}</span>
    </label>
  );
}

function about(
  label: string,
  hint: ReactNode,
  error: string | undefined,
  bare: boolean | undefined,
): About {
  return {
    label,
    error,
    ...(hint === undefined ? {} : { hint }),
    ...(bare === undefined ? {} : { bare }),
  };
}

interface ChoiceProps<Value extends string> extends About {
  readonly value: Value;
  /** Each value with its text. */
  readonly choices: readonly (readonly [Value, string])[];
  readonly choose: (value: Value) => void;
  readonly disabled?: boolean;
}

/** A select with a fixed list of values. */
export function ChoiceField<Value extends string>({
  value,
  choices,
  choose,
  disabled,
  ...about
}: ChoiceProps<Value>): ReactElement {
  return (
    <SelectField
      {...about}
      value={value}
      disabled={disabled}
      onChange={({ currentTarget }) => {
        const chosen = choices.find(([known]) => known === currentTarget.value);
        if (chosen !== undefined) choose(chosen[0]);
      }}
    >
      {choices.map(([known, text]) => (
        <option key={known} value={known}>
          {text}
        </option>
      ))}
    </SelectField>
  );
}
