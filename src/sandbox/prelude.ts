// Code that runs in every context before a program. It removes everything that could differ between two runs, limits
// native functions that cannot be interrupted, and defines the functions that return results. The program cannot access
// these functions.

/**
 * The maximum number of elements that an array method may process, and the maximum number of comparisons when one text
 * is searched for another.
 */
const longest = 1_000_000;
const mostCompared = 100_000_000;

/** The code of the prelude. Its value is the object `{ call, draw, encode, functions, describe }`. */
export const prelude = `(() => {
  const { stringify, parse } = JSON;
  const { apply, construct, ownKeys } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor, hasOwn } = Object;
  const { isArray } = Array;
  const { exec } = RegExp.prototype;
  const { slice } = String.prototype;
  const { map } = Array.prototype;
  const [text, PromiseOf, PatternOf, TooLong, Wrong] = [String, Promise, RegExp, RangeError, TypeError];
  const { imul, floor } = Math;
  delete Math.random;
  for (const name of ['Atomics', 'SharedArrayBuffer', 'WeakRef', 'FinalizationRegistry', 'Date', 'performance'])
    delete globalThis[name];
  const replace = (of, name, value) => defineProperty(of, name, { value, writable: true, configurable: true });
  // The length limits the work of a method only if it cannot change while it is read.
  const few = (list) => {
    if (list === null || (typeof list !== 'object' && typeof list !== 'function')) return;
    const own = getOwnPropertyDescriptor(list, 'length');
    if (own === undefined && !('length' in list)) return;
    if (own === undefined || !hasOwn(own, 'value') || typeof own.value !== 'number')
      throw new Wrong('array methods go over what has a number as its own length');
    if (own.value > ${longest}) throw new TooLong('more than ${longest} elements');
  };
  for (const name of ownKeys(Array.prototype)) {
    const { value } = getOwnPropertyDescriptor(Array.prototype, name);
    if (name === 'constructor' || typeof value !== 'function') continue;
    const bounded = {
      [name](...given) {
        few(this);
        if (name === 'concat') for (let i = 0; i < given.length; i++) few(given[i]);
        return apply(value, this, given);
      },
    }[name];
    replace(Array.prototype, name, bounded);
  }
  const flat = (list, depth, into) => {
    for (let i = 0; i < list.length; i++)
      if (isArray(list[i]) && depth > 0) flat(list[i], depth - 1, into);
      else if (i in list) into[into.length] = list[i];
    return into;
  };
  const flattening = {
    flat(depth = 1) { few(this); return flat(this, depth, []); },
    flatMap(...given) { few(this); return flat(apply(map, this, given), 1, []); },
  };
  for (const name of ownKeys(flattening)) replace(Array.prototype, name, flattening[name]);
  // A regular expression does its own search, which can be interrupted; any other pattern is converted to a text.
  const byItself = { split: Symbol.split, replace: Symbol.replace, replaceAll: Symbol.replace };
  for (const name of ['indexOf', 'lastIndexOf', 'includes', 'split', 'replace', 'replaceAll']) {
    const search = String.prototype[name];
    const bounded = {
      [name](what, ...given) {
        const own = what !== null && typeof what === 'object' ? what[byItself[name]] : undefined;
        if (own !== undefined && own !== null) return apply(own, what, [this, ...given]);
        if (what === undefined) return apply(search, this, [what, ...given]);
        const [where, wanted] = [text(this), text(what)];
        if (where.length * wanted.length > ${mostCompared}) throw new TooLong('texts too long to search');
        return apply(search, where, [wanted, ...given]);
      },
    }[name];
    replace(String.prototype, name, bounded);
  }
  // Native code that reads an iterator to its end may never return. Here, each step of the iterator can be interrupted.
  const { iterator } = Symbol;
  const stepping = (own) => {
    const { next } = own;
    return {
      __proto__: null,
      next: () => apply(next, own, []),
      return: () => own.return?.() ?? {},
      [iterator]() { return this; },
    };
  };
  const stepped = (items) => (items === undefined || items === null ? items : stepping(items[iterator]()));
  const steppedSet = (other) => ({ size: other.size, has: (value) => other.has(value), keys: () => stepping(other.keys()) });
  const byTheirFirst = (step, of, ...names) => {
    for (let i = 0; i < names.length; i++) {
      const [name, native] = [names[i], of[names[i]]];
      replace(of, name, { [name](first, ...given) { return apply(native, this, [step(first), ...given]); } }[name]);
    }
  };
  byTheirFirst(stepped, Object, 'fromEntries', 'groupBy');
  byTheirFirst(stepped, Map, 'groupBy');
  byTheirFirst(stepped, Promise, 'all', 'allSettled', 'any', 'race');
  byTheirFirst(stepped, Math, 'sumPrecise');
  byTheirFirst(steppedSet, Set.prototype, 'union', 'intersection', 'difference', 'symmetricDifference');
  byTheirFirst(steppedSet, Set.prototype, 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom');
  byTheirFirst(({ raw }) => ({ raw: flat(raw, 0, []) }), String, 'raw');
  const iterators = Iterator.prototype;
  for (const name of ownKeys(iterators)) {
    const { value } = getOwnPropertyDescriptor(iterators, name);
    if (typeof name !== 'string' || name === 'constructor' || typeof value !== 'function') continue;
    replace(iterators, name, { [name](...given) { return apply(value, stepping(this), given); } }[name]);
  }
  for (const Native of [Set, Map, WeakSet, WeakMap]) {
    const { name, prototype, groupBy } = Native;
    const bounded = {
      [name]: function (items) {
        if (new.target === undefined) throw new Wrong(name + ' is made with new');
        return construct(Native, [stepped(items)], new.target);
      },
    }[name];
    defineProperty(bounded, 'prototype', { value: prototype, writable: false });
    if (groupBy) replace(bounded, 'groupBy', groupBy);
    replace(prototype, 'constructor', bounded);
    replace(globalThis, name, bounded);
  }
  // Called for each value, so that writing a value with many copies of the same part can be interrupted.
  const asIs = (_, value) => value;
  const picking = (names) => (_, value) => {
    if (value === null || typeof value !== 'object' || isArray(value)) return value;
    const picked = {};
    for (let i = 0; i < names.length; i++) if (names[i] in value) picked[names[i]] = value[names[i]];
    return picked;
  };
  replace(JSON, 'stringify', {
    stringify(value, replacer, space) {
      const by = typeof replacer === 'function' ? replacer : isArray(replacer) ? picking(replacer) : asIs;
      return stringify(value, by, space);
    },
  }.stringify);
  const encode = (value, most) => {
    if (value instanceof PromiseOf) throw new Wrong('a promise came where a value was expected; nothing is awaited here');
    const written = stringify(value, asIs) ?? 'null';
    if (written.length > most) throw new TooLong('the result has more than ' + most + ' characters');
    return written;
  };
  const mixed = (word) => {
    const state = (imul(word, 747796405) + 2891336453) >>> 0;
    const next = imul(((state >>> ((state >>> 28) + 4)) ^ state) >>> 0, 277803737) >>> 0;
    return ((next >>> 22) ^ next) >>> 0;
  };
  const randomFrom = (address) => {
    let at = address;
    const random = () => (mixed(at++ >>> 0) >>> 8) / 16777216;
    random.next = random;
    random.below = (bound) => floor(random() * bound);
    random.pick = (list) => list[random.below(list.length)];
    random.shuffle = (list) => {
      for (let i = list.length - 1; i > 0; i--) {
        const j = random.below(i + 1);
        const held = list[i];
        list[i] = list[j];
        list[j] = held;
      }
      return list;
    };
    return { random, drawn: () => at - address };
  };
  return {
    encode,
    call: (of, name, given, most) => encode(apply(of[name], undefined, parse(given)), most),
    draw: (of, name, given, most, address) => {
      const { random, drawn } = randomFrom(address);
      const written = encode(apply(of[name], undefined, [random, ...parse(given)]), most);
      return '[' + written + ',' + drawn() + ']';
    },
    functions: (of) => stringify(ownKeys(of).filter((name) => typeof of[name] === 'function')),
    describe: (error, file) => {
      const few = (words) => apply(slice, text(words), [0, 500]);
      const said = (name, message, line) => stringify({ __proto__: null, name: few(name), message: few(message), line });
      if (error === null || typeof error !== 'object') return said('Error', error);
      const { name, message, lineNumber, stack } = error;
      const at = apply(exec, new PatternOf(file + ':(\\\\d+)'), [text(stack)]);
      return said(name, message, lineNumber ?? (at && +at[1]));
    },
  };
})()`;
