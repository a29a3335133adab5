/** A labelled field of a form. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  onInput(value: string): void;
  readonly type?: 'text' | 'search' | 'password' | 'number' | 'date' | 'datetime-local';
  readonly hint?: ComponentChildren;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
}

/** Browsers neither correct nor remember what is typed: it may be a key or a person's address. */
export function Field({ label, value, onInput, type = 'text', hint, placeholder, isRequired = false }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion -- the types of elements differ by it
        type={type as 'text'}
        value={value}
        placeholder={placeholder}
        required={isRequired}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  onChange(value: Value): void;
}

export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options.find(([name]) => name === currentTarget.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
