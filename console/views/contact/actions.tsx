/** What may be done about a person: a page for a regulator, a proof, an export, refusing mail, erasing. */
import { useState } from 'preact/hooks';
import type { AudienceClient } from '../../../client/client.js';
import { useAction } from '../../answers.js';
import { ErrorNote } from '../../parts/answer.js';
import { saveJson } from '../../parts/save.js';
import { may } from '../../session.js';
import { Erase } from './erase.js';
import { Report } from './report.js';
import { Suppress } from './suppress.js';

interface ActionsProps {
  readonly id: string;
  /** Undefined: the person is erased. */
  readonly email: string | undefined;
  readonly at: string | undefined;
  readonly onChanged: () => void;
}

export function Actions({ id, email, at, onChanged }: ActionsProps) {
  const [asked, setAsked] = useState<'report' | 'suppress' | 'erase'>();
  const proof = useAction(async (client) => {
    const { data } = await client.getContactProof({ path: { contact: id } });
    saveJson(data, `proof-${id}.json`);
  });
  const take = useAction((client) => saveExport(client, { id, email: email ?? '' }));
  const close = (): void => setAsked(undefined);
  const isKnown = email !== undefined;
  return (
    <>
      <p class="buttons">
        <button type="button" aria-expanded={asked === 'report'} onClick={() => setAsked('report')}>
          Page for a regulator
        </button>
        <button type="button" disabled={proof.isRunning} onClick={() => void proof.run()}>
          Download a proof
        </button>
        {isKnown && may('privacy') && (
          <button type="button" disabled={take.isRunning} onClick={() => void take.run()}>
            Download all that is stored
          </button>
        )}
        {isKnown && may('suppressions:write') && (
          <button type="button" onClick={() => setAsked('suppress')}>
            Suppress mail
          </button>
        )}
        {isKnown && may('privacy') && (
          <button type="button" class="dangerous" onClick={() => setAsked('erase')}>
            Erase the person
          </button>
        )}
      </p>
      <ErrorNote error={proof.error} />
      <ErrorNote error={take.error} />
      {asked === 'report' && <Report id={id} at={at} onClose={close} />}
      <Suppress email={email ?? ''} isOpen={asked === 'suppress'} onClose={close} onDone={onChanged} />
      <Erase email={email ?? ''} isOpen={asked === 'erase'} onClose={close} onDone={onChanged} />
    </>
  );
}

interface Person {
  readonly id: string;
  readonly email: string;
}

async function saveExport(client: AudienceClient, { id, email }: Person): Promise<void> {
  const { data } = await client.exportPerson({ query: { email } });
  saveJson(data, `export-${id}.json`);
}
