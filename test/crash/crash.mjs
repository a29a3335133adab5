/** The kill test: 32 clients write, the service is killed at a random moment and started again, and nothing that it promised may be missing. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tally } from './journal.mjs';
import { readOptions, usage } from './options.mjs';
import { createRandom } from './random.mjs';
import { firstStarts, kinds } from './rounds.mjs';
import { createStage } from './stage.mjs';
import { mailSettled, verify, verifyTheChecks } from './verify.mjs';

const shownProblems = 20;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A copy, so that a build meanwhile does not put two versions of the service into one run. It stands where imports find the packages. */
function copyOfBuild() {
  const built = path.join(root, 'dist');
  if (!existsSync(path.join(built, 'main.js'))) throw new Error('there is no build: npm run build');
  const copy = path.join(root, 'node_modules', `.crash-${process.pid}`);
  mkdirSync(copy);
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  cpSync(built, copy, { recursive: true });
  writeFileSync(path.join(copy, 'package.json'), '{"type":"module"}\n');
  return copy;
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

function line(round, kind, { readyMs, events, documents, emails, problems }, counts) {
  const { acked, refused, open, reads, unavailable } = counts;
  const mail = `mail ${emails.sent}/${emails.requested} sent, ${emails.doubted} doubted, ${emails.doubles} twice`;
  return `round ${String(round).padStart(2)} ${kind.padEnd(8)} ready ${readyMs} ms | ${acked} acknowledged, ${refused} refused, ${open} unanswered, ${reads} reads, ${unavailable}x 503 | ${events} events, ${documents} rows | ${mail} | ${problems.length === 0 ? 'ok' : `${problems.length} PROBLEMS`}`;
}

function show(problems) {
  for (const text of problems.slice(0, shownProblems)) console.log(`  - ${text}`);
  if (problems.length > shownProblems) console.log(`  … and ${problems.length - shownProblems} more`);
}

async function main(context) {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(usage);
  console.log(`kill test: ${options.rounds} rounds, --seed ${options.seed}`);
  const random = createRandom(options.seed);
  const order = options.kinds ?? Object.keys(kinds);
  Object.assign(context, { dist: copyOfBuild(), options, random });
  const totals = { acked: 0, refused: 0, open: 0, reads: 0, unavailable: 0, problems: 0 };
  let slowest = 0;
  let stage = await openStage(context);

  const close = async () => {
    const last = await finish(stage);
    totals.problems += last.problems.length;
    show(last.problems);
    const { requested, sent, doubted, waiting, copies, doubles } = last.emails;
    console.log(
      `end: ${last.events} events, ${last.documents} rows of views equal to a fresh fold | ${requested} e-mails: ${sent} sent, ${waiting} waiting in doubt, ${doubted} with a doubt on record, ${doubles} accepted twice, ${copies} copies in all | ${last.problems.length === 0 ? 'ok' : 'PROBLEMS'}`,
    );
    const keep = options.keep || totals.problems > 0;
    if (keep) console.log(`the data folder is kept: ${stage.dataDir}`);
    await stage.close({ keep });
  };

  for (let round = 1; round <= options.rounds; round += 1) {
    const kind = order[(round - 1) % order.length];
    const result = await playRound(stage, kind, round);
    const counts = tally(stage.journal, round);
    for (const name of Object.keys(counts)) if (name in totals) totals[name] += counts[name];
    totals.problems += result.problems.length;
    slowest = Math.max(slowest, result.readyMs);
    console.log(line(round, kind, result, counts));
    show(result.problems);
    if (!options.fresh || round === options.rounds) continue;
    await close();
    stage = await openStage(context);
  }
  await close();
  console.log(
    `${options.rounds} rounds: ${totals.acked} writes acknowledged, ${totals.refused} refused, ${totals.open} unanswered, ${totals.reads} reads, ${totals.unavailable}x 503; slowest start ${slowest} ms; ${totals.problems === 0 ? 'nothing lost, nothing torn' : `${totals.problems} PROBLEMS`}`,
  );
  process.exitCode = totals.problems === 0 ? 0 : 1;
}

const context = {};
main(context).catch((error) => {
  console.error(error);
  if (context.dataDir !== undefined) console.error(`the data folder is kept: ${context.dataDir}`);
  process.exit(1);
});
