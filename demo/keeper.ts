/** Does what the service does besides answering requests: keeps the register, folds views, carries out erasures and seals the log, at the times of the demo. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createGrant } from '../src/api/http/auth.js';
import { createKeyUses } from '../src/api/keys/key-uses.js';
import { openViews } from '../src/app/views.js';
import type { CommandContext } from '../src/commands/batch.js';
import { deriveRegisterKey } from '../src/events/streams.js';
import { demandLogId } from '../src/eventstore/log-id.js';
import { openSealKey } from '../src/integrity/seal-store.js';
import { createSealer } from '../src/integrity/sealer.js';
import { openErasures } from '../src/privacy/erasures.js';
import { openRegister } from '../src/recovery/register.js';
import { deploymentOf } from '../src/app/deployment.js';
import { embeddedIn } from '../src/stores/stores.js';
import type { World } from './world.js';

export async function openKeeper(world: World) {
  const { dataDir, folder, log, store, commands, now } = world;
  const deployment = deploymentOf(embeddedIn(folder));
  const { stores } = deployment;
  const config = { dataDir, seals: { copies: undefined }, roles: new Set(['api', 'projector', 'mailer'] as const) };
  const logId = await demandLogId(log);
  const logger = pino({ enabled: false });
  const monotonic = () => performance.now();
  let sealedAt = 0;
  const sealer = createSealer({
    ...{ places: { dataDir, copies: undefined }, every: 0, logId, log: store, tree: store.tree },
    key: openSealKey({ dataDir, seals: { copies: undefined, key: undefined } }, { onMade: () => undefined }),
    known: { newest: undefined, nextSeq: 1, listed: [] },
    ...{ logger, clock: () => sealedAt, monotonic },
  });
  const never = new AbortController().signal;
  const owner = { logId, key: deriveRegisterKey(world.secret) };
  const register = await openRegister({ config, owner, log: store, logger, monotonic });
  let views: ReturnType<typeof startViews> | undefined;

  async function startViews() {
    await log.settled();
    const { knownRefusals } = commands;
    const onLogAltered = (message: string): void => {
      throw new Error(message);
    };
    const opened = await openViews({
      ...{ deployment, store: log, withProjector: true, knownRefusals, logger, onLogAltered },
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

  /** Seals all events. @param final whether this is the seal of an orderly stop */
  async function seal(at: number, final = false): Promise<void> {
    await log.settled();
    sealedAt = at;
    await sealer.seal(await store.frontier(), { final });
  }

  return {
    seal: (at: number): Promise<void> => seal(at),
    async erase(email: string, context: CommandContext): Promise<void> {
      await log.settled();
      const shown = await (views ??= startViews());
      await shown.shown();
      const erasures = await openErasures({
        ...{ config, folder, store: log, register, commands, views: shown, logger, mailer: undefined },
        ...{ openLease: stores.openLease, streamKeys: world.keys, clock: now, monotonic },
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
      await seal(until, true);
      // Writes all lines at once, because each write waits for the disk.
      await register.subscriber.handle('turn', never, never);
      const shown = await (views ??= startViews());
      await shown.shown();
      await shown.close();
      await commands.close();
      await store.close();
      const models = await stores.openReadModels();
      const uses = [...lastRequests].map(([id, lastUsed]) => ({
        ...createGrant({ id, hash: Buffer.alloc(0), scopes: new Set(), until: Infinity }),
        lastUsed,
      }));
      await createKeyUses(models, Date.now).write(uses);
      await models.close();
    },
  };
}
