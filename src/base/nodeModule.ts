// Loads Node's built-in modules without an import, because a bundler for the browser would have to resolve an import.
const surroundings = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };

/** A built-in module of Node; undefined in a browser. */
export function nodeModule<T>(name: string): T | undefined {
  return surroundings.process?.getBuiltinModule?.(name) as T | undefined;
}
