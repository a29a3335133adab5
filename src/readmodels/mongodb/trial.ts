/** Tries in a scratch collection what the service will need of a MongoDB: each right, and what the design rests on. */
import { randomUUID } from 'node:crypto';
import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection, type Db } from 'mongodb';
import { answeredWithin, describeError, isDuplicate, isServerRefusal, NoAnswerError } from './client.js';
import { ReadModelsUnavailableError } from '../read-models.js';

/** What answers there does not do what MongoDB does. */
export class LookAlikeError extends Error {
  override readonly name = 'LookAlikeError';
}

/** The user lacks a right. */
export class MissingRightError extends Error {
  override readonly name = 'MissingRightError';
}

interface Scratch {
  readonly _id: string;
  readonly position: number;
}

/** As many documents as one write of the service has. */
const many = 1_000;
const racers = 4;
const rounds = 5;

/** `timeout`: milliseconds for each step. @throws LookAlikeError @throws MissingRightError @throws ReadModelsUnavailableError or the driver's errors */
export async function tryOut(db: Db, timeout: number): Promise<void> {
  const scratch = db.collection<Scratch>(`start_check_${randomUUID()}`);
  const step = (what: string, action: () => Promise<unknown>): Promise<void> => attempt({ what, timeout }, action);
  try {
    await step('createIndex', () => scratch.createIndex({ position: 1, _id: 1 }));
    await step('insert', () => scratch.insertOne({ _id: 'one', position: 1 }));
    await step('find', () => scratch.findOne({ _id: 'one' }));
    await step('update', () => loseReplace(scratch));
    await step('insert', () => loseInsert(scratch));
    await step('listCollections', () => db.listCollections({}, { nameOnly: true }).toArray());
    await step('update', () => race(scratch));
    await step('insert', () => insertMany(scratch));
    await step('update', () => replaceMany(scratch));
  } catch (error) {
    await answeredWithin(timeout, () => scratch.drop()).catch(() => undefined);
    throw error;
  }
  await step('dropCollection', () => scratch.drop());
}

/** @throws MissingRightError that names what it was, as MongoDB calls it */
async function attempt(
  { what, timeout }: { readonly what: string; readonly timeout: number },
  action: () => Promise<unknown>,
): Promise<void> {
  try {
    await answeredWithin(timeout, action);
  } catch (error) {
    if (isServerRefusal(error)) throw new MissingRightError(`the right ${what} is missing (${describeError(error)})`);
    if (error instanceof NoAnswerError) throw new ReadModelsUnavailableError(`${error.message} to a try of ${what}`);
    throw error;
  }
}

function demand(isSo: boolean, fault: string): void {
  if (!isSo) throw new LookAlikeError(`it does not do what MongoDB does: ${fault}`);
}

async function loseReplace(scratch: Collection<Scratch>): Promise<void> {
  const lost = await scratch.replaceOne({ _id: 'one', position: 7 }, { position: 8 });
  demand(lost.matchedCount === 0, 'a guarded write that must lose won');
}

async function loseInsert(scratch: Collection<Scratch>): Promise<void> {
  try {
    await scratch.insertOne({ _id: 'one', position: 2 });
  } catch (error) {
    if (isDuplicate(error)) return;
    throw error;
  }
  demand(false, 'it took a second document of the same _id');
}

/** As for a lease. */
async function race(scratch: Collection<Scratch>): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const free = { _id: 'one', position: round };
    const take = () => scratch.findOneAndUpdate(free, { $inc: { position: 1 } });
    const won = (await Promise.all(Array.from({ length: racers }, take))).filter((taken) => taken !== null);
    demand(won.length === 1, `of ${racers} who wanted one lease, ${won.length} had it`);
  }
}

const inBulk = (scratch: Collection<Scratch>, operation: (at: number) => AnyBulkWriteOperation<Scratch>) =>
  scratch.bulkWrite(
    Array.from({ length: many }, (_, at) => operation(at)),
    { ordered: false },
  );

/** The first of them is there: the others must not suffer. */
async function insertMany(scratch: Collection<Scratch>): Promise<void> {
  const insert = (at: number) => ({ insertOne: { document: { _id: at === 0 ? 'one' : `many-${at}`, position: 1 } } });
  let insertedCount: number | undefined;
  let codes: readonly unknown[] = [];
  try {
    ({ insertedCount } = await inBulk(scratch, insert));
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    ({ insertedCount } = error);
    codes = [error.writeErrors].flat().map(({ code }) => code);
  }
  const isFit = insertedCount === many - 1 && codes.length === 1 && codes[0] === 11_000;
  demand(isFit, `of ${many} documents, one of which was there, it took ${insertedCount}`);
}

async function replaceMany(scratch: Collection<Scratch>): Promise<void> {
  const replace = (at: number) => ({
    replaceOne: { filter: { _id: `many-${at}`, position: 1 }, replacement: { position: 2 } },
  });
  const { matchedCount } = await inBulk(scratch, replace);
  demand(matchedCount === many - 1, `of ${many - 1} guarded writes that must win, ${matchedCount} won`);
}
