/** The ways to ask the auditor: over HTTP, and on the command line. */
import { expect } from 'vitest';
import { audience, jsonLines, notRecorded, type Ended } from './audience.js';
import type { Auditor, Told } from './audit-oracle.js';
import type { AuditedService } from './audited-service.js';
import type { Overrides } from './service.js';

const pathOf = (email: string): string => `/v1/audit/contacts/${encodeURIComponent(email)}`;

export const overHttp = (service: AuditedService): Auditor => ({
  async contactAt(email, time) {
    const { status, data } = await service.get(`${pathOf(email)}/at?time=${time}`);
    expect([200, 404]).toContain(status);
    return status === 404 ? undefined : data;
  },
  async inListAt(email, time, list) {
    const { status, data, type } = await service.get(`${pathOf(email)}/at?time=${time}&list_id=${list}`);
    expect([200, 'never_in_list']).toContain(type ?? status);
    return status === 404 ? undefined : data;
  },
  async history(email, { from, to, limit }) {
    const items: Told[] = [];
    let cursor = '';
    do {
      const page = await service.get(`${pathOf(email)}/history?from=${from}&to=${to}&limit=${limit}${cursor}`);
      expect(page.status).toBe(200);
      items.push(...(page.data as readonly Told[]));
      cursor = page.next_cursor === undefined ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    return items;
  },
  listAt: (list, time) => service.text(`/v1/audit/lists/${list}/at?time=${time}`),
});

/** A process for each answer. */
export function onCommandLine(env: Overrides): Auditor {
  const ask = async (...words: readonly string[]): Promise<Ended> => {
    const ended = await audience(['audit', ...words, '--json'], { env });
    expect(ended).toMatchObject({ code: 0, err: notRecorded });
    return ended;
  };
  const askAt = async (type: string, ...words: readonly string[]): Promise<unknown> => {
    const { code, out, err } = await audience(['audit', 'at', ...words, '--json'], { env });
    if (code === 1 && out.includes(`"type":"${type}"`)) return undefined;
    expect({ code, err }).toEqual({ code: 0, err: notRecorded });
    return jsonLines(out)[0];
  };
  return {
    contactAt: (email, time) => askAt('unknown_contact', email, '--time', time),
    inListAt: (email, time, list) => askAt('never_in_list', email, '--time', time, '--list', list),
    history: async (email, { from, to }) =>
      jsonLines((await ask('history', email, '--from', from, '--to', to)).out)
        .filter(({ line }) => line === undefined)
        .map(({ type, request_id }) => ({ type: String(type), request_id: String(request_id) })),
    listAt: async (list, time) => (await ask('list', list, '--time', time)).out,
  };
}
