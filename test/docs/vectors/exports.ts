/** Exports with what a verifier must say of them: right ones, altered ones, and what may be beside them. */
import { readFileSync } from 'node:fs';
import { digestOf, firstLink, leafOf, linkAfter, toHex } from '../../../src/eventstore/chain.js';
import { exported } from '../../support/exporting.js';
import { memberTexts } from '../../support/json-members.js';
import { testKey, type Prover } from '../../support/proofs.js';
import { resigned } from './signed.js';
import { changes, type Case } from './case.js';

export async function exportVectors({ log, seal }: Prover): Promise<object> {
  const { file } = await exported(log, { what: 'events' });
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n').slice(0, -1);
  const seals = { all: await seal(), early: await seal(6) };
  return {
    cases: [...right(lines), ...besides(text, seals), ...altered(lines, seals), ...broken(lines), ...named(seals)],
  };
}

type Seals = Readonly<Record<'all' | 'early', Awaited<ReturnType<Prover['seal']>>>>;
type Beside = Pick<Case, 'seals' | 'publicKey'>;

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const unlinked = (line: string): string => line.replace(/,"chain":"[0-9a-f]{64}"/, '');
const linked = 'with links';
const bare = 'without links';

/** Every link computed anew. */
function relinked(lines: readonly string[]): readonly string[] {
  let link = firstLink;
  return lines.map((line, index) => {
    const value = JSON.parse(line) as { stream: string; revision: number; event_id: string; type: string };
    const [data = '', metadata = ''] = ['data', 'metadata'].map((name) => memberTexts(line).get(name));
    link = linkAfter(link, index + 1, { ...value, id: value.event_id, data, metadata });
    return line.replace(/"chain":"[0-9a-f]{64}"/, `"chain":"${link}"`);
  });
}

function right(lines: readonly string[]): readonly Case[] {
  const [first = '', second = '', third = ''] = lines;
  const texts: Record<string, string> = {
    [linked]: textOf(lines),
    [bare]: textOf(lines.map(unlinked)),
    'no newline at its end': [first, second, third].join('\n'),
    CRLF: [first, second, third].map((line) => `${line}\r\n`).join(''),
  };
  return Object.entries(texts).map(([name, text]) => ({ name, valid: true, exit: 0, text }));
}

/** What is given beside it. */
function besides(text: string, { all, early }: Seals): readonly Case[] {
  const given = (...some: readonly object[]): Beside => ({ seals: some.map((one) => JSON.stringify(one)) });
  const other = resigned(all, {}, testKey(9));
  const [publicKey, pem] = [
    all.public_key,
    `-----BEGIN PUBLIC KEY-----\n${all.public_key}\n-----END PUBLIC KEY-----\n`,
  ];
  const altered = { ...early, sealed_at: '2025-06-01T00:00:00.000Z' };
  const holding: Record<string, Beside> = {
    'its seal': given(all),
    'two seals': given(early, all),
    'two seals, the newer one first': given(all, early),
    'one seal twice, by two keys': given(all, other),
    'its seal and the key': { ...given(all), publicKey },
    'its seal and the key in PEM': { ...given(all), publicKey: pem },
    'its seal and the key, with a line feed': { ...given(all), publicKey: `${publicKey}\n` },
  };
  const wrong: Record<string, Beside> = {
    'a seal of another log': given(resigned(all, { log_id: 'another-log' })),
    'a seal of more events': given(resigned(all, { count: all.count + 1 })),
    'a seal with another head': given(resigned(all, { head: early.head })),
    'a seal with another root': given(resigned(all, { root: early.root })),
    'a seal that holds and one that does not': given(early, resigned(all, { root: early.root })),
    'a seal that was altered': given(altered),
    'a seal that holds and one that was altered': given(all, altered),
    'a seal by another key than the expected one': { ...given(other), publicKey },
    'two seals, one by another key than the expected one': { ...given(all, other), publicKey },
    'a seal with a member that it should not have': given({ ...all, verified: true }),
  };
  const unusable: Record<string, Beside> = {
    'a key and no seal': { publicKey },
    'a key that is none': { ...given(all), publicKey: 'no key' },
    'a key that is none, and a seal that was altered': { ...given(altered), publicKey: 'no key' },
    'a seal that is none': given({}),
    'a seal that is no JSON': { seals: ['seal'] },
    'a seal of another format': given({ ...all, format: 'audience-ledger-seal/2' }),
    'a seal with a byte order mark': { seals: [`\ufeff${JSON.stringify(all)}`] },
    'an export in place of a seal': { seals: [text.split('\n')[0] ?? ''] },
  };
  const cases = (all: Record<string, Beside>, exit: number): readonly Case[] =>
    Object.entries(all).map(([name, beside]) => ({
      ...{ name: `${linked}: ${name}`, valid: exit === 0, exit, of: linked, ...beside },
    }));
  return [
    ...cases(holding, 0),
    ...cases(wrong, 1),
    ...cases(unusable, 2),
    { name: `${bare}: its seals`, valid: true, exit: 0, of: bare, ...given(early, all) },
    { name: 'a seal in its place', valid: false, exit: 2, text: JSON.stringify(all) },
    { name: 'a file of another format', valid: false, exit: 2, text: '{"format":"another/1"}' },
    { name: 'no lines', valid: false, exit: 2, text: '' },
    { name: 'no lines: its seal', valid: false, exit: 1, text: '', ...given(all) },
  ];
}

/** The name of a log is in its first event, if that is of the right type. */
function named({ all }: Seals): readonly Case[] {
  const [stream, revision, id] = ['service', 0, all.event_id] as const;
  const [data, metadata] = ['{"log_id":"a-log"}', '{"at":"2026-03-01T00:00:00.000Z"}'];
  return (['ServiceInitialised', 'ServiceStarted'] as const).map((type) => {
    const event = { stream, revision, id, type, data, metadata };
    const [head, root] = [linkAfter(firstLink, 1, event), toHex(leafOf(1, event))];
    const seal = resigned(all, { log_id: 'a-log', count: 1, head, root });
    const text = `{"ordinal":1,"position":"1","stream":"${stream}","revision":0,"event_id":"${id}","type":"${type}","data":${data},"metadata":${metadata}}`;
    const valid = type === 'ServiceInitialised';
    return { name: `one event, of type ${type}`, valid, exit: valid ? 0 : 1, text, seals: [JSON.stringify(seal)] };
  });
}

/** What somebody does to a whole export: seals tell of more than links, and these of more than nothing. */
function altered(lines: readonly string[], { all, early }: Seals): readonly Case[] {
  const last = `${lines.at(-1)}\n`;
  const [person = ''] = /\{"salt"[^}]*\}/.exec(lines.join('')) ?? [];
  const forged = (line: string, at: number): string =>
    at < 8 ? line : line.replace('"actor":"shop"', '"actor":"ada"');
  const rewritten = 'rewritten from event 9 on, links included';
  const text = textOf(relinked(lines.map(forged)));
  const change = (of: string, from: string, to: string): Case => ({ name: of, valid: true, of, change: [from, to] });
  const what: readonly (readonly [name: string, base: Case, alone: 0 | 1, sealed: 0 | 1])[] = [
    ['a line altered', change(linked, '"actor":"shop"', '"actor":"ada"'), 1, 1],
    ['a line altered', change(bare, '"actor":"shop"', '"actor":"ada"'), 0, 1],
    ['its end cut off', change(linked, last, ''), 0, 1],
    ['its end cut off', change(bare, unlinked(last), ''), 0, 1],
    ['its first line cut off', change(linked, `${lines[0]}\n`, ''), 1, 1],
    ['another position', change(linked, '"position":"0', '"position":"1'), 0, 0],
    ['a person erased', change(linked, person, digestOf(person)), 0, 0],
    ['a person erased', change(bare, person, digestOf(person)), 0, 0],
    ['a person erased, the digest in upper case', change(linked, person, digestOf(person).toUpperCase()), 1, 1],
    ['another log_id', change(bare, '"log_id":"5', '"log_id":"6'), 0, 1],
    ['no first event that names the log', change(bare, '"ServiceInitialised"', '"ServiceInitialized"'), 0, 1],
    ['a blank between members', change(linked, ',"position"', ' , "position"'), 0, 0],
    ['a blank in data', change(linked, '"data":{', '"data":{ '), 1, 1],
    ['an escape in a type', change(linked, '"ServiceI', String.raw`"\u0053erviceI`), 0, 0],
    ['an escape in the name of a member', change(linked, '"data"', String.raw`"d\u0061ta"`), 0, 0],
    ['a name twice deep in data', change(bare, '"salt":', '"salt":"0","salt":'), 0, 1],
  ];
  const exit = (code: 0 | 1): Pick<Case, 'valid' | 'exit'> => ({ valid: code === 0, exit: code });
  const seals = [JSON.stringify(all)];
  const early6 = JSON.stringify(early);
  return [
    ...what.flatMap(([name, { of = '', ...base }, alone, sealed]) => [
      { ...base, of, name: `${of}: ${name}`, ...exit(alone) },
      { ...base, of, name: `${of}: ${name}, with its seal`, ...exit(sealed), seals },
    ]),
    {
      name: `${linked}: its end cut off, with an older seal`,
      ...exit(0),
      of: linked,
      change: [last, ''],
      seals: [early6],
    },
    { name: rewritten, ...exit(0), text },
    { name: `${rewritten}, with a seal of before`, ...exit(0), of: rewritten, seals: [early6] },
    { name: `${rewritten}, with its seal`, ...exit(1), of: rewritten, seals },
    { name: `${rewritten}, with both seals`, ...exit(1), of: rewritten, seals: [early6, ...seals] },
  ];
}

/** Each breaks one rule that no link tells of, or that lies in the file. */
function broken(lines: readonly string[]): readonly Case[] {
  const text = textOf(lines.map(unlinked));
  const whole = textOf(lines);
  const [second = ''] = lines.slice(1);
  const time = /"at":"([^"]+)"/.exec(second)?.[0] ?? '';
  const gap = relinked(lines.map((line) => line.replace(/"lists","revision":1/, '"lists","revision":3')));
  const early = time.replace('2026', '2027');
  const mixed = unlinked(second);
  const upper = /"chain":"([0-9a-f]+)"/.exec(whole)?.[1] ?? '';
  const cases = [
    ...changes(bare, text, [
      ['a revision is left out', '"lists","revision":1', '"lists","revision":2'],
      ['a revision twice', '"lists","revision":1', '"lists","revision":0'],
      ['a stream begins at revision 1', '"lists","revision":0', '"lists","revision":1'],
      ['time runs backwards in a stream', time, early],
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
      ['it says that it was cut at a time', '{"ordinal":1,', '{"cut_at":"2026-03-01T00:00:00.000Z","ordinal":1,'],
      ['it says what its format is', '{"ordinal":1,', '{"format":"audience-ledger-proof/1","ordinal":1,'],
      ['an empty line', '{"ordinal":2,', '\n{"ordinal":2,'],
      ['an empty line before it', '{"ordinal":1,', '\n{"ordinal":1,'],
      ['something else in the first line', '{"ordinal":1,', 'events\n{"ordinal":1,'],
      ['two events in a line', '\n', ' '],
    ]),
    ...changes(linked, whole, [
      ['a link altered', '"chain":"', '"chain":"0'],
      ['one without a link', second, mixed],
      ['a link that is null', /"chain":"[0-9a-f]+"/, '"chain":null'],
      ['a link in upper case', upper, upper.toUpperCase()],
    ]),
  ];
  return [
    ...cases.map((one) => ({ ...one, exit: 1 })),
    ...changes(bare, text, [['a byte order mark', '{"ordinal":1,', '\ufeff{"ordinal":1,']]).map((one) => ({
      ...one,
      exit: 2,
    })),
    { name: `${bare}: an event with a link`, valid: false, exit: 1, of: bare, change: [mixed, second] },
    { name: `${linked}: a revision is left out, links computed again`, valid: false, exit: 1, text: textOf(gap) },
    { name: 'an empty line and nothing else', valid: false, exit: 1, text: '\n' },
    { name: 'something else', valid: false, exit: 1, text: 'events' },
    {
      name: `${bare}: an empty line at its end`,
      valid: false,
      exit: 1,
      text: `${textOf(lines.slice(0, 2).map(unlinked))}\n`,
    },
  ];
}
