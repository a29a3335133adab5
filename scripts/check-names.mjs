// npm run names: fails if a file of src exports a name that no other file imports.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Returns the names that a pattern such as `const { version } = …` declares. */
const identifiers = (name) =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (element.name ? identifiers(element.name) : []));

/** Returns the names that a statement declares. A re-export declares none. */
function declared(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => identifiers(name));
  return statement.name ? identifiers(statement.name) : [];
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

const unused = [];
for (const file of globSync('src/**/*.ts').sort())
  for (const statement of parse(file).statements) {
    if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    const names = declared(statement);
    const known = imported.get(file);
    if (!known?.has('*') && !names.some((name) => known?.has(name))) unused.push(`  ${file}: ${names.join(', ')}`);
  }

if (unused.length > 0) {
  console.error(`Exported, but imported by no other file:\n${unused.join('\n')}`);
  process.exitCode = 1;
}
