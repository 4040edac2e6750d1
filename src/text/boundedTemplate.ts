// The chat template of a foreign model is a program, so it is run within limits. The cost of each expression is
// subtracted from one budget. This cost depends on the sizes of the expression's inputs and result. The budget limits
// time and memory, and the same template with the same messages stops at the same point on any machine. Operations that
// can turn a small input into a large output are limited beforehand.
//
// The interpreter comes from @huggingface/jinja. Deviations: a list cannot contain a namespace, and month names are
// English.
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';
import { ConfigError, FormatError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';

type Node = NonNullable<Parameters<Interpreter['evaluate']>[0]>;
type Value = ReturnType<Interpreter['evaluate']>;

const most = {
  template: 100_000,
  /**
   * The maximum number of characters of a text. For a list, the limit applies to the number of elements plus the number
   * of characters of all texts in the list.
   */
  signs: 500_000,
  /** Maximum number of elements of a list. */
  places: 20_000,
  /**
   * The maximum number of characters of a text that is inserted, used as a replacement, or searched for. The number of
   * inserted blanks has the same limit.
   */
  part: 200,
  depth: 400,
};
/** The budget of a template, in the unit of `price`. This budget allows about a second of computation. */
const account = 1e8;
/** The costs of operations, in units of one copied character. `element` is the cost of each element of a new list. */
const price = { step: 200, place: 2000, element: 60, unknown: 5000, clock: 10_000, macro: 50 };

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
/** Filters that iterate over a list repeatedly, or insert their arguments into it. */
const widening = new Set([
  'dictsort',
  'indent',
  'join',
  'map',
  'rejectattr',
  'replace',
  'selectattr',
  'sort',
  'tojson',
  'unique',
]);

const refuse = (what: string) =>
  new ConfigError(
    spoken`messages: the model’s chat template ${what}; shorten the chat, or remove the template from the model’s files.`,
  );
const tooLong = () => refuse(spoken`produces a text or a list that is too long`);

// After each blank in a sequence of blanks, the lexer looks for tags again, so templates with long sequences of blanks
// are refused.
const isTooLong = (template: string) => template.length > most.template || /\s{1001}/.test(template);
const tooLarge = () => spoken`has more than ${most.template} characters, or more than 1000 spaces in a row`;
const programOf = (template: string) => parse(tokenize(template, { lstrip_blocks: true, trim_blocks: true }));

/**
 * Throws FormatError for a template that is too long or has a syntax error. `where` is the name of the template's file.
 */
export function refuseBroken(template: string, where: string): void {
  const broken = (why: string) =>
    new FormatError(
      spoken`${where}: expected a Jinja template, got a template that ${why}; correct the template in this file, or remove it from the file.`,
    );
  if (isTooLong(template)) throw broken(tooLarge());
  try {
    programOf(template);
  } catch (cause) {
    if (cause instanceof RangeError) throw broken(spoken`nests too deep`);
    // If a block has no end, the parser reads beyond the end of the text.
    const why = cause instanceof TypeError ? spoken`a block without its end` : shortened((cause as Error).message);
    throw broken(spoken`cannot be read (${why})`);
  }
}

/**
 * The text that a template produces. Throws ConfigError if the template exceeds its budget, and rethrows errors of the
 * interpreter.
 * @param now today's date, for templates that use it
 */
export function boundedText(template: string, given: Readonly<Record<string, unknown>>, now = new Date()): string {
  if (isTooLong(template)) throw refuse(tooLarge());
  try {
    const program = programOf(template);
    const environment = new Environment();
    const interpreter = new Bounded(environment, template.length);
    const functions = {
      raise_exception: (words: string) => {
        throw new Error(words);
      },
      range: boundedRange,
      strftime_now: (format: string) => {
        interpreter.spend(price.clock);
        return dated(now, format);
      },
    };
    const constants = { true: true, false: false, none: null, True: true, False: false, None: null };
    for (const [name, value] of Object.entries({ ...constants, ...functions, ...given })) environment.set(name, value);
    return String(interpreter.run(program).value);
  } catch (cause) {
    // A RangeError means that the stack of the parser overflowed.
    if (cause instanceof RangeError) throw tooDeep();
    throw cause;
  }
}

const tooDeep = () => refuse(spoken`nests too deep`);

class Bounded extends Interpreter {
  readonly #macroPrice: number;
  readonly #sizes = new WeakMap<object, number>();
  /**
   * `#parts` contains the expressions whose values are inserted into a text or searched for in it. `#lists` contains
   * the expressions whose elements are visited one by one.
   */
  readonly #parts = new WeakSet<Node>();
  readonly #lists = new WeakSet<Node>();
  #left = account;
  #depth = 0;
  /** The total size of the inputs of the expression that is being evaluated. */
  #given = 0;

  constructor(environment: Environment, templateLength: number) {
    super(environment);
    this.#macroPrice = templateLength * price.macro;
  }

  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw refuse(spoken`works for too long`);
  }

  override evaluate(node: Node | undefined, environment: Environment): Value {
    if (!node) return super.evaluate(node, environment);
    const outer = this.#given;
    this.#given = 0;
    this.#depth++;
    try {
      if (this.#depth > most.depth) throw tooDeep();
      // A macro costs more, because the library processes the macro's whole text when the macro is defined.
      this.spend(node.type === 'Macro' || node.type === 'CallStatement' ? this.#macroPrice : price.step);
      this.#mark(node);
      const value = this.#method(node, super.evaluate(node, environment));
      const size = this.#sizeOf(value);
      // Reading a variable or a field copies no data, so these operations cost nothing. A slice copies its value, and a
      // method of a text searches the text.
      const isNamed = ['Identifier', 'MemberExpression'].includes(node.type) && !isSlice(node);
      if (!isNamed || value.type === 'FunctionValue') this.spend(this.#given + size);
      if (value.type === 'UndefinedValue') this.spend(price.unknown);
      if (this.#parts.has(node)) this.#refuseWide(value);
      if (this.#lists.has(node)) this.spend(price.place * placesOf(value).length);
      this.#given = size;
      return value;
    } finally {
      // This code is in `finally`, because the evaluation may also end with an error.
      this.#depth--;
      this.#given += outer;
    }
  }

  /** Records in `#parts` and `#lists` how the values of the parts of an expression will be used. */
  #mark(node: Node): void {
    const { iterable, operand, filter, operator, left } = node as Parts;
    if (iterable) this.#lists.add(iterable.lhs ?? iterable);
    if (left && /in$/.test(operator?.value ?? '')) this.#parts.add(left);
    const name = filter?.callee?.value ?? filter?.value;
    if (typeof name !== 'string' || !widening.has(name)) return;
    if (operand) this.#lists.add(operand);
    for (const one of filter?.args ?? []) this.#parts.add(one.argument ?? (one.key ? (one.value as Parts) : one));
  }

  /**
   * Limits the arguments of a method of a text, because the method inserts them into the text or searches the text for
   * them.
   */
  #method(node: Node, value: Value): Value {
    if (node.type !== 'MemberExpression' || value.type !== 'FunctionValue') return value;
    const { constructor, value: work } = value as Value & { value: (given: Value[], scope: Environment) => Value };
    return new (constructor as new (work: unknown) => Value)((given: Value[], scope: Environment) => {
      for (const one of given) this.#refuseWide(one);
      return work(given, scope);
    });
  }

  #refuseWide(value: Value): void {
    if (this.#sizeOf(value) > most.part || Number(value.value) > most.part) throw tooLong();
  }

  /** The number of characters and elements of a value. Each part of the value is counted as often as it occurs. */
  #sizeOf({ type, value }: Value): number {
    if (typeof value === 'string') return bounded(value.length);
    if (typeof value !== 'object' || value === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const places = placesOf({ value });
    if (places.length > most.places) throw tooLong();
    this.spend(price.element * places.length);
    let size = 1;
    for (const [name, one] of places) {
      // A namespace is refused as an element, because a namespace is mutable and could therefore contain itself.
      if (one.type === 'NamespaceValue') throw refuse(spoken`puts a namespace into a list`);
      size = bounded(size + name.length + 1 + this.#sizeOf(one));
    }
    if (type !== 'NamespaceValue') this.#sizes.set(value, size);
    return size;
  }
}

/** The fields of syntax nodes that are read below. Each type of node has only some of these fields. */
interface Parts extends Node {
  iterable?: Parts & { lhs?: Parts };
  operand?: Node;
  filter?: { value?: unknown; callee?: { value?: unknown }; args?: Parts[] };
  operator?: { value: string };
  left?: Node;
  property?: Node;
  /** The argument of a spread. `key` and `value` belong to a keyword argument. */
  argument?: Node;
  key?: Node;
  value?: unknown;
}

const isSlice = (node: Node) => (node as Parts).property?.type === 'SliceExpression';

function placesOf({ value }: Pick<Value, 'value'>): [string, Value][] {
  if (Array.isArray(value)) return value.map((one) => ['', one]);
  return value instanceof Map ? [...value] : [];
}

function bounded(signs: number): number {
  if (signs > most.signs) throw tooLong();
  return signs;
}

/** Like `range` in Python. */
function boundedRange(first: number, end?: number, step = 1): number[] {
  const [from, to] = end === undefined ? [0, first] : [first, end];
  const length = Math.max(0, Math.ceil((to - from) / step));
  // The negated comparison also refuses values that are not numbers.
  if (!(length <= most.places)) throw tooLong();
  return Array.from({ length }, (_, i) => from + i * step);
}

/** Formats a date like `strftime`, but supports only the parts that templates use. */
function dated(date: Date, format: string): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const month = months[date.getMonth()] ?? '';
  const parts: Record<string, string> = {
    ...{ Y: String(date.getFullYear()), m: two(date.getMonth() + 1), d: two(date.getDate()) },
    ...{ b: month.slice(0, 3), B: month, H: two(date.getHours()), M: two(date.getMinutes()), '%': '%' },
  };
  return format.replace(/%([YmdbBHM%])/g, (_, name: string) => parts[name] ?? '');
}
