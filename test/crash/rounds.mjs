/** The kinds of rounds: how the service comes to its end under load, and what happens before it is whole again. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A stop in good order gives running requests and e-mails 10 s each. */
const stopLimitMs = 30_000;

/** Each begins with a service that is ready and ends with one that has just been started. */
export const kinds = {
  async kill(stage) {
    await killUnderLoad(stage, loadTime(stage));
  },

  /** Killed again while it starts, once to three times. */
  async start(stage) {
    await killUnderLoad(stage, loadTime(stage));
    await killWhileStarting(stage, 1 + stage.random.below(3));
  },

  /** SIGTERM under load: everything acknowledged is there, and so is a clean exit. */
  async term(stage) {
    const load = stage.load();
    await sleep(loadTime(stage));
    const { code, signal } = await stage.terminate(stopLimitMs);
    await load.stopped();
    stage.journal.orderly.add(stage.journal.round);
    if (code !== 0) stage.report(`SIGTERM ended in ${signal ?? `exit code ${code}`}`);
  },

  /** Written to and killed before it is ready again: while the views catch up and e-mails of the old run are judged. */
  async catchup(stage) {
    await killUnderLoad(stage, loadTime(stage));
    stage.launch();
    await stage.listening();
    await killUnderLoad(stage, stage.random.between(50, 800));
  },

  /** The views are lost as well. */
  async views(stage) {
    await killUnderLoad(stage, loadTime(stage));
    stage.removeViews();
  },

  async twice(stage) {
    await killUnderLoad(stage, loadTime(stage));
    stage.launch();
    await stage.ready();
    await killUnderLoad(stage, stage.random.between(20, 400));
  },

  /** Killed while it stops in good order. */
  async termkill(stage) {
    const load = stage.load();
    await sleep(loadTime(stage));
    await stage.terminate(stage.random.between(0, 150));
    await load.stopped();
  },

  /** The views are lost, and it is killed while it builds them again. */
  async rebuild(stage) {
    await killUnderLoad(stage, loadTime(stage));
    stage.removeViews();
    await killWhileStarting(stage, 2);
  },
};

/** The very first starts: killed while secret, log and views come into being. */
export async function firstStarts(stage) {
  await killWhileStarting(stage, 3);
}

const loadTime = ({ random, options }) => random.between(Math.min(200, options.loadMs), options.loadMs);

async function killUnderLoad(stage, milliseconds) {
  const load = stage.load();
  await sleep(milliseconds);
  await stage.kill();
  await load.stopped();
}

async function killWhileStarting(stage, times) {
  for (let time = 0; time < times; time += 1) {
    stage.launch();
    await sleep(stage.random.between(0.2, 1.1) * stage.startMs);
    await stage.kill();
  }
}
