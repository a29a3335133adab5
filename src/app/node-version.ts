/** Refuses a Node that lacks `node:sqlite`. Both entry points call this before they load anything that imports it. */

/** As `engines` in package.json. */
export const oldestNode = [24, 15] as const;

/** The message where this Node is too old; undefined where it is recent enough. */
export function whyTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const [wantedMajor, wantedMinor] = oldestNode;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined;
  return `audience-ledger needs Node ${oldestNode.join('.')} or newer, and this is ${version}. The checkout brings its own: npm start, npm run audience, or node_modules/.bin/node`;
}

export function demandNode(): void {
  const reason = whyTooOld(process.version);
  if (reason === undefined) return;
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
