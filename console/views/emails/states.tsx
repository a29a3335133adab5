/** The states of an e-mail in words. */
import type { components } from '../../../client/client.js';
import { Mark } from '../../parts/text.js';

export type Email = components['schemas']['Email'];
export type State = components['schemas']['DeliveryState'];

type Kind = 'plain' | 'good' | 'bad' | 'warn' | 'info';

interface StateText {
  readonly name: string;
  readonly meaning: string;
  readonly kind: Kind;
}

export const stateTexts: Readonly<Record<State, StateText>> = {
  held: { name: 'Held', kind: 'warn', meaning: 'Waiting until a person releases or cancels them.' },
  in_doubt: { name: 'In doubt', kind: 'warn', meaning: 'They may have been handed over. The outcome is unknown.' },
  deferred: { name: 'To be tried again', kind: 'info', meaning: 'The last attempt failed; another one is planned.' },
  failed: { name: 'Failed', kind: 'bad', meaning: 'They were given up. One that is released is tried again.' },
  requested: { name: 'Waiting', kind: 'plain', meaning: 'Waiting to be sent.' },
  sending: { name: 'Being sent', kind: 'info', meaning: 'An attempt is under way.' },
  cancelled: { name: 'Cancelled', kind: 'plain', meaning: 'They were ended before they were sent.' },
  sent: {
    name: 'Sent',
    kind: 'good',
    meaning: 'A mail server took them; without one they were written to the outbox.',
  },
};

/** What needs a person comes first. */
export const states = Object.keys(stateTexts) as readonly State[];

/** The state of an email, or that it bounced or was called spam. Reports that are not verified change nothing here. */
export function EmailMark({ email: { state, bounced, complained } }: { readonly email: Email }) {
  if (complained?.verified === true) return <Mark kind="bad">called spam</Mark>;
  if (bounced?.verified === true) return <Mark kind="bad">bounced</Mark>;
  return <Mark kind={stateTexts[state].kind}>{stateTexts[state].name}</Mark>;
}
