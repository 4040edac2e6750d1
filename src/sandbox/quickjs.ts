// The interpreter: QuickJS, compiled to WebAssembly, from this page's own files. It reaches nothing of its host but what is
// handed in.
import wasmUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url';
import type { QuickJSWASMModule } from 'quickjs-emscripten-core';

/** Pages of 64 KiB: what the interpreter starts with, and all that it may come to hold. */
const [initial, maximum] = [256, 1024];

export interface Interpreter {
  quickjs: QuickJSWASMModule;
  /** All that it knows lies here. */
  memory: WebAssembly.Memory;
}

/** An interpreter of its own. */
export async function newInterpreter(): Promise<Interpreter> {
  const [{ newQuickJSWASMModuleFromVariant, newVariant }, { default: variant }] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
  ]);
  // QuickJS counts what it allocates by what the system tells it, which here tells nothing: the memory itself has the bound.
  const memory = new WebAssembly.Memory({ initial, maximum });
  const own = newVariant(variant, { wasmLocation: wasmUrl, wasmMemory: memory });
  return { quickjs: await newQuickJSWASMModuleFromVariant(own), memory };
}
