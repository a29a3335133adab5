/** The table of limits in docs/operations.md against the constants of the code, both ways. */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { codes, document, rows, section } from '../support/markdown.js';

const text = document('docs/operations.md');
const table = rows(section(text, '## Limits')).map(
  ([what = '', limit = '', variable = '', shows = '', then = '', constant = '']) => ({
    what,
    limit,
    variable: codes(variable)[0],
    shows,
    then,
    constant: codes(constant)[0],
  }),
);
const ofConstants = table.flatMap(({ what, limit, constant }) =>
  constant === undefined ? [] : [{ what, limit, constant }],
);
const ofVariables = table.flatMap(({ what, limit, variable }) =>
  variable === undefined ? [] : [{ what, limit, variable }],
);

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  B: 1,
  KiB: 1024,
  MiB: 1024 * 1024,
};

/** `256 KiB`, `10 s`, `1,000` as the code has it: bytes, milliseconds, a number. */
function numberIn(limit: string): number | undefined {
  const [, digits = '', unit] = /^([\d,.]+)(?: (\w+))?$/.exec(limit) ?? [];
  const factor = unit === undefined ? 1 : units[unit];
  return digits === '' || factor === undefined ? undefined : Number(digits.replaceAll(',', '')) * factor;
}

const parsed = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

/** Every place of a file that gives this name a value: a constant, or a member of an object. */
function valuesOf(source: ts.SourceFile, name: string): readonly ts.Expression[] {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    const gives = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node);
    if (gives && node.name.getText(source) === name && node.initializer !== undefined) found.push(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Undefined where it is no number. */
function evaluated(node: ts.Expression, source: ts.SourceFile): number | undefined {
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isParenthesizedExpression(node)) return evaluated(node.expression, source);
  if (ts.isIdentifier(node)) {
    const [value] = valuesOf(source, node.text);
    return value === undefined ? undefined : evaluated(value, source);
  }
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left, right] = [evaluated(node.left, source), evaluated(node.right, source)];
  if (left === undefined || right === undefined) return undefined;
  if (node.operatorToken.kind === ts.SyntaxKind.AsteriskToken) return left * right;
  return node.operatorToken.kind === ts.SyntaxKind.PlusToken ? left + right : undefined;
}

/** `file: name`, or `file: object.member`. */
function inCode(constant: string): readonly (number | undefined)[] {
  const [file = '', path = ''] = constant.split(': ');
  const source = parsed(file);
  const [name = '', member] = path.split('.');
  const values = valuesOf(source, name);
  if (member === undefined) return values.map((value) => evaluated(value, source));
  return values
    .filter(ts.isObjectLiteralExpression)
    .flatMap(({ properties }) => properties)
    .filter(ts.isPropertyAssignment)
    .filter((property) => property.name.getText(source) === member)
    .map(({ initializer }) => evaluated(initializer, source));
}

describe('the table of limits', () => {
  test('every row says what it is, where it ends, and what happens then; and no limit has two', () => {
    for (const { what, limit, then, variable, constant } of table) {
      expect([what, limit, then], what).not.toContain('');
      expect((variable === undefined) !== (constant === undefined), what).toBe(true);
    }
    const named = table.map(({ variable, constant }) => variable ?? constant);
    expect(named.filter((name, at) => named.indexOf(name) !== at)).toEqual([]);
  });

  test.each(ofConstants)('$what: $limit', ({ limit, constant }) => {
    expect({ constant, values: inCode(constant) }).toEqual({ constant, values: [numberIn(limit)] });
  });

  test.each(ofVariables)('$what: $limit of $variable', ({ limit, variable }) => {
    const settings = ['## Configuration', '### Traces']
      .flatMap((heading) => rows(section(text, heading)))
      .map(([name = '', value = '']) => [codes(name)[0], codes(value)[0]]);
    expect(settings).toContainEqual([variable, limit]);
  });
});

/** How a bound is named in this code. */
const namesABound =
  /^(?:most|max|longest|largest)(?:[A-Z]|$)|^(?!.*look).*(?:Timeout|TimeoutMs|Limit|AtOnce|atOnce|Waiting|LeaseMs)$/;

/** Bounds that nobody meets: sizes of pieces and pages, pauses, and what a command or a message shows. */
const internal: ReadonlySet<string> = new Set([
  'src/doctor/register.ts: mostNamed',
  'src/recovery/after-restore.ts: mostNamed',
  'src/recovery/apply-register.ts: atOnce',
  'src/recovery/compare-registers.ts: mostNumbers',
  'src/recovery/examine-register.ts: mostRead',
  'src/recovery/manifest.ts: mostKeys',
  'src/recovery/register.ts: mostNamed',
  'src/recovery/register.ts: mostStreams',
  'src/eventstore/json-text.ts: mostLayouts',
  'src/integrity/seal-store.ts: mostBytes',
  'src/integrity/sealer.ts: signaturesAtOnce',
  'src/api/http/bulk.ts: atOnce',
  'src/api/http/envelope.ts: maxEchoBytes',
  'src/api/http/parse.ts: longestName',
  'src/api/http/request-headers.ts: mostIgnoredNames',
  'src/api/http/send.ts: restTimeoutMs',
  'src/api/readiness.ts: mostNamed',
  'src/api/schemas/fields.ts: maxBytes',
  'src/api/schemas/parameters.ts: defaultLimit',
  'src/audit/find-list.ts: longestCompared',
  'src/audit/find-list.ts: mostNamed',
  'src/audit/list-at.ts: membersAtOnce',
  'src/audit/list-diff.ts: changesAtOnce',
  'src/bounces/delivery-status.ts: longestDiagnostic',
  'src/bounces/feedback-report.ts: mostSenders',
  'src/bounces/fields.ts: longestValue',
  'src/bounces/read-report.ts: longestTo',
  'src/cli/privacy/status.ts: mostNamed',
  'src/cli/email/report.ts: most',
  'src/cli/keys/keys.ts: longestOverlap',
  'src/cli/shared/in-words.ts: mostNamed',
  'src/cli/shared/service-client.ts: longestProof',
  'src/commands/address.ts: maxNameCharacters',
  'src/commands/batch.ts: maxBytes',
  'src/commands/batch.ts: maxEvents',
  'src/commands/keys.ts: mostExpired',
  'src/commands/contact.ts: refusedAtOnce',
  'src/copy/append.ts: bytesAtOnce',
  'src/copy/rows.ts: atOnce',
  'src/copy/rows.ts: largestBody',
  'src/events/address.ts: maxReceived',
  'src/events/refusal-kind.ts: longestReply',
  'src/doctor/verification.ts: longestVerified',
  'src/events/return-path.ts: longestLocalPart',
  'src/eventstore/eventstoredb/copies.ts: putInAtOnce',
  'src/eventstore/eventstoredb/copies.ts: readsAtOnce',
  'src/eventstore/eventstoredb/redactions.ts: streamsAtOnce',
  'src/eventstore/sqlite/redact.ts: eventsAtOnce',
  'src/integrity/on-servers.ts: mostPauseMs',
  'src/integrity/server-blocks.ts: pagesAtOnce',
  'src/integrity/server-blocks.ts: readsAtOnce',
  'src/export/contacts.ts: streamsAtOnce',
  'src/mailer/hold-restored.ts: atOnce',
  'src/mailer/plain-text.ts: maxIndentations',
  'src/mailer/worklist.ts: atOnce',
  'src/mailer/worklist.ts: longest',
  'src/mailer/worklist.ts: sendingAtOnce',
  'src/privacy/erase.ts: emailsAtOnce',
  'src/projections/compared-text.ts: mostCharacters',
  'src/projections/names.ts: mostHeld',
  'src/projector/batch-delay.ts: mostBehindMs',
  'src/readmodels/read-models.ts: longestLeaseMs',
  'src/readmodels/sqlite/check.ts: rowsAtOnce',
  'src/readmodels/sqlite/scrub.ts: rowsAtOnce',
  'src/rebuild/compare-views.ts: mostListed',
  'src/rebuild/switch.ts: mostMissing',
  'src/stores/catalogues.ts: closeTimeoutMs',
  'src/report/report-answer.ts: mostLivesInSentence',
]);

/** Of an object that bounds a queue. */
const queueMembers: ReadonlySet<string> = new Set(['running', 'waiting', 'patience']);

/** The bounds that a file declares: `name`, or `object.member`. */
function boundsIn(source: ts.SourceFile): readonly string[] {
  const declared = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  return declared.flatMap(({ name, initializer }) => {
    const own = name.getText(source);
    if (initializer === undefined) return [];
    if (!ts.isObjectLiteralExpression(initializer))
      return namesABound.test(own) && evaluated(initializer, source) !== undefined ? [own] : [];
    return initializer.properties
      .filter(ts.isPropertyAssignment)
      .filter((member) => queueMembers.has(member.name.getText(source)))
      .filter((member) => evaluated(member.initializer, source) !== undefined)
      .map((member) => `${own}.${member.name.getText(source)}`);
  });
}

test('every bound of the code is in the table, or is known to be internal', () => {
  const listed = new Set(ofConstants.map(({ constant }) => constant));
  const files = globSync('src/**/*.ts');
  const found = files.flatMap((file) => boundsIn(parsed(file)).map((bound) => `${file}: ${bound}`));
  expect(found.filter((constant) => !listed.has(constant) && !internal.has(constant)).sort()).toEqual([]);
  expect([...internal].filter((constant) => !found.includes(constant))).toEqual([]);
});
