// What runs in every context before a program does: it takes away what would differ from one run to the next, bounds what
// runs natively and so cannot be interrupted, and keeps the functions by which results leave, out of reach of the program.

/** Elements of what an array method goes over at most, and steps of a search for a text in another. */
const longest = 1_000_000;
const mostCompared = 100_000_000;

/** Its value is `{ call, encode, functions, describe }`. */
export const prelude = `(() => {
  const { stringify, parse } = JSON;
  const { apply, ownKeys } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const [text, PromiseOf, TooLong, Wrong] = [String, Promise, RangeError, TypeError];
  const { imul } = Math;
  delete Math.random;
  for (const name of ['Atomics', 'SharedArrayBuffer', 'WeakRef', 'FinalizationRegistry', 'Date', 'performance'])
    delete globalThis[name];
  const bound = (of, check) => {
    for (const name of ownKeys(of)) {
      const { value } = getOwnPropertyDescriptor(of, name);
      if (name === 'constructor' || typeof value !== 'function') continue;
      const bounded = { [name](...given) { check(name, this, given); return apply(value, this, given); } }[name];
      defineProperty(of, name, { value: bounded, writable: true, configurable: true });
    }
  };
  const few = (list) => {
    if (list !== null && typeof list === 'object' && list.length > ${longest})
      throw new TooLong('more than ${longest} elements');
  };
  bound(Array.prototype, (name, list, given) => {
    few(list);
    if (name === 'concat') for (let i = 0; i < given.length; i++) few(given[i]);
  });
  const flat = (list, depth, into) => {
    for (let i = 0; i < list.length; i++)
      if (Array.isArray(list[i]) && depth > 0) flat(list[i], depth - 1, into);
      else if (i in list) into[into.length] = list[i];
    return into;
  };
  Array.prototype.flat = { flat(depth = 1) { few(this); return flat(this, depth, []); } }.flat;
  const searches = {};
  for (const name of ['indexOf', 'lastIndexOf', 'includes', 'split', 'replace', 'replaceAll'])
    searches[name] = String.prototype[name];
  bound(searches, (name, where, [what]) => {
    if (typeof what !== 'object' && text(where).length * text(what).length > ${mostCompared})
      throw new TooLong('texts too long to search');
  });
  for (const name of ownKeys(searches))
    defineProperty(String.prototype, name, { value: searches[name], writable: true, configurable: true });
  const encode = (value, most) => {
    if (value instanceof PromiseOf) throw new Wrong('a promise came where a value was expected; nothing is awaited here');
    const written = stringify(value) ?? 'null';
    if (written.length > most) throw new TooLong('the result has more than ' + most + ' characters');
    return written;
  };
  const mixed = (word) => {
    const state = (imul(word, 747796405) + 2891336453) >>> 0;
    const next = imul(((state >>> ((state >>> 28) + 4)) ^ state) >>> 0, 277803737) >>> 0;
    return ((next >>> 22) ^ next) >>> 0;
  };
  const randomFrom = (seed) => {
    let at = seed >>> 0;
    const random = () => (mixed(at++ >>> 0) >>> 8) / 16777216;
    random.below = (bound) => Math.floor(random() * bound);
    random.pick = (list) => list[random.below(list.length)];
    return random;
  };
  return {
    encode,
    call: (of, name, given, most, seed) => {
      const values = parse(given);
      return encode(apply(of[name], undefined, seed < 0 ? values : [randomFrom(seed), ...values]), most);
    },
    functions: (of) => stringify(ownKeys(of).filter((name) => typeof of[name] === 'function')),
    describe: (error, file) => {
      if (error === null || typeof error !== 'object') return stringify({ name: 'Error', message: text(error) });
      const { name, message, lineNumber, stack } = error;
      const at = new RegExp(file + ':(\\\\d+)').exec(text(stack));
      return stringify({ name: text(name), message: text(message).slice(0, 500), line: lineNumber ?? (at && +at[1]) });
    },
  };
})()`;
