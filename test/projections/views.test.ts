/** Each view: what every event type does to its document, that the wrong event is refused, and that no event is forgotten. */
import { describe, expect, it } from 'vitest';
import { eventSchemas, type DomainEvent } from '../../src/events/codec.js';
import { contacts } from '../../src/projections/contacts.js';
import { emails, reasonOf } from '../../src/projections/emails.js';
import { groups, lists, tags } from '../../src/projections/catalogues.js';
import { memberships } from '../../src/projections/memberships.js';
import { CannotFoldError, type Projection } from '../../src/projections/projection.js';
import { liveProjections } from '../../src/projections/views.js';
import {
  emptyProfile,
  exampleEvents as e,
  examplePosition,
  examples,
  exampleTime,
  recorded,
} from '../support/examples.js';
import { folded } from '../support/folded.js';

const later = (seconds: number): string => new Date(Date.parse(exampleTime) + seconds * 1_000).toISOString();

describe('all views', () => {
  it('handle every event type but those of the service, API keys, erasures, reads, bare consent and counted bounces', () => {
    const handled = new Set<string>(liveProjections.flatMap(({ handles }) => handles));
    const ignored = Object.keys(eventSchemas).filter((type) => !handled.has(type));
    const ofKeys = ['ApiKeyCreated', 'ApiKeyRotated', 'ApiKeyRevoked', 'ApiKeyExpired', 'ApiKeySecretExpired'];
    expect(ignored).toEqual([
      'ConsentRecorded',
      'BounceCounted',
      'ServiceInitialised',
      'LogRestored',
      ...ofKeys,
      'ErasureRequested',
      'ErasureCompleted',
      'RecordRead',
    ]);
  });

  it.each(liveProjections.map((projection) => [projection.name, projection] as const))(
    '%s refuses a type that it does not handle',
    (_, projection) => {
      const [event] = recorded('service', [e.serviceInitialised]);
      if (event === undefined) throw new Error('no event');
      expect(projection.keys(event)).toEqual([]);
      expect(() => projection.evolve(undefined, event, 'x')).toThrow(CannotFoldError);
    },
  );
});

const kinds: readonly { kind: string; Kind: string; projection: Projection }[] = [
  { kind: 'group', Kind: 'Group', projection: groups },
  { kind: 'list', Kind: 'List', projection: lists },
  { kind: 'tag', Kind: 'Tag', projection: tags },
];

describe.each(kinds)('$kind', ({ kind, Kind, projection }) => {
  const id = `${kind}_id`;
  const name = `${kind}_name`;
  const event = (verb: string, data: object): DomainEvent =>
    ({ type: `${Kind}${verb}`, data: { [id]: 'x1', ...data } }) as unknown as DomainEvent;
  const created = event('Created', { [name]: 'Äda  Ltd' });
  const renamed = event('Renamed', { [name]: 'Bob', previous_name: 'Äda  Ltd' });
  const deleted = event('Deleted', { [name]: 'Bob' });
  const document = { [id]: 'x1', [name]: 'Äda  Ltd', name_key: 'äda ltd', created_at: exampleTime };

  it('is created, renamed and deleted', () => {
    expect(folded(projection, `${kind}s`, [created])).toEqual({ x1: document });
    const other = { ...document, [name]: 'Bob', name_key: 'bob' };
    expect(folded(projection, `${kind}s`, [created, renamed])).toEqual({ x1: other });
    expect(folded(projection, `${kind}s`, [created, renamed, deleted])).toEqual({});
  });

  it('is poisoned by a second creation, and by a change without creation', () => {
    expect(() => folded(projection, `${kind}s`, [created, created])).toThrow(CannotFoldError);
    expect(() => folded(projection, `${kind}s`, [renamed])).toThrow(CannotFoldError);
    expect(() => folded(projection, `${kind}s`, [deleted])).toThrow(CannotFoldError);
  });
});

describe('contacts', () => {
  const fold = (...events: readonly DomainEvent[]) => folded(contacts, examples.contactStream, events)['con_01'];

  it('begin with their profile, absent fields null', () => {
    expect(fold(e.contactCreated)).toEqual({
      contact_id: 'con_01',
      stream: examples.contactStream,
      email: 'Ada@example.com',
      ...emptyProfile,
      firstName: 'Ada',
      city: 'London',
      created_at: exampleTime,
      subscriptions: {},
    });
  });

  it('change the fields that are named, and keep no salt', () => {
    const document = fold(e.contactCreated, e.profileChanged);
    expect(document).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace', city: null });
    expect(JSON.stringify(document)).not.toContain('salt');
  });

  it('carry status and tags per list; a new status keeps the tags', () => {
    const subscriptionAfter = (...events: readonly DomainEvent[]) => fold(e.contactCreated, ...events)?.subscriptions;
    expect(subscriptionAfter(e.subscribed)).toMatchObject({ lst_01: { status: 'Subscribed', tag_ids: [] } });
    expect(subscriptionAfter(e.unsubscribed)).toMatchObject({ lst_01: { status: 'Unsubscribed', tag_ids: [] } });
    const tagged = { lst_01: { status: 'Unsubscribed', tag_ids: ['tag_01'] } };
    expect(subscriptionAfter(e.subscribed, e.tagsAttached, e.unsubscribed)).toMatchObject(tagged);
    const untagged = { lst_01: { status: 'Subscribed', tag_ids: [] } };
    expect(subscriptionAfter(e.subscribed, e.tagsAttached, e.tagsDetached)).toMatchObject(untagged);
  });

  it('say which event made the status so, whatever else came after it', () => {
    const reasonAfter = (...events: readonly DomainEvent[]) =>
      fold(e.contactCreated, ...events)?.subscriptions['lst_01']?.because;
    const reason = {
      event_id: '00000000-0000-4000-8000-000000000001',
      at: '2026-03-01T10:00:01.000Z',
      actor: 'example',
      request_id: 'req-example',
      position: examplePosition(2),
    };
    expect(reasonAfter(e.subscribed)).toEqual(reason);
    expect(reasonAfter(e.subscribed, e.tagsAttached, e.profileChanged, e.tagsDetached)).toEqual(reason);
    expect(reasonAfter(e.tagCreated, e.subscribed, e.unsubscribed)).toMatchObject({ position: examplePosition(4) });
  });

  it('stay the same object when nothing changes', () => {
    const [, , ...rest] = recorded(examples.contactStream, [
      e.contactCreated,
      e.subscribed,
      e.subscribed,
      e.tagsDetached,
    ]);
    const document = fold(e.contactCreated, e.subscribed);
    for (const event of rest) expect(contacts.evolve(document, event, 'con_01')).toBe(document);
  });

  it('are poisoned by what does not follow', () => {
    expect(() => fold(e.subscribed)).toThrow('ContactSubscribed without its document');
    expect(() => fold(e.profileChanged)).toThrow(CannotFoldError);
    expect(() => fold(e.contactCreated, e.contactCreated)).toThrow(CannotFoldError);
    expect(() => fold(e.contactCreated, e.tagsAttached)).toThrow('TagsAttached without its subscription');
  });
});

describe('memberships', () => {
  const fold = (...events: readonly DomainEvent[]) => folded(memberships, examples.contactStream, events);
  const document = { contact_id: 'con_01', list_id: 'lst_01', status: 'Subscribed', tag_ids: [] };

  it('begin with the first status and follow status and tags', () => {
    expect(fold(e.contactCreated, e.subscribed)).toEqual({ 'lst_01/con_01': document });
    expect(fold(e.subscribed, e.unsubscribed)).toEqual({ 'lst_01/con_01': { ...document, status: 'Unsubscribed' } });
    expect(fold(e.subscribed, e.tagsAttached)).toEqual({ 'lst_01/con_01': { ...document, tag_ids: ['tag_01'] } });
    expect(fold(e.subscribed, e.tagsAttached, e.tagsAttached, e.tagsDetached)).toEqual({ 'lst_01/con_01': document });
  });

  it('ignore profile and consent', () => {
    expect(fold(e.profileChanged, e.consentRecorded)).toEqual({});
  });

  it('are poisoned by tags before a status', () => {
    expect(() => fold(e.tagsAttached)).toThrow(CannotFoldError);
    expect(() => fold(e.tagsDetached)).toThrow(CannotFoldError);
  });
});

describe('emails', () => {
  const fold = (...events: readonly DomainEvent[]) =>
    folded(emails, examples.emailStream, [e.emailRequested, ...events])['eml_01'];
  const requested = {
    email_id: 'eml_01',
    stream: examples.emailStream,
    recipient_key: e.emailRequested.data.recipient_key,
    requested_position: examplePosition(1),
    state: 'requested',
    open: true,
    attempts: 0,
    requested_at: exampleTime,
    sent_at: null,
    next_attempt_at: exampleTime,
    open_since: exampleTime,
    last_error: null,
    deadline: null,
    run_id: null,
    kept_since: null,
    erased_at: null,
    bounced: null,
    complained: null,
  };
  const over = { ...requested, attempts: 1, open: false, next_attempt_at: null, open_since: null };

  it('are due at once when requested, and hold no address and no body', () => {
    expect(fold()).toEqual(requested);
  });

  it('are due again at the deadline of a running attempt', () => {
    const { deadline } = e.dispatchStarted.data;
    const sending = { state: 'sending', attempts: 1, deadline, next_attempt_at: deadline, run_id: 'run-1' };
    expect(fold(e.dispatchStarted)).toEqual({ ...requested, ...sending });
  });

  it('end as sent, failed, held or cancelled', () => {
    const after = (event: DomainEvent) => fold(e.dispatchStarted, event);
    expect(after(e.emailSent)).toEqual({ ...over, state: 'sent', sent_at: later(2), kept_since: later(2) });
    expect(after(e.emailFailed)).toEqual({
      ...over,
      state: 'failed',
      last_error: 'smtp_5xx 550 5.1.1',
      kept_since: later(2),
    });
    expect(after(e.emailInDoubtHeld)).toEqual({ ...over, state: 'held', last_error: 'connection_lost' });
    expect(after(e.emailHeld)).toEqual({ ...over, state: 'held', last_error: 'policy' });
    expect(fold(e.emailCancelled)).toEqual({ ...over, attempts: 0, state: 'cancelled', kept_since: later(1) });
  });

  it('are tried again when deferred, in doubt or released', () => {
    const after = (...events: readonly DomainEvent[]) => fold(e.dispatchStarted, ...events);
    const open = { ...requested, attempts: 1 };
    const deferred = { state: 'deferred', last_error: 'smtp_4xx', next_attempt_at: '2026-03-01T10:10:00.000Z' };
    expect(after(e.emailDeferred)).toEqual({ ...open, ...deferred });
    const doubt = { state: 'in_doubt', last_error: 'connection_lost', next_attempt_at: '2026-03-01T10:20:00.000Z' };
    expect(after(e.emailInDoubt)).toEqual({ ...open, ...doubt });
    const released = { state: 'deferred', last_error: 'connection_lost', next_attempt_at: '2026-03-01T11:00:00.000Z' };
    expect(after(e.emailInDoubtHeld, e.emailReleased)).toEqual({ ...open, ...released, open_since: later(3) });
    const reopened = { ...released, last_error: 'smtp_5xx 550 5.1.1', open_since: later(3), kept_since: null };
    expect(after(e.emailFailed, e.emailReopened)).toEqual({ ...open, ...reopened });
  });

  it('tell why they are held, with the codes of the last attempt where these say why', () => {
    const refused: DomainEvent = {
      ...e.emailDeferred,
      data: { ...e.emailDeferred.data, reason: 'policy', smtp_code: 550 },
    };
    expect(fold(e.dispatchStarted, refused, e.emailHeld)).toMatchObject({ last_error: 'policy 550' });
    expect(fold(e.dispatchStarted, e.emailDeferred, e.emailHeld)).toMatchObject({ last_error: 'policy' });
    expect(fold(e.emailHeld)).toMatchObject({ last_error: 'policy', open_since: null });
  });

  it('tell the reason without the codes of the mail server', () => {
    expect(reasonOf({ last_error: 'smtp_5xx 550 5.1.1' })).toBe('smtp_5xx');
    expect(reasonOf({ last_error: 'auth_failed' })).toBe('auth_failed');
    expect(reasonOf({ last_error: null })).toBeUndefined();
  });

  it('are sent by a late EmailSent, and nothing after it changes that', () => {
    const late = fold(e.dispatchStarted, e.emailInDoubt, e.emailSent);
    expect(fold(e.dispatchStarted, e.emailInDoubt, e.emailCancelled, e.emailSent)).toMatchObject({ state: 'sent' });
    expect(late).toMatchObject({ state: 'sent', open: false, next_attempt_at: null, last_error: 'connection_lost' });
    const more = [e.dispatchStarted, e.emailSent, e.emailDeferred, e.emailFailed, e.emailHeld, e.emailReleased];
    expect(fold(e.dispatchStarted, e.emailInDoubt, e.emailSent, ...more)).toEqual(late);
  });

  it('show what was reported of them, whatever became of them', () => {
    const { kind, enhanced_code } = e.emailBounced.data;
    const hard = { at: later(3), verified: true, kind, enhanced_code };
    const sent = fold(e.dispatchStarted, e.emailSent);
    expect(fold(e.dispatchStarted, e.emailSent, e.emailBounced)).toEqual({
      ...sent,
      kept_since: later(3),
      bounced: hard,
    });
    expect(fold(e.dispatchStarted, e.emailSent, e.emailComplained)).toEqual({
      ...sent,
      kept_since: later(3),
      complained: { at: later(3), verified: true },
    });
    const overtaken = fold(e.dispatchStarted, e.emailBounced, e.emailSent);
    expect(overtaken).toEqual({ ...sent, sent_at: later(3), kept_since: later(3), bounced: { ...hard, at: later(2) } });
  });

  it('show an unverified report, which does not prolong how long the content is kept', () => {
    const sent = fold(e.dispatchStarted, e.emailSent);
    const { kind, enhanced_code } = e.emailBounced.data;
    const bounced: DomainEvent = { type: 'EmailBounced', data: { ...e.emailBounced.data, verified: false } };
    expect(fold(e.dispatchStarted, e.emailSent, bounced)).toEqual({
      ...sent,
      bounced: { at: later(3), verified: false, kind, enhanced_code },
    });
    const complained: DomainEvent = { type: 'EmailComplained', data: { ...e.emailComplained.data, verified: false } };
    expect(fold(e.dispatchStarted, e.emailSent, complained)).toEqual({
      ...sent,
      complained: { at: later(3), verified: false },
    });
  });

  it('show the report that says most, of several the first', () => {
    const bounce = (kind: 'hard' | 'other', verified: boolean, enhanced_code?: string): DomainEvent => ({
      type: 'EmailBounced',
      data: {
        ...e.emailBounced.data,
        kind,
        verified,
        enhanced_code,
        report_hash: `${kind}${verified}${enhanced_code}`,
      },
    });
    const bounces = [
      bounce('other', false, '4.4.7'),
      bounce('hard', false),
      bounce('other', true, '4.4.7'),
      bounce('hard', true, '5.1.1'),
      bounce('hard', true, '5.7.1'),
      bounce('other', true),
    ];
    const shown = bounces.map((_, at) => {
      const bounced = fold(e.dispatchStarted, e.emailSent, ...bounces.slice(0, at + 1))?.bounced;
      return [bounced?.kind, bounced?.verified, bounced?.enhanced_code];
    });
    const most = ['hard', true, '5.1.1'];
    expect(shown).toEqual([
      ['other', false, '4.4.7'],
      ['hard', false, null],
      ['other', true, '4.4.7'],
      most,
      most,
      most,
    ]);
    const unproved: DomainEvent = { type: 'EmailComplained', data: { ...e.emailComplained.data, verified: false } };
    expect(fold(e.dispatchStarted, unproved, e.emailComplained, unproved)?.complained).toEqual({
      at: later(3),
      verified: true,
    });
  });

  it('are poisoned by an outcome without request and by a second request', () => {
    expect(() => folded(emails, examples.emailStream, [e.emailSent])).toThrow(CannotFoldError);
    expect(() => fold(e.emailRequested)).toThrow(CannotFoldError);
  });
});
