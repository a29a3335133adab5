/** A time in the reader's zone; the page's address has it in UTC. */
import { useState } from 'preact/hooks';
import { Field } from '../../parts/field.js';

interface TimeFieldProps {
  readonly label: string;
  /** ISO 8601 */
  readonly at: string | undefined;
  readonly onInput: (at: string) => void;
}

export function TimeField({ label, at, onInput }: TimeFieldProps) {
  const [typed, setTyped] = useState(localOf(at));
  return (
    <Field
      label={label}
      type="datetime-local"
      value={typed}
      onInput={(value) => {
        setTyped(value);
        if (value !== '') onInput(new Date(value).toISOString());
      }}
      hint="In your time zone."
    />
  );
}

/** As the browser's field takes it: `2026-03-01T09:30`. */
function localOf(at: string | undefined): string {
  const time = new Date(at ?? '');
  if (Number.isNaN(time.getTime())) return '';
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
