// Converts the table of layers.js to the formats of two tools: import patterns for ESLint and rules for
// dependency-cruiser.
import { extensions, folders, layers, rooms, tensorLayers } from '../layers.js';

const names = Object.keys(layers);

/**
 * Returns the layers that code of `layer` may not import.
 * @param {string} layer
 */
function forbiddenTo(layer) {
  return names.filter((other) => other !== layer && !layers[layer]?.includes(other));
}

/**
 * Returns the rooms that come after `room` in its layer.
 * @param {string} layer
 * @param {string} room
 */
function roomsAfter(layer, room) {
  const inOrder = rooms[layer] ?? [];
  return inOrder.slice(inOrder.indexOf(room) + 1);
}

const byPlace = {
  regex: 'extensions/[a-z]+/',
  message: 'Extensions are found by their place and named nowhere: see layers.js.',
};

/**
 * Returns the patterns of imports that a layer may not use.
 * @param {string} layer
 */
function forbiddenPatterns(layer) {
  const patterns = forbiddenTo(layer).map((other) => ({
    regex: `^(\\.\\./)+(src/)?${other}/`,
    message: `${layer} may not import ${other}: see layers.js.`,
  }));
  if (tensorLayers.includes(layer)) return patterns;
  return [...patterns, { regex: '^@tensorflow/', message: `${layer} may not know TensorFlow.js: see layers.js.` }];
}

/**
 * Returns ESLint configuration objects for layers and rooms. `no-restricted-imports` also checks imports in `.svelte`
 * files.
 */
export function eslintLayerConfigs() {
  const ofLayers = names.flatMap((layer) => {
    const patterns = forbiddenPatterns(layer);
    // Benches name the extensions that they measure and attack.
    const named = layer === 'bench' ? patterns : [...patterns, byPlace];
    const ofRoom = (/** @type {string} */ room) => ({
      name: `cothink/room-${layer}-${room}`,
      files: [`${folders[layer]}/${room}/**/*.{ts,svelte}`],
      ignores: ['**/*.test.ts'],
      rules: { 'no-restricted-imports': ['error', { patterns: [...named, ...laterRooms(layer, room)] }] },
    });
    return [
      {
        name: `cothink/layer-${layer}`,
        files: [`${folders[layer]}/**/*.{ts,svelte}`],
        rules: { 'no-restricted-imports': ['error', { patterns }] },
      },
      {
        name: `cothink/extensions-${layer}`,
        files: [`${folders[layer]}/**/*.{ts,svelte}`],
        ignores: ['**/*.test.ts', '**/testing/**'],
        rules: { 'no-restricted-imports': ['error', { patterns: named }] },
      },
      ...(rooms[layer] ?? []).map(ofRoom),
    ];
  });
  // The last matching object applies to a file, so they go from the most general pattern to the most specific one.
  const ofExtensions = Object.entries(extensions).flatMap(([kind, kinds]) =>
    kinds.toReversed().map(([pattern, layer]) => ({
      name: `cothink/extensions-${kind}-${layer}`,
      files: [pattern === '**' ? `src/extensions/${kind}/**/*.{ts,svelte}` : `src/extensions/${kind}/*/${pattern}`],
      rules: { 'no-restricted-imports': ['error', { patterns: forbiddenPatterns(layer) }] },
    })),
  );
  return [...ofLayers, ...ofExtensions];
}

/**
 * @param {string} layer
 * @param {string} room
 */
function laterRooms(layer, room) {
  return roomsAfter(layer, room).map((later) => ({
    // If a layer has the name of a room, more than one step up leads to the layer.
    regex: `^${names.includes(later) ? '\\.\\./' : '(\\.\\./)+'}(${layer}/)?${later}/`,
    message: `${layer}/${room} comes before ${later}: see layers.js.`,
  }));
}

/**
 * Returns the paths of a layer as regular expressions: its folder, and its files in extensions.
 * @param {string} layer
 */
function pathsOf(layer) {
  const inExtensions = Object.entries(extensions).flatMap(([kind, kinds]) =>
    kinds.flatMap(([pattern, of], i) => {
      if (of !== layer) return [];
      const others = kinds.slice(0, i).map(([earlier]) => within(earlier));
      const but = others.length > 0 ? `(?!${others.join('|')})` : '';
      return `^src/extensions/${kind}/[^/]+/${but}${within(pattern)}`;
    }),
  );
  return [`^${folders[layer]}/`, ...inExtensions];
}

/** @param {string} pattern */
const within = (pattern) => (pattern.endsWith('**') ? pattern.slice(0, -2) : `${pattern.replaceAll('.', '\\.')}$`);

/**
 * Returns rules of dependency-cruiser for the same table. It resolves each import, so it knows the real target of a
 * path.
 */
export function cruiserLayerRules() {
  const layerRules = names
    .filter((layer) => forbiddenTo(layer).length > 0)
    .map((layer) => ({
      name: `layer-${layer}`,
      severity: 'error',
      comment: `${layer} may import ${layers[layer]?.join(', ') || 'nothing'} (layers.js)`,
      from: { path: pathsOf(layer) },
      to: { path: forbiddenTo(layer).flatMap(pathsOf) },
    }));
  const tensorRule = {
    name: 'tensorflow-stays-in-its-rooms',
    severity: 'error',
    comment: `only ${tensorLayers.join(', ')} may import TensorFlow.js (layers.js)`,
    from: { path: '^(src|workers|cli|bench)/', pathNot: tensorLayers.flatMap(pathsOf) },
    to: { path: 'node_modules/@tensorflow/' },
  };
  const roomRules = Object.entries(rooms).flatMap(([layer, inOrder]) =>
    inOrder.slice(0, -1).map((room) => ({
      name: `room-${layer}-${room}`,
      severity: 'error',
      comment: `${layer}/${room} comes before the rooms after it (layers.js)`,
      from: { path: `^${folders[layer]}/${room}/`, pathNot: '\\.test\\.ts$' },
      to: { path: roomsAfter(layer, room).map((later) => `^${folders[layer]}/${later}/`) },
    })),
  );
  const extensionRules = [
    {
      name: 'extensions-are-found',
      severity: 'error',
      comment: 'an extension is found by its place: only tests, benches and scripts import one by name',
      from: { path: '^(src|workers|cli)/', pathNot: ['^src/extensions/', '\\.test\\.ts$', '/testing/'] },
      to: { path: '^src/extensions/' },
    },
    {
      name: 'extensions-stand-alone',
      severity: 'error',
      comment: 'an extension imports no other: what two share lies in the layer below them',
      from: { path: '^src/extensions/([^/]+/[^/]+)/' },
      to: { path: '^src/extensions/', pathNot: '^src/extensions/$1/' },
    },
  ];
  return [...layerRules, ...roomRules, ...extensionRules, tensorRule];
}
