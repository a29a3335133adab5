/** Cells of a CSV file as fields of a contact: tags in each form that services export, and times. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnsOf, contactLines } from '../../src/copy/contact-columns.js';
import { openTimeZone } from '../../src/copy/local-time.js';

type LineOptions = Parameters<typeof contactLines>[1];

/** Returns the value that is sent for a cell, or the fault of its row. */
function valueOf(field: string, text: string, options: LineOptions = {}): unknown {
  const row = contactLines([field], options)({ line: 2, bytes: 0, cells: [text] });
  if ('fault' in row) return row.fault;
  const { consent, ...contact } = JSON.parse(row.json) as Record<string, Record<string, unknown>>;
  return { ...contact, ...consent }[field.replace('consent.', '')];
}

const tags = (text: string): unknown => valueOf('tag_name', text);

describe('tags', () => {
  test.each([
    ['"VIP","Customer"', ['VIP', 'Customer']],
    ['"VIP"', ['VIP']],
    [' "VIP" , "Berlin, Mitte" ', ['VIP', 'Berlin, Mitte']],
    ['"a ""quoted"" one";"[b]";"c;d"', ['a "quoted" one', '[b]', 'c;d']],
    ['""', []],
    ['["VIP","Customer"]', ['VIP', 'Customer']],
    ['["a, b","c \\"d\\"","[e]","f; g","\\u00fc"]', ['a, b', 'c "d"', '[e]', 'f; g', 'ü']],
    ['[]', []],
    [' [ "VIP" ] ', ['VIP']],
    ['VIP; press;;', ['VIP', 'press']],
    ['Customer, old', ['Customer, old']],
    ['[A] b; c', ['[A] b', 'c']],
  ])('in %s are read', (text, names) => {
    expect(tags(text)).toEqual(names);
  });

  test.each(['[VIP]', "['VIP','Customer']", '[1,2]', '["VIP",["Customer"]]', '["VIP",]', '[A];[B]'])(
    'in %s are refused, because brackets without a JSON array would become part of a name',
    (text) => {
      expect(tags(text)).toBe('tag_name is in brackets, but is not a JSON array of names such as ["VIP","Customer"]');
    },
  );

  test.each(['"VIP', '"VIP"x', '"VIP" "Customer"', '"a\nb","c"\n"d"'])('in %j are refused for the quote', (text) => {
    expect(tags(text)).toBe('tag_name begins with a quote, but is not a list of quoted names such as "VIP","Customer"');
  });

  test('of any names come back as they were, from JSON and from quotes', () => {
    const name = fc
      .string({ unit: fc.constantFrom('a', ',', ';', '"', '[', ']', ' ', '\\', "'", '=', '😀'), minLength: 1 })
      .map((text) => text.trim())
      .filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
        expect(tags(JSON.stringify(names))).toEqual(names);
        expect(tags(names.map((one) => `"${one.replaceAll('"', '""')}"`).join(','))).toEqual(names);
      }),
    );
  });
});

describe('the time of a consent', () => {
  const timeOf = (text: string, zone?: string): unknown =>
    valueOf('consent.occurred_at', text, { timeZone: zone === undefined ? undefined : openTimeZone(zone) });

  test.each([
    ['2024-03-01 10:22:33', 'UTC', '2024-03-01T10:22:33.000Z'],
    ['2024-03-01 10:22:33', 'z', '2024-03-01T10:22:33.000Z'],
    ['2024-03-01T10:22', '+02:00', '2024-03-01T08:22:00.000Z'],
    ['2024-03-01 10:22:33.5', '-0330', '2024-03-01T13:52:33.500Z'],
    ['2024-03-01 10:22:33', '+09', '2024-03-01T01:22:33.000Z'],
    ['2024-03-01 10:22:33', 'Europe/Berlin', '2024-03-01T09:22:33.000Z'],
    ['2024-07-01 00:22:33', 'europe/berlin', '2024-06-30T22:22:33.000Z'],
    // Next to the change of clocks, which is at 01:00 UTC.
    ['2024-03-31 01:59:59.999', 'Europe/Berlin', '2024-03-31T00:59:59.999Z'],
    ['2024-03-31 03:00:00', 'Europe/Berlin', '2024-03-31T01:00:00.000Z'],
    ['2024-10-27 01:59:59', 'Europe/Berlin', '2024-10-26T23:59:59.000Z'],
    ['2024-10-27 03:00:00', 'Europe/Berlin', '2024-10-27T02:00:00.000Z'],
    // Half an hour of summer time.
    ['2024-04-07 01:29:59', 'Australia/Lord_Howe', '2024-04-06T14:29:59.000Z'],
  ])('%s in %s is %s', (text, zone, time) => {
    expect(timeOf(text, zone)).toBe(time);
  });

  test.each([
    ['2024-03-01 10:22:33Z', '2024-03-01T10:22:33.000Z'],
    ['2024-03-01 10:22:33 UTC', '2024-03-01T10:22:33.000Z'],
    ['2024-03-01 10:22:33 +0100', '2024-03-01T10:22:33.000+01:00'],
    ['2024-03-01T10:22:33.123456-05', '2024-03-01T10:22:33.123-05:00'],
    ['2024-03-01T10:22+05:30', '2024-03-01T10:22:00.000+05:30'],
  ])('%s has its own zone', (text, time) => {
    expect(timeOf(text)).toBe(time);
    expect(timeOf(text, 'Europe/Berlin')).toBe(time);
  });

  test.each(['2024-03-01', '2024-02-30 10:22:33', '03/01/2024 10:22', '2024-03-01 10:22 PM', '2024-03-01 24:00'])(
    '%s is left for the service to refuse',
    (text) => {
      expect(timeOf(text, 'UTC')).toBe(text);
      expect(timeOf(text)).toBe(text);
    },
  );

  test('that has no zone ends the import, with the line and the option', () => {
    expect(() => timeOf('2024-03-01 10:22:33')).toThrow(
      /^line 2: consent\.occurred_at is a time without a zone\. Use --time-zone .*UTC/,
    );
  });

  test.each([
    ['2024-03-31 02:00:00', 'Europe/Berlin', /^consent\.occurred_at does not exist in the time zone Europe\/Berlin/],
    ['2024-03-31 02:59:59', 'Europe/Berlin', /does not exist/],
    ['2011-12-30 12:00:00', 'Pacific/Apia', /does not exist/],
    ['2024-10-27 02:00:00', 'Europe/Berlin', /^consent\.occurred_at happened twice .*Add its offset, such as \+02:00/],
    ['2024-10-27 02:59:59', 'Europe/Berlin', /happened twice/],
    ['2024-04-07 01:30:00', 'Australia/Lord_Howe', /happened twice/],
  ])('%s in %s is refused and not guessed', (text, zone, fault) => {
    expect(timeOf(text, zone)).toMatch(fault);
  });

  test.each(['Mars/Olympus', '', '+25:00', '2', 'CEST?'])('%j is no time zone', (zone) => {
    expect(() => openTimeZone(zone)).toThrow('--time-zone must be UTC, an offset such as +02:00, or a name');
  });
});

describe('columns', () => {
  const fieldsOf = (...cells: readonly string[]) =>
    columnsOf({ line: 1, bytes: 0, cells }, { map: [], status: 'Subscribed' });

  test('of Mailchimp and of an export of contacts are known by their names', () => {
    expect(fieldsOf('Email Address', 'First Name', 'Phone Number', 'TAGS', 'LEID')).toEqual([
      ...['email', 'firstName', 'phone', 'tag_name'],
      undefined,
    ]);
    expect(fieldsOf('contact_id', 'email', 'tags')).toEqual([undefined, 'email', 'tag_name']);
  });

  test('with another name for a field do not count if the field has a column of its own', () => {
    expect(fieldsOf('email', 'Email Address', 'tags', 'tag_name')).toEqual(['email', undefined, undefined, 'tag_name']);
    expect(() => fieldsOf('email', 'tags', 'TAGS')).toThrow('line 1: columns 2 and 3 are both tag_name');
  });

  test('named like members of every object are no fields', () => {
    expect(fieldsOf('email', 'constructor', '__proto__')).toEqual(['email', undefined, undefined]);
  });
});
