/** One erasure, step by step: whom it takes, what it leaves, and that doing it again changes nothing. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openCommands } from '../../src/app/commands.js';
import {
  contactStream,
  deriveStreamKeys,
  emailStream,
  erasuresStream,
  suppressionStream,
} from '../../src/events/streams.js';
import {
  complete,
  createErasureCheck,
  endContact,
  erase,
  takesAll,
  type EmailOfPerson,
} from '../../src/privacy/erase.js';
import { openLog } from '../support/event-log.js';

const keys = deriveStreamKeys('a secret of the tests, long enough for a key');
const context = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'test' };
const list = { list_id: 'lst_1', list_name: 'News' };
const subject_key = keys.contactKey('ada@example.org');
const stream = contactStream(subject_key);
const refusals = suppressionStream(subject_key);

async function open() {
  const { store } = await openLog();
  const { contacts, emails, suppressions, erasures } = await openCommands({
    store,
    keys,
    onUnreadable: () => undefined,
    clock: Date.now,
    newUuid: randomUUID,
  });
  const inViews: EmailOfPerson[] = [];
  const steps: string[] = [];
  const options = {
    ...{ store, contacts, emails, suppressions, erasures },
    views: {
      shown: () => Promise.resolve(void steps.push('shown')),
      async *emailsTo() {
        yield inViews;
      },
      scrub: () => Promise.resolve(void steps.push('scrub')),
    },
    removeFiles: (ids: readonly string[]) => Promise.resolve(void steps.push(`files ${ids.join()}`)),
  };

  const create = (contactId: string) => {
    const who = { contactId, email: 'ada@example.org', profile: { firstName: 'Ada' } };
    const command = { type: 'Create', ...who, list, status: 'Subscribed' } as const;
    return contacts.execute({ stream, command, context });
  };
  async function send(email_id: string): Promise<void> {
    const text = { subject: 'Hello', mail_template: '<p>Hello Ada</p>', salt: 'AAAAAAAAAAAAAAAAAAAAAA' };
    const message = { from_email: 'us@example.org', to_email: 'ada@example.org', ...text };
    const command = { type: 'RequestEmail', email_id, recipient_key: subject_key, message } as const;
    const { position } = await emails.execute({ stream: emailStream(email_id), command, context });
    inViews.push({ stream: emailStream(email_id), first: position });
  }
  const claim = (email_id: string) => {
    const [now, deadline] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:30:00.000Z'];
    const command = { type: 'StartDispatch', run_id: 'mlr_1-1', now, deadline } as const;
    return emails.execute({ stream: emailStream(email_id), command, context });
  };
  const suppress = (scope: string) => {
    const person = { email: 'ada@example.org', note: 'Ada said so' };
    const command = { type: 'Suppress', entries: [{ scope, reason: 'manual' }], person } as const;
    return suppressions.execute({ stream: refusals, command, context });
  };
  const request = (erasure_id: string) => {
    const command = { type: 'Request', erasure_id, subject_key, reason: undefined } as const;
    return erasures.execute({ stream: erasuresStream, command, context });
  };
  const textOf = async (name: string): Promise<string> => {
    let text = '';
    for await (const events of store.readStream(name)) text += events.map(({ data }) => data).join('\n');
    return text;
  };
  return { options, inViews, steps, create, send, claim, suppress, request, textOf };
}

it('takes the contact and the e-mails, in the log and in their files, and counts them', async () => {
  const { options, steps, create, send, request, textOf } = await open();
  await create('con_1');
  await send('eml_1');
  await request('ers_1');
  const erased = await erase(options, 'ers_1');
  expect(erased).toMatchObject({ counts: { erasure_id: 'ers_1', contacts: 1, emails: 1 } });
  expect(await textOf(stream)).not.toContain('Ada');
  expect(await textOf(emailStream('eml_1'))).not.toContain('Ada');
  // The views show the end of the contact before its e-mails are looked up there.
  expect(steps).toEqual(['shown', 'files eml_1']);
  if (!('counts' in erased)) throw new Error('it waits');
  await complete(options, [erased]);
  expect(steps.at(-1)).toBe('scrub');
  expect((await options.erasures.fresh(erasuresStream)).state.unfinished.size).toBe(0);
});

it('done again it does nothing more and counts the same, as after a crash', async () => {
  const { options, create, send, request, textOf } = await open();
  await create('con_1');
  await send('eml_1');
  await request('ers_1');
  await endContact(options, 'ers_1');
  const first = await erase(options, 'ers_1');
  const text = await textOf(stream);
  expect(await erase(options, 'ers_1')).toEqual(first);
  expect(await textOf(stream)).toBe(text);
});

it('leaves the contact and the e-mails that came after it', async () => {
  const { options, create, send, request, textOf } = await open();
  await create('con_1');
  await request('ers_1');
  await endContact(options, 'ers_1');
  await create('con_2');
  await send('eml_1');
  expect(await erase(options, 'ers_1')).toMatchObject({ counts: { contacts: 1, emails: 0 } });
  expect(await textOf(stream)).toContain('Ada');
  expect(await textOf(emailStream('eml_1'))).toContain('Ada');
});

it('where there was no contact at the request, one that was created since stays', async () => {
  const { options, create, request, textOf } = await open();
  await request('ers_1');
  await create('con_1');
  expect(await erase(options, 'ers_1')).toMatchObject({ counts: { contacts: 0, emails: 0 } });
  expect(await textOf(stream)).toContain('Ada');
});

it('waits for an e-mail that is being sent, and says until when', async () => {
  const { options, create, send, claim, request, textOf } = await open();
  await create('con_1');
  await send('eml_1');
  await claim('eml_1');
  await request('ers_1');
  const until = '2026-01-01T00:30:00.000Z';
  expect(await erase(options, 'ers_1')).toEqual([{ stream: emailStream('eml_1'), email_id: 'eml_1', until }]);
  // What can go is gone.
  expect(await textOf(stream)).not.toContain('Ada');
});

it('reaches what was there when the contact ended, and no further', async () => {
  const { options, inViews, create, send, request } = await open();
  await create('con_1');
  await send('eml_1');
  await request('ers_1');
  await endContact(options, 'ers_1');
  const { store, suppressions, erasures, views } = options;
  const reaching = { store, suppressions, views };
  expect(await takesAll(reaching, 'ers_1')).toBe(true);
  await send('eml_2');
  expect(await takesAll(reaching, 'ers_1')).toBe(false);
  const isToBeErased = createErasureCheck(store, erasures);
  const asked = inViews.map(({ first: position }) => isToBeErased({ recipientKey: subject_key, position }));
  expect(await Promise.all(asked)).toEqual([true, false]);
});

it('takes what was said about refused mail, once, and leaves the refusal and what is said afterwards', async () => {
  const { options, steps, suppress, request, textOf } = await open();
  const { store, suppressions, views } = options;
  await suppress('all');
  await suppress('lst_1');
  await request('ers_1');
  const erased = await erase(options, 'ers_1');
  const text = await textOf(refusals);
  expect(text).not.toContain('Ada');
  expect(text).toContain('"through":1');
  expect((await suppressions.fresh(refusals)).state.active).toMatchObject([{ scope: 'all' }, { scope: 'lst_1' }]);
  // The views hold the address: nothing of it is left in their files.
  if (!('counts' in erased)) throw new Error('it waits');
  await complete(options, [erased]);
  expect(steps.at(-1)).toBe('scrub');
  const reaching = { store, suppressions, views };
  expect(await takesAll(reaching, 'ers_1')).toBe(true);
  await suppress('lst_2');
  expect(await takesAll(reaching, 'ers_1')).toBe(false);
  expect(await erase(options, 'ers_1')).toEqual(erased);
  expect(await textOf(refusals)).toContain('Ada said so');
});

it('an erasure that nobody asked for is a fault', async () => {
  const { options } = await open();
  await expect(erase(options, 'ers_9')).rejects.toThrow('the log has no request of the erasure ers_9');
});
