// A YAML text whose every value knows its line and column, so that an error can point at it.
// Deviation from YAML: aliases and unknown tags are refused, as settings are plain values.
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type ParsedNode } from 'yaml';
import { ConfigError, FormatError } from '../base/errors.ts';

export class PlacedYaml {
  readonly root: ParsedNode;
  readonly #lines = new LineCounter();

  /** Throws FormatError with line and column for text that is no YAML. */
  constructor(text: string) {
    const document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, stringKeys: true });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) throw new FormatError(`${this.#place(fault.pos[0])}: expected YAML, got a fault: ${fault.message}.`);
    if (!document.contents) throw new FormatError('line 1, column 1: expected a mapping, got an empty text.');
    this.root = document.contents;
  }

  /** The pairs of a mapping; a name with nothing behind it stands for an empty one. Throws FormatError. */
  entries(node: Node, what: string): Map<string, Node> {
    if (isScalar(node) && node.value === null) return new Map();
    if (!isMap<Node, Node | null>(node)) throw this.formatError(node, `${what}: expected names with values.`);
    return new Map(
      node.items.map(({ key, value }) => {
        if (!isScalar(key)) throw this.formatError(key, `${what}: expected a name.`);
        if (!value) throw this.formatError(key, `${String(key.value)}: expected a value, got nothing.`);
        return [String(key.value), value];
      }),
    );
  }

  /** The items of a list. Throws FormatError. */
  items(node: Node, what: string): Node[] {
    if (!isSeq<Node>(node)) throw this.formatError(node, `${what}: expected a list.`);
    return node.items;
  }

  /** A number, text, flag or null. Throws FormatError. */
  plain(node: Node, what: string): unknown {
    if (isScalar(node)) return node.value;
    throw this.formatError(node, `${what}: expected a plain value.`);
  }

  configError(node: Node, message: string): ConfigError {
    return new ConfigError(`${this.#place(node.range?.[0])}: ${message}`);
  }

  formatError(node: Node, message: string): FormatError {
    return new FormatError(`${this.#place(node.range?.[0])}: ${message}`);
  }

  /** Runs `check`; a ConfigError it throws gets the place of `node`. */
  at<T>(node: Node, check: () => T): T {
    try {
      return check();
    } catch (error) {
      if (error instanceof ConfigError) throw this.configError(node, error.message);
      throw error;
    }
  }

  #place(offset = 0): string {
    const { line, col } = this.#lines.linePos(offset);
    return `line ${Math.max(1, line)}, column ${Math.max(1, col)}`;
  }
}
