import { describe, expect, test } from 'vitest';
import { codec, UnreadableEventError, type DomainEvent } from '../../src/events/codec.js';
import { exampleEvents, examples, exampleTime, toAppend } from '../support/examples.js';

const { emailRequested } = exampleEvents;

/** As the log gives it back. */
const stored = (event: DomainEvent, schema: number) => ({
  ...toAppend(event, { schema }),
  stream: examples.emailStream,
  revision: 0n,
  position: '1',
});

describe('EmailRequested', () => {
  test('of schema 1 says in schema 2 what it always said', () => {
    expect(codec.decode(stored(emailRequested, 1)).event).toEqual(emailRequested);
  });

  test('of schema 2 may lack the hash, and keeps all that has a place', () => {
    const { request_hash: _, message, ...rest } = emailRequested.data;
    const event: DomainEvent = {
      type: 'EmailRequested',
      data: {
        ...rest,
        list_id: 'lst_01',
        send_at: exampleTime,
        labels: ['receipt'],
        template: { template_id: 'tpl_01', version: 3 },
        message: {
          ...message,
          variables: { name: 'Ada' },
          reply_to: 'help@example.com',
          text: 'Hello',
          headers: { 'X-Order': '7' },
          attachments: [
            { filename: 'a.txt', content_type: 'text/plain', content: 'YQ==' },
            { filename: 'b.png', content_type: 'image/png', content: 'Yg==', content_id: 'b' },
          ],
        },
      },
    };
    expect(codec.decode(stored(event, 2)).event).toEqual(event);
    expect(codec.schemaVersion('EmailRequested')).toBe(2);
  });

  test('of a later schema is unreadable: nobody acts on half of it', () => {
    expect(() => codec.decode(stored(emailRequested, 3))).toThrow(UnreadableEventError);
    expect(() => codec.decode(stored(emailRequested, 3))).toThrow('has schema 3, newest known is 2');
  });
});

describe('EmailBounced', () => {
  const { emailBounced } = exampleEvents;
  const ofSchema1 = (kind: 'hard' | 'soft', enhanced_code?: string) => {
    const data = { ...emailBounced.data, kind, enhanced_code };
    return codec.decode({ ...stored(emailBounced, 1), data: JSON.stringify(data) }).event;
  };

  test('of schema 1 gets its kind from the code', () => {
    const kinds = (['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1'] as const).map(
      (code) => [code, 'hard'] as const,
    );
    const cases = [...kinds, ['5.2.2', 'full'], ['5.7.26', 'policy'], ['5.1.8', 'other'], ['5.0.0', 'other']] as const;
    for (const [code, kind] of cases)
      expect(ofSchema1('hard', code), code).toEqual({
        type: 'EmailBounced',
        data: { ...emailBounced.data, kind, enhanced_code: code },
      });
    expect(ofSchema1('hard')).toMatchObject({ data: { kind: 'other' } });
    for (const [code, kind] of [
      ['4.2.2', 'full'],
      ['4.7.1', 'policy'],
      ['4.1.1', 'other'],
      ['4.4.7', 'other'],
    ] as const)
      expect(ofSchema1('soft', code), code).toMatchObject({ data: { kind } });
  });

  test('of schema 1 with an unknown kind is unreadable', () => {
    const data = JSON.stringify({ ...emailBounced.data, kind: 'full' });
    expect(() => codec.decode({ ...stored(emailBounced, 1), data: data.replace('full', 'firm') })).toThrow(
      UnreadableEventError,
    );
  });
});

describe('LogRestored', () => {
  const hash = 'ab'.repeat(32);
  const decoded = (data: object, schema: number) => {
    const event: DomainEvent = { type: 'LogRestored', data: { count: 1, root: null, superseded: null, mac: null } };
    return codec.decode({ ...stored(event, schema), data: JSON.stringify(data) }).event;
  };

  test('of schema 1 has no root and no MAC', () => {
    expect(codec.schemaVersion('LogRestored')).toBe(2);
    const data = { count: 7, root: null, superseded: null, mac: null };
    expect(decoded({ count: 7, head: hash }, 1)).toEqual({ type: 'LogRestored', data });
  });

  test('of schema 2 keeps all members', () => {
    const data = { count: 7, root: hash, superseded: { count: 9, root: hash }, mac: hash };
    expect(decoded(data, 2)).toEqual({ type: 'LogRestored', data });
  });

  test('with the members of the other schema is unreadable', () => {
    expect(() => decoded({ count: 7, head: hash }, 2)).toThrow(UnreadableEventError);
    expect(() => decoded({ count: 7, root: hash, superseded: null, mac: hash }, 1)).toThrow(UnreadableEventError);
  });
});

test('most event types have schema version 1', () => {
  expect(codec.schemaVersion('ContactCreated')).toBe(1);
});
