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
/** Why the last session ended, if the user did not end it. */
export const endedBecause = signal('');

/** Minutes without a key press, a click or a touch in any tab of the session. */
const idleMinutes = 15;
/** Names in the session storage of the tab. The browser copies this storage to tabs that are opened from the tab. */
const keyName = 'audience.key';
const idName = 'audience.session';
/**
 * Returns the name in the local storage under which a session keeps the time of its last activity. A session lasts as
 * long as this entry, so that a sign-out in one tab also ends copies in tabs that sleep or load later.
 */
const entryOf = (id: string): string => `${idName}.${id}`;
/** How long the entry of a session that was never signed out is kept, in milliseconds. */
const keptEntriesMs = 24 * 3_600_000;

/** The id of the session of this tab. */
let ownId: string | undefined;
let lastActivity = 0;

/** Begins a session. `isKept` keeps the key until this tab is closed, also over reloads. Rejects with the error of the API. */
export async function signIn(apiKey: string, isKept: boolean): Promise<void> {
  const opened = await open(apiKey);
  removeOldEntries();
  // Not randomUUID, which needs a secure context.
  ownId = crypto.getRandomValues(new Uint32Array(4)).join('-');
  if (isKept) {
    sessionStorage.setItem(keyName, apiKey);
    sessionStorage.setItem(idName, ownId);
  }
  begin(opened, ownId);
}

async function open(apiKey: string): Promise<Session> {
  const client = createClient({ baseUrl: serviceUrl, apiKey, retries: 2, maxWait: 5_000 });
  const { data } = await client.getOwnApiKey();
  return { key: data, client };
}

function begin(opened: Session, id: string): void {
  endedBecause.value = '';
  noteActivity(id);
  session.value = opened;
}

/** Ends the session in every tab that has it. */
export function signOut(why = ''): void {
  if (ownId !== undefined) localStorage.removeItem(entryOf(ownId));
  ownId = undefined;
  sessionStorage.removeItem(keyName);
  sessionStorage.removeItem(idName);
  endedBecause.value = why;
  session.value = undefined;
}

/** Continues the session of this tab, if the tab keeps a key. */
export async function resume(): Promise<void> {
  const apiKey = sessionStorage.getItem(keyName);
  if (apiKey === null) return;
  const id = sessionStorage.getItem(idName) ?? '';
  ownId = id;
  if (endIfOver()) return;
  try {
    const opened = await open(apiKey);
    // Another tab may have signed out while the API answered.
    if (ownId === id && !endIfOver()) begin(opened, id);
  } catch (error) {
    endIfRefused(error);
  }
}

export function endIfRefused(error: unknown): void {
  if (error instanceof AudienceError && error.statusCode === 401) signOut(`Signed out: ${error.message}`);
}

export const may = (scope: Scope): boolean => session.value?.key.scopes.includes(scope) ?? false;

const idleMessage = `Signed out after ${idleMinutes} minutes without activity.`;
const elsewhereMessage = 'Signed out in another tab.';

function noteActivity(id: string): void {
  lastActivity = Date.now();
  localStorage.setItem(entryOf(id), String(lastActivity));
}

/** Signs this tab out if another tab did, or if no tab of the session was active for too long. */
function endIfOver(): boolean {
  if (ownId === undefined) return false;
  const entry = localStorage.getItem(entryOf(ownId));
  lastActivity = Math.max(lastActivity, Number(entry));
  const isIdle = lastActivity !== 0 && Date.now() - lastActivity > idleMinutes * 60_000;
  if (entry !== null && !isIdle) return false;
  signOut(isIdle ? idleMessage : elsewhereMessage);
  return true;
}

/** Removes the entries of sessions that were never signed out. */
function removeOldEntries(): void {
  for (const [name, value] of Object.entries(localStorage))
    if (name.startsWith(entryOf('')) && Date.now() - Number(value) > keptEntriesMs) localStorage.removeItem(name);
}

export function watchActivity(): void {
  const note = (): void => {
    if (ownId !== undefined && !endIfOver()) noteActivity(ownId);
  };
  for (const event of ['keydown', 'pointerdown', 'wheel', 'touchstart'])
    addEventListener(event, note, { passive: true });
  addEventListener('storage', ({ key, newValue }) => {
    // Look at the event, not at the entry, because this tab may have written the entry again since.
    const isEnded = newValue === null && (key === null || (ownId !== undefined && key === entryOf(ownId)));
    if (isEnded && ownId !== undefined) signOut(elsewhereMessage);
  });
  setInterval(endIfOver, 10_000);
  // Browsers may suspend timers and events while a page is hidden or in the back-forward cache.
  for (const event of ['visibilitychange', 'pageshow']) addEventListener(event, endIfOver);
}
