// npm run names: no two files of src export a type of the same name, nor a function or another value, and none exports
// what no other file imports.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
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

const parse = (file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);

/** The module that a node takes something from, and the names that it takes; `*`: it may take all. */
function importIn(node) {
  if (ts.isImportTypeNode(node)) return { from: node.argument.literal, names: ['*'] };
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return { from: node.arguments[0], names: ['*'] };
  if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return undefined;
  const list = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
  const names = list?.elements?.map(({ propertyName, name }) => (propertyName ?? name).text);
  return { from: node.moduleSpecifier, names: names ?? ['*'] };
}

/** Names by file, as others import them. What is built counts as what it is built from. */
const imported = new Map();

function noteImports(file) {
  const visit = (node) => {
    const { from, names } = importIn(node) ?? {};
    if (from?.text?.startsWith('.')) {
      const to = path
        .join(path.dirname(file), from.text)
        .replace(/\.js$/, '.ts')
        .replace(/^dist\b/, 'src');
      imported.set(to, new Set([...(imported.get(to) ?? []), ...names]));
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
}

for (const file of globSync('{src,test,client,demo,bench,scripts}/**/*.{ts,mjs}')) noteImports(file);

const alone = [];
for (const file of globSync('src/**/*.ts').sort())
  for (const statement of parse(file).statements) {
    if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    const names = declared(statement);
    for (const [kind, name] of names) {
      const files = places[kind].get(name.text) ?? new Set();
      places[kind].set(name.text, files.add(file));
    }
    const known = imported.get(file);
    if (!known?.has('*') && !names.some(([, { text }]) => known?.has(text)))
      alone.push(`  ${file}: ${names.map(([, { text }]) => text).join(', ')}`);
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
if (alone.length > 0) {
  console.error(`Exported, and imported by no other file:\n${alone.join('\n')}`);
  process.exitCode = 1;
}
