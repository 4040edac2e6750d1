// Reads YAML and keeps the line and column of every value, so that an error message can contain the position. The time
// for reading a text is always limited, because the length and the number of markup characters are checked before the
// YAML library reads the text. Deviation from YAML: aliases and unknown tags are refused, because settings are plain
// values. Deep nesting is refused too.
import * as v from 'valibot';
import {
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  type Node,
  type ParsedNode,
} from 'yaml';
import { ConfigError, FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { quoted, shortened } from '../base/quote.ts';

/**
 * Limits for the length of a text and for its markup. Each limit is ten times as large as a complete run file needs.
 */
const mostLength = 150_000;
const mostLexemes = 14_000;
/** The maximum depth of nested lists and mappings, and the maximum number of list and mapping markers on one line. */
const mostOpen = 64;

export class PlacedYaml {
  readonly root: ParsedNode;
  readonly #lines = new LineCounter();

  /** Throws FormatError, with line and column, if the text is not valid YAML or exceeds the limits above. */
  constructor(text: string) {
    refuseExcess(text);
    const options = { lineCounter: this.#lines, prettyErrors: false, stringKeys: true, uniqueKeys: false } as const;
    const document = parseDocument(text, options);
    const [fault] = [...document.errors, ...document.warnings];
    if (fault)
      throw new FormatError(spoken`${this.#place(fault.pos[0])}: this is not valid YAML: ${shortened(fault.message)}.`);
    if (!document.contents)
      throw new FormatError(spoken`line 1, column 1: expected names with values, but the text is empty.`);
    this.root = document.contents;
  }

  /**
   * The entries of a mapping, by name. A node without a value counts as an empty mapping. Throws FormatError if the
   * node is not a mapping.
   */
  entries(node: Node, what: string): Map<string, Node> {
    if (isScalar(node) && node.value === null) return new Map();
    if (!isMap<Node, Node | null>(node)) throw this.formatError(node, spoken`${what}: expected names with values.`);
    const entries = new Map<string, Node>();
    for (const { key, value } of node.items) {
      if (!isScalar(key)) throw this.formatError(key, spoken`${what}: expected a name.`);
      const name = String(key.value);
      if (!value) throw this.formatError(key, spoken`${shortened(name)}: expected a value, but there is none.`);
      if (entries.has(name))
        throw this.formatError(key, spoken`${what}: ${quoted(name)} occurs here twice; remove one of the two.`);
      entries.set(name, value);
    }
    return entries;
  }

  /** The items of a list. Throws FormatError if the node is not a list. */
  items(node: Node, what: string): Node[] {
    if (!isSeq<Node>(node)) throw this.formatError(node, spoken`${what}: expected a list.`);
    return node.items;
  }

  /** A number, text, flag or null. Throws FormatError if the node is anything else. */
  plain(node: Node, what: string): unknown {
    if (isScalar(node)) return node.value;
    throw this.formatError(node, spoken`${what}: expected a number, a text, true, false or null.`);
  }

  /**
   * A plain value, or a list or mapping of such values, which may be nested. Throws FormatError if the node contains
   * anything else.
   */
  tree(node: Node, what: string): unknown {
    if (isSeq<Node>(node)) return node.items.map((item) => this.tree(item, what));
    if (!isMap(node)) return this.plain(node, what);
    return Object.fromEntries([...this.entries(node, what)].map(([name, value]) => [name, this.tree(value, what)]));
  }

  /**
   * The entries of a mapping, checked against `form`, and the node of each entry. Entries that are lists or mappings
   * are passed to `form` as nodes. Throws FormatError if the entries do not match `form`.
   */
  read<T>(node: Node, what: string, form: v.GenericSchema<unknown, T>): { given: T; nodes: Map<string, Node> } {
    const nodes = this.entries(node, what);
    const given = Object.fromEntries([...nodes].map(([name, part]) => [name, isScalar(part) ? part.value : part]));
    const { success, output, issues } = v.safeParse(form, given, { abortEarly: true });
    if (success) return { given: output, nodes };
    const [issue] = issues;
    const name = v.getDotPath(issue) as string;
    const part = nodes.get(name);
    const said = part
      ? `${issue.message}${isScalar(part) ? spoken`, got ${quoted(part.value)}` : ''}`
      : spoken`a value, got nothing`;
    throw this.formatError(part ?? node, spoken`${what}.${name}: expected ${said}.`);
  }

  /**
   * The node at the path `within`, which starts at `node`. If there is no such node, the last existing node on this
   * path is returned.
   */
  partOf(node: Node, within: readonly (string | number)[] = []): Node {
    const [key, ...rest] = within;
    if (key === undefined || !isCollection(node)) return node;
    const part = node.get(key, true);
    return isNode(part) ? this.partOf(part, rest) : node;
  }

  configError(node: Node, message: string): ConfigError {
    return this.at(node, new ConfigError(message));
  }

  formatError(node: Node, message: string): FormatError {
    return new FormatError(`${this.#place(node.range?.[0])}: ${message}`);
  }

  /** Makes an error whose message begins with the position of `node`. */
  at(node: Node, { message, refusal }: ConfigError): ConfigError {
    return new ConfigError(`${this.#place(node.range?.[0])}: ${message}`, refusal);
  }

  /** Runs `check`; if it throws a ConfigError, the position of `node` is added to the message. */
  checked<T>(node: Node, check: () => T): T {
    try {
      return check();
    } catch (error) {
      throw error instanceof ConfigError ? this.at(this.partOf(node, error.refusal?.within), error) : error;
    }
  }

  #place(offset = 0): string {
    const { line, col } = this.#lines.linePos(offset);
    return spoken`line ${Math.max(1, line)}, column ${Math.max(1, col)}`;
  }
}

/** Throws FormatError if the text has more characters, more markup or deeper nesting than the limits above. */
function refuseExcess(text: string): void {
  if (text.length > mostLength)
    throw new FormatError(
      spoken`line 1, column 1: expected at most ${mostLength} characters, got ${text.length}; is this a run file?`,
    );
  let count = 0;
  let line = 1;
  let open = 0;
  let onLine = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('\n') || lexeme.startsWith('\r')) [line, onLine] = [line + 1, 0];
    if (lexeme === '[' || lexeme === '{') open++;
    if (lexeme === ']' || lexeme === '}') open--;
    if (lexeme === '-' || lexeme === '?' || lexeme === ':') onLine++;
    if (++count > mostLexemes || open > mostOpen || onLine > 200)
      throw new FormatError(
        spoken`line ${line}, column 1: this text has more entries, or deeper nesting, than a run file can have; is it a run file?`,
      );
  }
}
