/** The last hour of the service's figures, from `/metrics`: kept in the page, from when it is first looked at. */
import { effect, signal } from '@preact/signals';
import { errorOf } from '../client/errors.js';
import { answerTo } from './lines.js';
import { parseFigures, sampleOf, type Look, type Sample } from './figures-text.js';
import { may, session } from './session.js';

export const sampleSeconds = 5;
const most = 3_600 / sampleSeconds;

export const samples = signal<readonly Sample[]>([]);
/** Of the last look; undefined while all is well. */
export const sampleFault = signal<unknown>(undefined);

let timer: ReturnType<typeof setInterval> | undefined;
let last: Look | undefined;

async function look(): Promise<void> {
  const client = session.value?.client;
  if (client === undefined || document.visibilityState === 'hidden') return;
  try {
    const request = client.http.GET('/metrics', { parseAs: 'text', headers: { Accept: 'text/plain' } });
    const { data, error, response } = await answerTo(request);
    if (!response.ok) throw errorOf(error, response);
    const now = { at: Date.now(), series: parseFigures(String(data)) };
    samples.value = [...samples.value, sampleOf(now, last)].slice(-most);
    last = now;
    sampleFault.value = undefined;
  } catch (error) {
    sampleFault.value = error;
  }
}

/** Goes on, whatever page is open, until one signs out. */
export function startSampling(): void {
  if (timer !== undefined || !may('metrics')) return;
  void look();
  timer = setInterval(() => void look(), sampleSeconds * 1_000);
}

effect(() => {
  if (session.value !== undefined) return;
  clearInterval(timer);
  timer = undefined;
  last = undefined;
  samples.value = [];
});
