/** Asks for an API key. */
import { useState } from 'preact/hooks';
import { ErrorNote } from '../parts/answer.js';
import { Field } from '../parts/field.js';
import { Page } from '../parts/page.js';
import { endedBecause, signIn } from '../session.js';

export function SignIn() {
  const [apiKey, setApiKey] = useState('');
  const [isKept, setKept] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);

  const submit = async (): Promise<void> => {
    setRunning(true);
    setError(undefined);
    await signIn(apiKey.trim(), isKept).catch(setError);
    setRunning(false);
  };

  return (
    <main class="sign-in">
      <Page title="Sign in">
        {endedBecause.value !== '' && (
          <p class="note" role="status">
            {endedBecause.value}
          </p>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Field
            label="API key"
            type="password"
            isRequired
            value={apiKey}
            onInput={setApiKey}
            hint="Its scopes decide what you see."
          />
          <label class="check">
            <input type="checkbox" checked={isKept} onChange={({ currentTarget }) => setKept(currentTarget.checked)} />
            Keep it until this tab is closed
          </label>
          <ErrorNote error={error} />
          <button type="submit" class="primary" disabled={isRunning}>
            {isRunning ? 'Signing in …' : 'Sign in'}
          </button>
        </form>
      </Page>
    </main>
  );
}
