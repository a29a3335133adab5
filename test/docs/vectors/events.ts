/** The vectors of proofs of one event. */
import { proveEvent } from '../../../src/evidence/event-proof.js';
import { publicKeyOf, type Seal } from '../../../src/evidence/seal.js';
import { formatPosition } from '../../../src/eventstore/sqlite/schema.js';
import { testKey, type Prover } from '../../support/proofs.js';
import { changes } from './case.js';

/** With personal data in it. */
const withPerson = 10;

export async function eventVectors({ log, seal }: Prover): Promise<object> {
  const [early, all] = [await seal(12), await seal()];
  const of = async (ordinal: number, against: Seal, hidden: Parameters<typeof proveEvent>[1]['hidden'] = []) => {
    const event = await log.readAt(formatPosition(ordinal));
    if (event === undefined) throw new Error(`there is no event ${ordinal}`);
    return await proveEvent(log.tree, { event, ordinal, seal: against, hidden });
  };
  const good = await of(withPerson, all);
  const text = JSON.stringify(good);
  const wrong: Record<string, object> = {
    'the seal of fewer events': { ...good, seal: early },
    'another event of the same log': {
      ...good,
      event: { ...good.event, ...(await of(withPerson + 1, all)).event, path: good.event.path },
    },
    'a seal signed by another key than it names': {
      ...good,
      seal: { ...all, signature: (await seal(undefined, testKey(9))).signature },
    },
    'an event after the seal': { ...good, seal: early, event: (await of(all.count, all)).event },
    'data that are no object': { ...good, event: { ...good.event, data: '[]' } },
    'data with a name twice': { ...good, event: { ...good.event, data: good.event.data.replace('{', '{"person":1,') } },
  };
  return {
    cases: [
      { name: 'a proof', valid: true, text },
      { name: 'of the last event', valid: true, text: JSON.stringify(await of(all.count, all)) },
      {
        name: 'with its seal and its key',
        valid: true,
        of: 'a proof',
        seal: JSON.stringify(all),
        publicKey: all.public_key,
      },
      { name: 'against an early seal', valid: true, text: JSON.stringify(await of(withPerson, early)) },
      {
        name: 'personal data hidden by their digest',
        valid: true,
        text: JSON.stringify(await of(withPerson, all, ['person'])),
      },
      { name: 'indented', valid: true, text: `${JSON.stringify(good, undefined, 2)}\n` },
      { name: 'with another seal', valid: false, of: 'a proof', seal: JSON.stringify(early) },
      { name: 'with another key', valid: false, of: 'a proof', publicKey: publicKeyOf(testKey(9)) },
      ...Object.entries(wrong).map(([name, value]) => ({ name, valid: false, text: JSON.stringify(value) })),
      ...changes('a proof', text, [
        ['its number', /"ordinal":(\d)/, '"ordinal":1$1'],
        ['its revision', '"revision":0', '"revision":1'],
        ['its type', '"type":"', '"type":"X'],
        ['personal data', 'person.2@', 'person.3@'],
        ['its metadata', /actor\\":\\"shop/, String.raw`actor\":\"shqp`],
        ['path', /"path":\["[0-9a-f]{64}"/, `"path":["${'0'.repeat(64)}"`],
        ['path cut', /"path":\["[0-9a-f]{64}",/, '"path":['],
        ['the count of the seal', '"count":', '"count":1'],
        ['a member twice', '"event":', '"event":{},"event":'],
        ['a member that it should not have', '"seal":', '"verified":true,"seal":'],
        ['a member missing', /,"seal":\{[^}]*\}/, ''],
        ['an ordinal that is not in digits', /"ordinal":(\d+)/, '"ordinal":$1.0'],
      ]),
    ],
  };
}
