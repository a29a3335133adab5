/** Loaded into a service before anything else: its time of day is what the test writes into a file, and stands still in between. */
import { openSync, readSync } from 'node:fs';

const file = openSync(process.env.TEST_CLOCK, 'r');
const bytes = Buffer.alloc(8);

function now() {
  readSync(file, bytes, 0, bytes.length, 0);
  return bytes.readDoubleLE(0);
}

Date.now = now;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
});
