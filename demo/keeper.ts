/** What the service does beside the answers to requests: the register of what must not come back, views, erasures and seals, at the times of the demo. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createGrant } from '../src/api/http/auth.js';
import { createKeyUses } from '../src/api/keys/key-uses.js';
import { openViews } from '../src/app/views.js';
import type { CommandContext } from '../src/commands/batch.js';
import { deriveHeadKey, keysStream } from '../src/events/streams.js';
import { firstLink, type ChainHead } from '../src/eventstore/chain.js';
import { demandLogId } from '../src/eventstore/log-id.js';
import { keepSeal, sealsName } from '../src/evidence/seal-folder.js';
import { openSealKey } from '../src/evidence/seal-key.js';
import { sealNow } from '../src/evidence/seal-now.js';
import { keepVerifiedHead } from '../src/evidence/verified-head.js';
import { verifyOn } from '../src/evidence/verify-on.js';
import { openErasures } from '../src/privacy/erasures.js';
import { entriesOfKeys } from '../src/privacy/lasting.js';
import { openRegisters, type Register } from '../src/privacy/register.js';
import { leasesOf } from '../src/stores/own-lease.js';
import { openReadModels, settingsOf } from '../src/stores/stores.js';
import type { World } from './world.js';

export async function openKeeper(world: World) {
  const { dataDir, folder, log, store, commands, now } = world;
  const settings = settingsOf({ eventStore: undefined, mongodb: undefined }, folder);
  const config = { dataDir, seals: { copies: undefined }, roles: new Set(['api', 'projector', 'mailer'] as const) };
  const logId = await demandLogId(log);
  const headKey = deriveHeadKey(world.secret);
  const sealKey = openSealKey({ file: undefined, dataDir }, () => undefined);
  const logger = pino({ enabled: false });
  const monotonic = () => performance.now();
  const never = new AbortController().signal;
  const register = openRegisters(config, logId, () => undefined);
  /** What the register does not have yet: one write for many, because each waits for the disk. */
  let kept: Parameters<Register['keep']>[0][] = [];
  let verified: ChainHead = { count: 0, head: firstLink, position: '' };
  let views: ReturnType<typeof startViews> | undefined;
  commands.keepIn({ keep: (entries) => Promise.resolve(void kept.push(entries)) });

  async function keepAll(): Promise<void> {
    await log.settled();
    const entries = kept.flatMap((some) => [...some]);
    kept = [];
    const { state } = await commands.keys.fresh(keysStream);
    await register.keep([...entries, ...entriesOfKeys(state)]);
  }

  async function startViews() {
    await log.settled();
    const { knownRefusals } = commands;
    const opened = await openViews({
      ...{ settings, store: log, withProjector: true, knownRefusals, headKey: undefined, logger },
      ...{ clock: now, monotonic, newUuid: randomUUID },
    });
    const stop = store.onCommitted(opened.notify);
    return {
      ...opened,
      async shown(): Promise<void> {
        const head = await log.head();
        opened.notify(head);
        while (opened.ownWrites.visiblePosition() < head) await sleep(5);
      },
      async close(): Promise<void> {
        stop();
        await opened.close();
      },
    };
  }

  /** The service verifies what came since the last seal, and seals all of it. */
  async function seal(at: number): Promise<void> {
    await log.settled();
    const outcome = await verifyOn({ log: store, source: store, since: { verified, headKey } });
    if (outcome.difference !== undefined) throw new Error(outcome.difference.message);
    verified = outcome.verified;
    const made = await sealNow({ log: store, source: store.tree, verified, key: sealKey, now: at });
    keepSeal(path.join(dataDir, sealsName), made);
  }

  return {
    seal,
    async erase(email: string, context: CommandContext): Promise<void> {
      await keepAll();
      const shown = await (views ??= startViews());
      await shown.shown();
      const erasures = await openErasures({
        ...{ config, folder, store: log, register, logId, commands, views: shown, logger, mailer: undefined },
        ...{ openLease: leasesOf(settings), streamKeys: world.keys, clock: now, monotonic },
      });
      const { erasure } = await erasures.request({ email, reason: 'asked_by_person' }, context);
      world.takes(1_500);
      const isDone = async () => (await erasures.all()).get(erasure.erasure_id)?.completed !== null;
      while (!(await isDone())) {
        const { work = [] } = (await erasures.eraser?.due(2)) ?? {};
        for (const one of work) await erasures.eraser?.handle(one, never, never);
        if (work.length === 0) await sleep(5);
      }
    },
    /** `lastRequests`: by id of the key, in milliseconds since the epoch. */
    async close(until: number, lastRequests: ReadonlyMap<string, number>): Promise<void> {
      await keepAll();
      await seal(until);
      const shown = await (views ??= startViews());
      await shown.shown();
      await shown.close();
      await commands.close();
      await store.close();
      const models = await openReadModels(settings.views);
      await keepVerifiedHead(models, { ...verified, logId });
      const uses = [...lastRequests].map(([id, lastUsed]) => ({
        ...createGrant({ id, hash: Buffer.alloc(0), scopes: new Set(), until: Infinity }),
        lastUsed,
      }));
      await createKeyUses(models, Date.now).write(uses);
      await models.close();
    },
  };
}
