// One word, one thing: no two files of src export a type of the same name, nor a function or another value: npm run names
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Where each name is declared. A re-export declares nothing; a class is a type and a value. */
const places = { type: new Map(), value: new Map() };

/** `const { version } = …` declares, too. */
const identifiers = (name) =>
  ts.isIdentifier(name) ? [name] : name.elements.flatMap((element) => (element.name ? identifiers(element.name) : []));

function declared(statement) {
  if (ts.isClassDeclaration(statement))
    return [
      ['type', statement.name],
      ['value', statement.name],
    ];
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return [['type', statement.name]];
  if (ts.isFunctionDeclaration(statement)) return [['value', statement.name]];
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name }) => identifiers(name)).map((name) => ['value', name]);
}

for (const file of globSync('src/**/*.ts').sort()) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    for (const [kind, name] of declared(statement)) {
      const files = places[kind].get(name.text) ?? new Set();
      places[kind].set(name.text, files.add(file));
    }
  }
}

const twice = Object.entries(places).flatMap(([kind, names]) =>
  [...names]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `  ${kind} ${name}: ${[...files].join(', ')}`),
);
if (twice.length > 0) {
  console.error(`Exported twice, so that a reader has to ask which one is meant:\n${twice.join('\n')}`);
  process.exitCode = 1;
}
