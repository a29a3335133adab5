/** Vectors of exports: right exports, altered exports, and the seals beside them, also of logs that were restored from a backup. */
import { digestOf } from '../../../src/eventstore/leaf.js';
import { changes, texts, type Case } from './case.js';
import * as logs from './log.js';
import { grown, linesOf, otherKey, past, resigned, restored, sealOf, textOf, type Log, type Seal } from './log.js';

export const exportVectors = (): { readonly secret: string; readonly cases: readonly Case[] } => ({
  secret: logs.secret,
  cases: [...right(), ...besides(), ...altered(), ...broken(), ...named(), ...ofRestored()],
});

const whole = 'an export';
const lines = linesOf(past);
const text = textOf(lines);
const [all, early] = [sealOf(past), sealOf(past, 6)];

const verdict = (exit: 0 | 1 | 2) => ({ valid: exit === 0, exit });

function right(): readonly Case[] {
  const first = lines.slice(0, 3);
  const wanted: Record<string, string> = {
    [whole]: text,
    'without a line feed at its end': first.join('\n'),
    'with CRLF': first.map((line) => `${line}\r\n`).join(''),
    'of 260 events': textOf(linesOf(grown(past.slice(0, 1), 259))),
  };
  return Object.entries(wanted).map(([name, one]) => ({ name, ...verdict(0), text: one }));
}

type Beside = Pick<Case, 'seals' | 'publicKey'>;
const beside = (...seals: readonly object[]): Beside => ({ seals: texts(...seals) });

function besides(): readonly Case[] {
  const other = resigned(all, {}, otherKey);
  const publicKey = all.public_key;
  const pem = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----\n`;
  const changed = { ...early, sealed_at: '2025-06-01T00:00:00.000Z' };
  const holding: Record<string, Beside> = {
    'its seal': beside(all),
    'a final seal before its end': beside(resigned(early, { final: true })),
    'two seals': beside(early, all),
    'two seals, the newer one first': beside(all, early),
    'one seal twice, by two keys': beside(all, other),
    'two seals of one count with one seq': beside(all, resigned(all, { final: true })),
    'its seal and the key': { ...beside(all), publicKey },
    'its seal and the key in PEM': { ...beside(all), publicKey: pem },
    'its seal and the key, with a line feed': { ...beside(all), publicKey: `${publicKey}\n` },
  };
  const wrong: Record<string, Beside> = {
    'a seal of another log': beside(resigned(all, { log_id: 'another-log' })),
    'a seal of more events': beside(resigned(all, { count: all.count + 1 })),
    'a seal with another root': beside(resigned(all, { root: early.root })),
    'a seal that counts a restore': beside(resigned(all, { restores: 1 })),
    'a seal that holds and one that does not': beside(early, resigned(all, { root: early.root })),
    'a seal that was altered': beside(changed),
    'a seal that holds and one that was altered': beside(all, changed),
    'a seal by another key than the expected one': { ...beside(other), publicKey },
    'two seals, one by another key than the expected one': { ...beside(all, other), publicKey },
    'a seal with a member that it should not have': beside({ ...all, verified: true }),
  };
  const unusable: Record<string, Beside> = {
    'a key and no seal': { publicKey },
    'a text that is not a key': { ...beside(all), publicKey: 'no key' },
    'a key with something after it': { ...beside(all), publicKey: `${publicKey}MCow` },
    'a key without its padding': { ...beside(all), publicKey: publicKey.slice(0, -1) },
    'a text that is not a key, and a seal that was altered': { ...beside(changed), publicKey: 'no key' },
    'an object that is not a seal': beside({}),
    'a seal that is not JSON': { seals: ['seal'] },
    'a seal of format 1': beside(earlierSeal),
    'a seal of another format': beside({ ...all, format: 'audience-ledger-seal/3' }),
    'a seal with a byte order mark': { seals: [`\ufeff${JSON.stringify(all)}`] },
    'an export in place of a seal': { seals: [lines[0] ?? ''] },
  };
  const cases = (given: Record<string, Beside>, exit: 0 | 1 | 2): readonly Case[] =>
    Object.entries(given).map(([name, one]) => ({ name: `${whole}: ${name}`, ...verdict(exit), of: whole, ...one }));
  return [
    ...cases(holding, 0),
    ...cases(wrong, 1),
    ...cases(unusable, 2),
    { name: 'a seal in its place', ...verdict(2), text: JSON.stringify(all) },
    { name: 'a file of another format', ...verdict(2), text: '{"format":"another/1"}' },
    { name: 'no lines', ...verdict(2), text: '' },
    { name: 'no lines: its seal', ...verdict(1), text: '', ...beside(all) },
  ];
}

const zeros = '0'.repeat(64);
const earlierSeal = logs.signed({
  ...{ format: 'audience-ledger-seal/1', log_id: logs.logId, count: past.length, position: '20', event_id: 'x' },
  ...{ head: zeros, root: all.root, sealed_at: all.sealed_at, public_key: all.public_key },
});

/** Changes of a whole export. Most of them are found only with a seal. */
function altered(): readonly Case[] {
  const last = `${lines.at(-1)}\n`;
  const [person = ''] = /\{"salt"[^}]*\}/.exec(text) ?? [];
  const what: readonly (readonly [name: string, from: string, to: string, alone: 0 | 1, sealed: 0 | 1])[] = [
    ['a line altered', '"actor":"shop"', '"actor":"ada"', 0, 1],
    ['its end cut off', last, '', 0, 1],
    ['another position', '"position":"0', '"position":"1', 0, 0],
    ['a person erased', person, digestOf(person), 0, 0],
    ['a person erased, with the digest in upper case', person, digestOf(person).toUpperCase(), 0, 1],
    ['another log_id', '"log_id":"5', '"log_id":"6', 0, 1],
    ['its first event of another type', '"ServiceInitialised"', '"ServiceInitialized"', 0, 1],
    ['a blank between members', ',"position"', ' , "position"', 0, 0],
    ['a blank before a time', '{"at":', '{"at": ', 0, 1],
    ['an escape in the name of a time', '{"at":', String.raw`{"\u0061t":`, 0, 1],
    ['a blank in data', '"data":{', '"data":{ ', 0, 1],
    ['an escape in a type', '"ServiceI', String.raw`"\u0053erviceI`, 0, 0],
    ['an escape in the name of a member', '"data"', String.raw`"d\u0061ta"`, 0, 0],
    ['a name twice deep in data', '"salt":', '"salt":"0","salt":', 0, 1],
    ['its first line cut off', `${lines[0]}\n`, '', 1, 1],
  ];
  return [
    ...what.flatMap(([name, from, to, alone, sealed]) => [
      { name: `${whole}: ${name}`, ...verdict(alone), of: whole, change: [from, to] as const },
      {
        name: `${whole}: ${name}, with its seal`,
        ...verdict(sealed),
        of: whole,
        change: [from, to] as const,
        ...beside(all),
      },
    ]),
    {
      name: `${whole}: its end cut off, with an older seal`,
      ...verdict(0),
      of: whole,
      change: [last, ''],
      ...beside(early),
    },
    { name: `${whole}: the last line twice`, ...verdict(1), of: whole, change: [last, last + last], ...beside(all) },
  ];
}

/** Each breaks one rule. */
function broken(): readonly Case[] {
  const time = /"at":"([^"]+)"/.exec(lines[1] ?? '')?.[0] ?? '';
  const linked = lines.map((line) => line.replace(/\}$/, `,"chain":"${zeros}"}`));
  const cases = changes(whole, text, [
    ['a revision is missing', '"lists","revision":1', '"lists","revision":2'],
    ['a revision twice', '"lists","revision":1', '"lists","revision":0'],
    ['a stream begins at revision 1', '"lists","revision":0', '"lists","revision":1'],
    ['time runs backwards in a stream', time, time.replace('2026', '2027')],
    ['no time', /"at":"[^"]+"/, '"when":"2026-03-01"'],
    ['a time without milliseconds', /"at":"([^"]+)\.\d{3}Z"/, '"at":"$1Z"'],
    ['a time with an escape', /"at":"([^"]+)Z"/, String.raw`"at":"$1\u005a"`],
    ['a name twice in data', '"log_id":', String.raw`"log\u005fid":"","log_id":`],
    ['a name twice in metadata', '"actor":', String.raw`"\u0061ctor":"ada","actor":`],
    ['a name twice in a line', '"data":', String.raw`"d\u0061ta":{},"data":`],
    ['an ordinal twice', '"ordinal":3,', '"ordinal":2,'],
    ['an ordinal that is not in digits', '"ordinal":3,', '"ordinal":3.0,'],
    ['a revision that is not in digits', '"revision":1,', '"revision":1e0,'],
    ['an ordinal as a text', '"ordinal":3,', '"ordinal":"3",'],
    ['a position as a number', /"position":"0*(\d+)"/, '"position":$1'],
    ['no position', /"position":"\d+",/, ''],
    ['an empty type', /"type":"\w+"/, '"type":""'],
    ['half of a surrogate pair', '"type":"', String.raw`"type":"\ud800`],
    ['data that is a list', /"data":\{[^{}]*\}/, '"data":[]'],
    ['metadata that is a text', /"metadata":\{[^{}]*\}/, '"metadata":"{}"'],
    ['a member that no event has', '"data":', '"cause":"x","data":'],
    ['it says that it ends at a time', '{"ordinal":1,', '{"cut_at":"2026-03-01T00:00:00.000Z","ordinal":1,'],
    ['a format in its first line', '{"ordinal":1,', '{"format":"audience-ledger-proof/2","ordinal":1,'],
    ['a link in its second line', '{"ordinal":2,', `{"chain":"${zeros}","ordinal":2,`],
    ['an empty line', '{"ordinal":2,', '\n{"ordinal":2,'],
    ['an empty line before it', '{"ordinal":1,', '\n{"ordinal":1,'],
    ['something else in the first line', '{"ordinal":1,', 'events\n{"ordinal":1,'],
    ['two events in a line', '\n', ' '],
  ]).map((one) => ({ ...one, exit: 1 }));
  const unusable = changes(whole, text, [
    ['a byte order mark', '{"ordinal":1,', '\ufeff{"ordinal":1,'],
    ['a link in its first line', '{"ordinal":1,', `{"chain":"${zeros}","ordinal":1,`],
  ]).map((one) => ({ ...one, exit: 2 }));
  return [
    ...cases,
    ...unusable,
    { name: 'an export with links, of an earlier version', ...verdict(2), text: textOf(linked.slice(0, 3)) },
    { name: 'an empty line and nothing else', ...verdict(1), text: '\n' },
    { name: 'something else', ...verdict(1), text: 'events' },
    { name: 'an empty line at its end', ...verdict(1), text: `${textOf(lines.slice(0, 2))}\n` },
  ];
}

/** The name of a log is in its first event, if that has the right type. */
function named(): readonly Case[] {
  const nameless = logs.append([], { stream: 'service', type: 'ServiceStarted', data: { log_id: logs.logId } });
  return [
    { name: 'one event', ...verdict(0), text: textOf(lines.slice(0, 1)), ...beside(sealOf(past, 1)) },
    { name: 'one event of another type', ...verdict(1), text: textOf(linesOf(nameless)), ...beside(sealOf(nameless)) },
  ];
}

/** Seals of logs that were restored from a backup. */
function ofRestored(): readonly Case[] {
  return [...onceRestored(), ...oftenRestored(), ...wronglyRestored()];
}

const rooted = (seal: Seal, change: object = {}): Seal => resigned(seal, { root: 'a'.repeat(64), ...change });
const exportOf = (name: string, log: Log, exit: 0 | 1 = 0): Case => ({
  name,
  ...verdict(exit),
  text: textOf(linesOf(log)),
});
const sealed = (of: string, name: string, seals: readonly Seal[], excused?: number): Case => ({
  ...{ name: `${of}: ${name}`, ...verdict(excused === undefined ? 1 : 0), of, seals: texts(...seals) },
  ...(excused === undefined || excused === 0 ? {} : { excused }),
});

/** A backup of 12 events, and seals of the log that went on to 20. */
function onceRestored(): readonly Case[] {
  const log = grown(restored(past, 12, { superseded: all }), 5);
  const of = 'a restored log';
  const removed = sealOf(past, 16);
  return [
    exportOf(of, log),
    sealed(of, 'a seal before the backup', [early], 0),
    sealed(of, 'the seal of the backup', [sealOf(past, 12)], 0),
    sealed(of, 'a seal after the restore', [sealOf(log)], 0),
    sealed(of, 'a seal of removed events', [removed], 1),
    sealed(of, 'a seal of more events than it has', [all], 1),
    sealed(of, 'seals before, between and after', [early, removed, sealOf(log)], 1),
    sealed(of, 'two seals of removed events', [removed, all], 2),
    sealed(
      of,
      'a seal of removed events, of a later time than the restore',
      [...[resigned(removed, { sealed_at: '2027-01-01T00:00:00.000Z' })]],
      1,
    ),
    sealed(of, 'a seal of removed events, and one that does not hold', [removed, rooted(early)]),
    sealed(of, 'a seal of as many events as the backup, with another root', [rooted(sealOf(past, 12))]),
    sealed(of, 'a seal before the backup, with another root', [rooted(early)]),
    sealed(of, 'a seal after the restore, with another root', [rooted(sealOf(log))]),
    sealed(of, 'a seal after the restore, of more events than it has', [resigned(sealOf(log), { count: 30 })]),
    sealed(of, 'a seal of more restores than it has', [rooted(sealOf(log), { restores: 2 })]),
    sealed(of, 'a seal before the backup that counts a restore', [resigned(early, { restores: 1 })]),
    sealed(of, 'a seal of removed events of another log', [resigned(removed, { log_id: 'another-log' })]),
  ];
}

/** A second restore excuses seals of its own; two records in one append excuse seals of both histories. */
function oftenRestored(): readonly Case[] {
  const once = grown(restored(past, 12, { superseded: all }), 4);
  const again = grown(restored(once, 14, { superseded: sealOf(once) }), 2);
  const twice = 'a log that was restored twice';
  const back = grown(restored(past, 8, { superseded: sealOf(again), times: 2 }), 3);
  const atOnce = 'a log that was restored from a backup of before an earlier restore';
  const shorter = grown(restored(past, 8, { superseded: all }), 3);
  const longer = grown(restored(past, 16, { superseded: sealOf(shorter), times: 2 }), 3);
  const after = 'a log that was restored from a backup that is longer than that of an earlier restore';
  const nothing = grown(restored(past, 12), 3);
  return [
    exportOf(twice, again),
    sealed(twice, 'a seal of events that the first restore removed', [all], 1),
    sealed(twice, 'a seal between the counts of both, of before the first', [rooted(sealOf(past, 13))], 1),
    sealed(twice, 'a seal of events that the second restore removed', [sealOf(once)], 1),
    sealed(twice, 'a seal between both that does not match', [rooted(sealOf(once, 14))]),
    sealed(twice, 'a seal after both', [sealOf(again)], 0),
    exportOf(atOnce, back),
    sealed(atOnce, 'seals of all histories', [early, all, sealOf(once), sealOf(again, 14), sealOf(back)], 3),
    sealed(atOnce, 'a seal of two restores that it does not have', [sealOf(again)]),
    exportOf(after, longer),
    sealed(after, 'a seal of the earlier restore, of fewer events than the backup', [sealOf(shorter)], 1),
    sealed(after, 'seals of all histories', [early, all, sealOf(shorter, 9), sealOf(longer)], 2),
    sealed(after, 'a seal of before the earlier restore, with another root', [rooted(sealOf(past, 10))]),
    exportOf('a restored log without a superseded seal', nothing),
    sealed('a restored log without a superseded seal', 'a seal of removed events', [all], 1),
  ];
}

/** Records of a restore that were altered, and records that excuse nothing. */
function wronglyRestored(): readonly Case[] {
  const cases: Case[] = [];
  const refused: Record<string, object> = {
    'the root of more events': { root: sealOf(past, 13).root },
    'fewer events than its root': { count: 11 },
    'as many events as come before it, itself included': { count: 13 },
    'more events than it has': { count: 1_000 },
  };
  for (const [name, change] of Object.entries(refused))
    cases.push(
      exportOf(`a restore that records ${name}`, grown(restored(past, 12, { superseded: all, change }), 2), 1),
    );
  const empty: Record<string, object> = {
    'without a MAC': { mac: undefined },
    'with a MAC in upper case': { mac: 'A'.repeat(64) },
    'with a MAC that is too short': { mac: 'a'.repeat(63) },
    'without a root': { root: undefined },
    'with a root that is null': { root: null },
    'with a MAC that is null': { mac: null },
    'without superseded': { superseded: undefined },
    'with a superseded seal without a root': { superseded: { count: 20 } },
    'with a count that is a text': { count: '12' },
    'with a count of 0': { count: 0 },
  };
  const excusing: Record<string, Log> = Object.fromEntries(
    Object.entries(empty).map(([name, change]) => [name, restored(past, 12, { superseded: all, change })]),
  );
  const head = { stream: 'service', type: 'LogRestored', data: { count: 12, head: zeros } };
  excusing['of version 1'] = logs.append(past.slice(0, 12), head);
  for (const [name, log] of Object.entries(excusing)) {
    const of = `a record of a restore ${name}`;
    cases.push(exportOf(of, grown(log, 2)), sealed(of, 'a seal after it', [sealOf(grown(log, 2))], 0));
    cases.push(sealed(of, 'a seal of removed events', [all]));
  }
  cases.push(...excusingHowever());
  const elsewhere = grown(
    logs.append(past.slice(0, 12), {
      ...head,
      stream: 'groups',
      data: { ...head.data, root: all.root, superseded: null, mac: zeros },
    }),
    2,
  );
  const of = 'a record of a restore in another stream, which is none';
  return [...cases, exportOf(of, elsewhere), sealed(of, 'a seal of removed events', [all])];
}

/** Records that excuse a seal although they are written in another way than the service writes them. */
function excusingHowever(): readonly Case[] {
  const log = restored(past, 12, { superseded: all });
  const lastWith = (change: (entry: logs.Entry) => Partial<logs.Entry>): Log =>
    log.map((entry, index) => (index < 12 ? entry : { ...entry, ...change(entry) }));
  const numbered = (text: string): Log =>
    lastWith(({ data }) => ({ data: data.replace('"count":12', `"count":${text}`) }));
  const written: Record<string, Log> = {
    'with a count with a point': numbered('12.0'),
    'with a count with an exponent': numbered('1.2e1'),
    'with a count that rounds to a whole number': numbered('12.00000000000000000001'),
    'with two counts of the superseded seal': lastWith(({ data }) => ({
      data: data.replace('"superseded":{', '"superseded":{"count":"",'),
    })),
    'with the version 1 in its metadata': lastWith(() => ({ metadata: logs.metadataOf(13, 1) })),
    'with the version 3 in its metadata': lastWith(() => ({ metadata: logs.metadataOf(13, 3) })),
    'with metadata that has only a time': lastWith(() => ({ metadata: '{"at":"2026-03-01T00:13:13.013Z"}' })),
    'with a day that does not exist': lastWith(() => ({ metadata: '{"at":"2026-03-99T00:13:13.013Z"}' })),
  };
  return Object.entries(written).flatMap(([name, one]) => {
    const of = `a record of a restore ${name}`;
    return [exportOf(of, one), sealed(of, 'a seal of removed events', [all], 1)];
  });
}
