/** Events of several schema versions in one log. */
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
