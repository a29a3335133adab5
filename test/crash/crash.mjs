/** The kill test: 32 clients write, the service is killed at a random moment and started again, and nothing that it promised may be missing. */
import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tally } from './journal.mjs';
import { readOptions, usage } from './options.mjs';
import { createRandom } from './random.mjs';
import { showEnd, showRound, showSummary } from './report.mjs';
import { firstStarts, kinds } from './rounds.mjs';
import { createStage } from './stage.mjs';
import { mailSettled, verify, verifyTheChecks } from './verify.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A copy, so that a build meanwhile does not put two versions of the service into one run. It stands where imports find the packages. */
function copyOfBuild() {
  const built = path.join(root, 'dist');
  if (!existsSync(path.join(built, 'main.js'))) throw new Error('there is no build: npm run build');
  const copy = path.join(root, 'node_modules', `.crash-${process.pid}`);
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  cpSync(built, path.join(copy, 'dist'), { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(copy, 'package.json'));
  return path.join(copy, 'dist');
}

async function openStage(context) {
  const stage = await createStage(context);
  context.dataDir = stage.dataDir;
  await firstStarts(stage);
  stage.launch();
  await stage.ready();
  await stage.furnish();
  return stage;
}

async function playRound(stage, kind, round) {
  stage.journal.round = round;
  await kinds[kind](stage);
  stage.launch();
  const readyMs = await stage.ready();
  const verdict = await verify(stage);
  return { ...verdict, problems: [...stage.takeProblems(), ...verdict.problems], readyMs };
}

/** Lets e-mails in doubt be sent again, stops in good order, and looks at everything once more. */
async function finish(stage) {
  const { email, drainMs } = stage.options;
  if (email && drainMs > 0) await mailSettled(stage, drainMs, true);
  const verdict = await verify(stage);
  const { code } = await stage.terminate(30_000);
  if (code !== 0) stage.report(`the last SIGTERM ended in exit code ${code}`);
  return { ...verdict, problems: [...stage.takeProblems(), ...verdict.problems, ...verifyTheChecks(stage)] };
}

async function main(context) {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(usage);
  console.log(`kill test: ${options.rounds} rounds, --seed ${options.seed}`);
  const order = options.kinds ?? Object.keys(kinds);
  Object.assign(context, { dist: copyOfBuild(), options, random: createRandom(options.seed) });
  const totals = { acked: 0, refused: 0, open: 0, reads: 0, unavailable: 0, slowest: 0, problems: 0 };
  let stage = await openStage(context);

  for (let round = 1; round <= options.rounds; round += 1) {
    const kind = order[(round - 1) % order.length];
    const result = await playRound(stage, kind, round);
    const counts = tally(stage.journal, round);
    for (const name of ['acked', 'refused', 'open', 'reads', 'unavailable']) totals[name] += counts[name];
    totals.slowest = Math.max(totals.slowest, result.readyMs);
    totals.problems += result.problems.length;
    showRound({ round, kind, counts }, result);
    if (!options.fresh && round < options.rounds) continue;
    totals.problems += await closeStage(stage, totals.problems > 0);
    if (round < options.rounds) stage = await openStage(context);
  }
  showSummary(options.rounds, totals);
  process.exitCode = totals.problems === 0 ? 0 : 1;
}

/** How many problems there were at the end. The data folder of a run that went wrong is kept. */
async function closeStage(stage, wentWrong) {
  const last = await finish(stage);
  showEnd(last);
  const keep = stage.options.keep || wentWrong || last.problems.length > 0;
  if (keep) console.log(`the data folder is kept: ${stage.dataDir}`);
  await stage.close({ keep });
  return last.problems.length;
}

const context = {};
main(context).catch((error) => {
  console.error(error);
  if (context.dataDir !== undefined) console.error(`the data folder is kept: ${context.dataDir}`);
  process.exit(1);
});
