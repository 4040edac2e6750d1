// Lists the public interface of the library for docs/library.md: everything that each part exports, with its signature and
// the first sentence of its description. The list is compared with the document in `npm run docs`, so that no change of the
// interface goes unnoticed.
import path from 'node:path';
import ts from 'typescript';
import { root } from '../scripts/freshness.mjs';
import { parts } from './parts.mjs';

/** Returns the list in Markdown. */
export function libraryList() {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  // Worlds, learners and protocols declare their names in their own folders.
  const files = fileNames.filter((file) => /\/lib\/\w+\.ts$|\/src\/extensions\/\w+\/\w+\/(form|facts)\.ts$/.test(file));
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const errors = exportsOf('errors');
  const lines = parts.flatMap((part) => [
    `### \`cothink/${part}\``,
    '',
    ...exportsOf(part)
      .filter((one) => !errors.some(({ name }) => name === one.name))
      .map(lineOf),
    '',
  ]);
  return [...lines, `Every part also exports the errors ${errors.map(({ name }) => `\`${name}\``).join(', ')}.`].join(
    '\n',
  );

  /** @param {string} part @returns {ts.Symbol[]} sorted: functions and values first, then types */
  function exportsOf(part) {
    const source = /** @type {ts.SourceFile} */ (program.getSourceFile(path.join(root, 'lib', `${part}.ts`)));
    const module = /** @type {ts.Symbol} */ (checker.getSymbolAtLocation(source));
    return checker
      .getExportsOfModule(module)
      .toSorted((a, b) => Number(isType(a)) - Number(isType(b)) || a.name.localeCompare(b.name, 'en'));
  }

  /** @param {ts.Symbol} symbol */
  function original(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  /** @param {ts.Symbol} symbol */
  function isType(symbol) {
    return !(original(symbol).flags & ts.SymbolFlags.Value);
  }

  /** @param {ts.Symbol} symbol @returns {string} */
  function lineOf(symbol) {
    const own = original(symbol);
    const isClass = own.flags & ts.SymbolFlags.Class;
    const members = isClass ? checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(own)) : [];
    const shown = members.filter((one) => sentenceOf(one) !== '' && !isInternal(one));
    const said = sentenceOf(own);
    return [`- \`${signatureOf(own)}\`${said && ` — ${said}`}`, ...shown.map((one) => `  ${lineOf(one)}`)].join('\n');
  }

  /** @param {ts.Symbol} symbol */
  function isInternal(symbol) {
    return symbol.getJsDocTags(checker).some(({ name }) => name === 'internal');
  }

  /** The first sentence of a description. @param {ts.Symbol} symbol */
  function sentenceOf(symbol) {
    const words = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ');
    return /^.*?\.(?= |$)/.exec(words)?.[0] ?? words;
  }

  /** @param {ts.Symbol} symbol */
  function signatureOf(symbol) {
    const { name } = symbol;
    if (isType(symbol)) return `type ${name}`;
    const [declaration] = symbol.declarations ?? [];
    if (!declaration) return name;
    const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
    if (symbol.flags & ts.SymbolFlags.Class) return `class ${name}`;
    const [signature] = type.getCallSignatures();
    if (!signature) return name;
    const given = signature.parameters.map((one) => (one.name.startsWith('__') ? 'options' : one.name));
    return `${name}(${given.join(', ')})`;
  }
}
