// The English that the page's code says: what stands in `say('…')` and `msg('…')` of components and modules, read from their
// syntax. The German of the page is held against it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'svelte/compiler';

interface Syntax {
  type?: string;
  callee?: Syntax;
  object?: Syntax;
  property?: Syntax;
  name?: string;
  arguments?: Syntax[];
  value?: unknown;
  consequent?: Syntax;
  alternate?: Syntax;
  left?: Syntax;
  right?: Syntax;
  quasis?: unknown[];
}

const sayers = new Set(['say', 'msg']);

/** Texts that an expression may come to. */
function textsOf({ type, value, consequent, alternate, left, right }: Syntax): string[] {
  if (type === 'Literal') return typeof value === 'string' ? [value] : [];
  const branches = type === 'ConditionalExpression' ? [consequent, alternate] : [left, right];
  return type === 'ConditionalExpression' || type === 'LogicalExpression'
    ? branches.flatMap((one) => (one ? textsOf(one) : []))
    : [];
}

function saidIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(saidIn);
  if (typeof node !== 'object' || node === null) return [];
  const { type, callee, arguments: given = [] } = node as Syntax;
  const sayer = callee?.object?.name === 'language' ? callee.property?.name : callee?.name;
  const own = type === 'CallExpression' && sayers.has(sayer ?? '') && given[0] ? textsOf(given[0]) : [];
  return [...own, ...Object.values(node).flatMap(saidIn)];
}

/** Every text that code may say, by the file that says it. */
export function saidEnglish(): Map<string, string[]> {
  const files = ['src/ui', 'src/state', 'src/extensions']
    .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((name) => path.join(room, name)))
    .filter((name) => /\.(svelte|ts)$/.test(name) && !/\.test\.ts$|[/\\]testing[/\\]/.test(name));
  return new Map(
    files.sort().map((name) => {
      const text = readFileSync(name, 'utf8');
      const code = name.endsWith('.svelte') ? text : `<script lang="ts">\n${text}\n</script>`;
      return [name, saidIn(parse(code, { modern: true }))];
    }),
  );
}
