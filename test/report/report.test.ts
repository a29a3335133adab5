/** The report on one person: the facts, and the page that shows them to somebody who trusts nobody. */
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/report/report-answer.js';
import { createReport, type ReportRequest, type ReportSources } from '../../src/report/report.js';
import { consentRow, reportPage } from '../../src/report/report-page.js';
import { createSeal } from '../../src/integrity/seal.js';
import type { DomainEvent } from '../../src/events/codec.js';
import { exampleEvents as e, examples, exampleSalt } from '../support/examples.js';
import { answerTime, auditedLog, contactStream, second, type AuditedLog } from '../support/auditing.js';
import { testKey } from '../support/proofs.js';

const { list, otherList, contact_id } = examples;

const withConsent = (type: 'ContactSubscribed' | 'ContactUnsubscribed', consent: object): DomainEvent => ({
  type,
  data: {
    contact_id,
    ...list,
    previous_status: type === 'ContactSubscribed' ? null : 'Subscribed',
    person: { salt: exampleSalt, consent },
  },
});

const about = {
  seals: { holding: [], failing: undefined, demandInTree: async () => await Promise.resolve(Infinity) },
  tree: { ordinalsAt: (positions: readonly string[]) => Promise.resolve(positions.map(Number)) },
} satisfies Omit<ReportSources, 'audit'>;

const report = (log: AuditedLog, request: Partial<ReportRequest> = {}): Promise<Report> =>
  createReport(
    { ...about, audit: log.audit },
    { contact: 'Ada@example.com', stream: contactStream, time: second(59), askedBy: 'cli', ...request },
  );

describe('the answer in one sentence', () => {
  test.for<[string, DomainEvent[], Partial<ReportRequest>]>([
    [
      `At ${second(59)} Ada@example.com was subscribed to the list “Newsletter”, since ${second(1)}.`,
      [e.subscribed],
      { list: list.list_id },
    ],
    [
      `At ${second(59)} Ada@example.com was Unsubscribed in the list “Newsletter”, since ${second(1)}.`,
      [e.subscribed, e.unsubscribed],
      { list: list.list_id },
    ],
    [
      `At ${second(59)} Ada@example.com was subscribed to the list “Newsletter”, since ${second(1)}.`,
      [e.subscribed],
      {},
    ],
    [`At ${second(59)} Ada@example.com was in no list.`, [], {}],
    [`At ${second(0)} there was no contact Ada@example.com.`, [e.subscribed], { time: second(0) }],
  ])('%s', async ([sentence, events, request]) => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.otherListCreated);
    await log.at(1, e.contactCreated, ...events);
    expect((await report(log, request)).answer).toBe(sentence);
  });

  test('before the contact came into the list', async () => {
    const log = await auditedLog();
    await log.at(0, e.otherListCreated, e.contactCreated);
    await log.at(2, { ...e.subscribed, data: { contact_id, ...otherList, previous_status: null } });
    const { answer } = await report(log, { list: otherList.list_id, time: second(1) });
    expect(answer).toBe(`At ${second(1)} Ada@example.com was not in the list “${otherList.list_name}”.`);
  });
});

describe('the facts', () => {
  test('every event has its number; the question, the log and what is not proven stand beside them', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    await log.at(1, e.contactCreated, e.subscribed);
    const made = await report(log, { list: list.list_id });
    expect(made.history.map(({ event, ordinal }) => [event.type, ordinal])).toEqual([['ContactSubscribed', 3]]);
    expect(made.question).toEqual({
      contact: 'Ada@example.com',
      list_id: list.list_id,
      time: second(59),
      asked_by: 'cli',
    });
    expect(made.contact).toMatchObject({ count: 3, seal: null });
    expect(made.seal).toBeNull();
    expect(made.not_proven.length).toBeGreaterThan(3);
  });

  test('a history of many pages is there as a whole', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    await log.at(1, e.contactCreated);
    for (let number = 0; number < 300; number += 1) await log.at(2, e.subscribed, e.unsubscribed);
    expect((await report(log, { limit: 601 })).history).toHaveLength(601);
    await expect(report(log, { limit: 600 })).rejects.toMatchObject({ code: 'too_many_events' });
  });

  test('without a time it is as the log is now', async () => {
    const log = await auditedLog();
    await log.at(0, e.contactCreated);
    expect((await report(log, { time: undefined })).question.time).toBe(new Date(answerTime).toISOString());
  });

  test('e-mails stand beside the changes, each with what happened last', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
    for (const [number, event] of [e.emailRequested, e.dispatchStarted, e.emailDeferred, e.emailFailed].entries())
      await log.append(`email-${'1'.repeat(32)}`, event, { at: second(number) });
    for (const list_ of [undefined, list.list_id]) {
      const { history, emails, emails_until } = await report(log, { list: list_ });
      expect(history.map(({ event }) => event.type)).not.toContain('EmailRequested');
      expect(emails).toEqual([
        {
          email_id: examples.email_id,
          requested_at: second(0),
          subject: 'Hello',
          outcome: 'The e-mail was given up (smtp_5xx).',
          outcome_at: second(3),
        },
      ]);
      expect(emails_until).toBe(await log.store.head());
    }
  });

  test('there is none of somebody unknown', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    await expect(report(log)).rejects.toMatchObject({ code: 'no_such_contact' });
  });
});

describe('the page', () => {
  const statement = 'Yes,\n  send me <b>news</b>.\n\nنعم، أرسلوا لي';

  async function page(consent: object, type: 'ContactSubscribed' | 'ContactUnsubscribed' = 'ContactSubscribed') {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    await log.at(
      1,
      e.contactCreated,
      ...(type === 'ContactUnsubscribed' ? [e.subscribed] : []),
      withConsent(type, consent),
    );
    return reportPage(await report(log));
  }

  test('of a consent all is told, and what is new to the page, under its own name', () => {
    const known = { source: 'form', ip: '203.0.113.7', legal_basis: 'consent', occurred_at: second(1) };
    const consent = { ...known, double_opt_in: 'e-mail 7', statement: 'Yes' };
    const rows = (type: string) => consentRow(consent, { type }).rows.map(({ name, value }) => [name, value]);
    const rest = [
      ['from', '203.0.113.7'],
      ['double opt in', 'e-mail 7'],
    ];
    expect(rows('ConsentRecorded')).toEqual([
      ['given at', second(1)],
      ['source', 'form'],
      ['legal basis', 'consent'],
      ...rest,
    ]);
    expect(rows('ContactUnsubscribed')).toEqual([
      ['said at', second(1)],
      ['source', 'form'],
      ['legal basis that it concerns', 'consent'],
      ...rest,
    ]);
  });

  test('a consent stands there word for word, line breaks and all', async () => {
    const html = await page({
      source: 'signup form',
      legal_basis: 'consent',
      statement,
      ip: '203.0.113.7',
      occurred_at: second(1),
    });
    expect(html).toContain(
      '<blockquote dir="auto">Yes,\n  send me &lt;b&gt;news&lt;&#x2F;b&gt;.\n\nنعم، أرسلوا لي</blockquote>',
    );
    for (const fact of ['signup form', 'legal basis', '203.0.113.7', second(1)]) expect(html).toContain(fact);
    expect(html).not.toContain('Withdrawal');
  });

  test('what came after the time is marked off, an address keeps its lines, the seal its root, and verify.mjs a place', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    const person = { salt: exampleSalt, email: 'Ada@example.com', address: '1 Long Street\nSecond floor' };
    await log.at(1, { type: 'ContactCreated', data: { contact_id, person } }, e.subscribed);
    await log.at(5, e.unsubscribed);
    const root = 'cd'.repeat(32);
    const { store } = log;
    const holding = [3, 4, 5].map((count) =>
      createSeal({ log_id: 'log', seq: count, restores: 0, count, root, final: false }, testKey(7), count * 1_000),
    );
    const sources = {
      tree: store.tree,
      audit: log.audit,
      seals: { ...about.seals, holding, demandInTree: async () => 4 },
    };
    const asked = { contact: 'Ada@example.com', stream: contactStream, time: second(2), askedBy: 'cli' };
    const html = reportPage(await createReport(sources, asked));
    const rows = html.split('<li>').filter((row) => row.includes('class="where"'));
    expect(rows.map((row) => row.includes('after the time that was asked for'))).toEqual([false, false, true]);
    expect(html).toContain('<bdi>1 Long Street\nSecond floor</bdi>');
    expect(html).toMatch(/bdi \{[^}]*white-space: pre-wrap/);
    // The first of these seals that covers all events.
    for (const fact of [
      root,
      '1970-01-01T00:00:04.000Z, 4 events',
      '<code>verify.mjs</code> is one file at the top of the source',
    ])
      expect(html).toContain(fact);
  });

  test('a withdrawal is called so', async () => {
    const html = await page({ source: 'link in an e-mail', ip: '203.0.113.7' }, 'ContactUnsubscribed');
    expect(html).toContain('Unsubscribed from the list &quot;Newsletter&quot;, with the withdrawal of consent.');
    expect(html).toContain(
      'Consent refused or withdrawn: source <bdi>link in an e-mail</bdi>, from <bdi>203.0.113.7</bdi>\n',
    );
  });

  test('tags are in one line, and a seal that does not hold is named before the answer', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
    await log.at(1, e.tagsAttached, e.profileChanged);
    const made = await report(log);
    const seal = {
      ...{ seq: 1, restores: 0, count: 5, root: 'ab'.repeat(32), sealed_at: second(1) },
      key_fingerprint: 'cd'.repeat(32),
    };
    const html = reportPage({ ...made, seal, failing_seal: { count: 2, sealed_at: second(0), reason: 'of the test' } });
    expect(html).toMatch(/<dt>tags<\/dt><dd><bdi>[^\n]+<\/bdi><\/dd>/);
    expect(html).toMatch(/does NOT hold:<\/strong> of the test[^]*class="answer"/);
    expect(html).toContain('--seal seal.json');
    expect(reportPage(made)).not.toMatch(/seal\.json|NOT hold/);
    expect(reportPage(made)).toContain('No seal covers every event on this page yet.');
  });

  test('hostile text in every field is text, and the page loads and runs nothing', async () => {
    const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)>{{{statement}}}{{> x}}`;
    const log = await auditedLog();
    await log.at(0, { type: 'ListCreated', data: { list_id: list.list_id, list_name: hostile } });
    const person = { salt: exampleSalt, email: 'ada@example.com', firstName: hostile, address: hostile };
    await log.append(
      contactStream,
      { type: 'ContactCreated', data: { contact_id, person } },
      { at: second(1), actor: hostile, request_id: hostile },
    );
    await log.at(2, {
      ...e.subscribed,
      data: {
        contact_id,
        list_id: list.list_id,
        list_name: hostile,
        previous_status: null,
        person: {
          salt: exampleSalt,
          consent: { source: hostile, statement: hostile, legal_basis: hostile, ip: hostile },
        },
      },
    });
    const message = { ...e.emailRequested.data.message, subject: hostile };
    await log.append(`email-${'1'.repeat(32)}`, { ...e.emailRequested, data: { ...e.emailRequested.data, message } });
    const html = reportPage(await report(log, { contact: hostile, askedBy: hostile }));
    expect(html).not.toMatch(/<(?:script|img|iframe|object|embed|link|form)\b/i);
    expect(html).not.toMatch(/\b(?:src|href|on\w+)\s*=\s*["'][^"']*(?:x|alert)/i);
    expect(html.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThan(12);
    expect(html).toContain(`Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-`);
  });
});
