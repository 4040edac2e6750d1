// The table of layers.js in the two forms the tools read: ESLint's import patterns and dependency-cruiser's rules.
import { folders, layers, tensorLayers } from '../layers.js';

const names = Object.keys(layers);

/** Layers that code of `layer` may not import. */
function forbiddenTo(layer) {
  return names.filter((other) => other !== layer && !layers[layer].includes(other));
}

/** One ESLint configuration object for each layer: `no-restricted-imports` also sees what a `.svelte` file imports. */
export function eslintLayerConfigs() {
  return names.map((layer) => {
    const patterns = forbiddenTo(layer).map((other) => ({
      regex: `^(\\.\\./)+(src/)?${other}/`,
      message: `${layer} may not import ${other}: see layers.js.`,
    }));
    if (!tensorLayers.includes(layer)) {
      patterns.push({ regex: '^@tensorflow/', message: `${layer} may not know TensorFlow.js: see layers.js.` });
    }
    return {
      name: `cothink/layer-${layer}`,
      files: [`${folders[layer]}/**/*.{ts,svelte}`],
      rules: { 'no-restricted-imports': ['error', { patterns }] },
    };
  });
}

/** dependency-cruiser's rules for the same table: it resolves each import, so it knows where a path really leads. */
export function cruiserLayerRules() {
  const layerRules = names
    .filter((layer) => forbiddenTo(layer).length > 0)
    .map((layer) => ({
      name: `layer-${layer}`,
      severity: 'error',
      comment: `${layer} may import ${layers[layer].join(', ') || 'nothing'} (layers.js)`,
      from: { path: `^${folders[layer]}/` },
      to: { path: forbiddenTo(layer).map((other) => `^${folders[other]}/`) },
    }));
  const tensorRule = {
    name: 'tensorflow-stays-in-its-rooms',
    severity: 'error',
    comment: `only ${tensorLayers.join(', ')} may import TensorFlow.js (layers.js)`,
    from: { path: '^(src|workers|bench)/', pathNot: tensorLayers.map((layer) => `^${folders[layer]}/`) },
    to: { path: 'node_modules/@tensorflow/' },
  };
  return [...layerRules, tensorRule];
}
