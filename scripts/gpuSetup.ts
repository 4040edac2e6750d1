// WebGPU for Node: Dawn's globals and `navigator.gpu`, before any test imports the TF.js backend, which looks once.
import { create, globals } from 'webgpu';

if (globalThis.navigator?.gpu === undefined) {
  Object.assign(globalThis, globals);
  // Node 20 has no `navigator` at all; newer ones have one without `gpu`.
  if (globalThis.navigator === undefined) Object.defineProperty(globalThis, 'navigator', { value: {} });
  Object.defineProperty(globalThis.navigator, 'gpu', { value: create([]) });
}
