/** Who looks: the key, what it may do, and the client that calls the API with it. */
import { signal } from '@preact/signals';
import { AudienceError, createClient, type AnswerOf, type AudienceClient, type InputOf } from '../client/client.js';
import { serviceUrl } from './addresses.js';

export type Key = AnswerOf<'getOwnApiKey'>['data'];
/** A scope that this console knows; a service of a later version may have more. */
export type Scope = InputOf<'createApiKey'>['body']['scopes'][number];

export interface Session {
  readonly key: Key;
  readonly client: AudienceClient;
}

/** Undefined: nobody is signed in. */
export const session = signal<Session | undefined>(undefined);
/** Why the last session ended, where it was not by the user. */
export const endedBecause = signal('');

/** Minutes without a key press, a click or a touch, in any tab that has the same session. */
const idleMinutes = 15;
const keyName = 'audience.key';
const seenName = 'audience.seen';

/** Rejects with what the API says. `isKept`: until this tab is closed, reloads included. */
export async function signIn(apiKey: string, isKept: boolean): Promise<void> {
  const client = createClient({ baseUrl: serviceUrl, apiKey, retries: 2, maxWait: 5_000 });
  const { data } = await client.getOwnApiKey();
  if (isKept) sessionStorage.setItem(keyName, apiKey);
  endedBecause.value = '';
  noteActivity();
  session.value = { key: data, client };
}

export function signOut(why = ''): void {
  sessionStorage.removeItem(keyName);
  endedBecause.value = why;
  session.value = undefined;
}

/** Goes on with the key that this tab keeps, if there is one. */
export async function resume(): Promise<void> {
  const apiKey = sessionStorage.getItem(keyName);
  if (apiKey === null) return;
  if (isIdle()) signOut(idleMessage);
  else await signIn(apiKey, true).catch(endIfRefused);
}

export function endIfRefused(error: unknown): void {
  if (error instanceof AudienceError && error.statusCode === 401) signOut(`Signed out: ${error.message}`);
}

export const may = (scope: Scope): boolean => session.value?.key.scopes.includes(scope) ?? false;

const idleMessage = `Signed out after ${idleMinutes} minutes without activity.`;
let lastActivity = 0;

function noteActivity(): void {
  lastActivity = Date.now();
  sessionStorage.setItem(seenName, String(lastActivity));
}

const isIdle = (): boolean =>
  Date.now() - Math.max(lastActivity, Number(sessionStorage.getItem(seenName))) > idleMinutes * 60_000;

export function watchActivity(): void {
  for (const event of ['keydown', 'pointerdown', 'wheel', 'touchstart'])
    addEventListener(event, () => session.value !== undefined && !isIdle() && noteActivity(), { passive: true });
  const check = (): void => {
    if (session.value !== undefined && isIdle()) signOut(idleMessage);
  };
  setInterval(check, 10_000);
  // Timers may rest while a page is hidden.
  addEventListener('visibilitychange', check);
}
