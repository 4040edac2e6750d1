// The table of layers.js in the two forms the tools read: ESLint's import patterns and dependency-cruiser's rules.
import { folders, layers, rooms, tensorLayers, worlds } from '../layers.js';

const names = Object.keys(layers);

/**
 * Layers that code of `layer` may not import.
 * @param {string} layer
 */
function forbiddenTo(layer) {
  return names.filter((other) => other !== layer && !layers[layer]?.includes(other));
}

/**
 * Rooms that come after `room` in its layer.
 * @param {string} layer
 * @param {string} room
 */
function roomsAfter(layer, room) {
  const inOrder = rooms[layer] ?? [];
  return inOrder.slice(inOrder.indexOf(room) + 1);
}

/** Where a world may be named: its rooms, the registry of their code, and the page's looks. */
const worldFolders = [
  'src/config/worlds/**',
  'src/tasks/registry.ts',
  'src/ui/worlds/**',
  ...worlds.map((name) => `src/tasks/${name}/**`),
];

// A file elsewhere may be called as a world is.
const worldNames = worlds.map((name) => ({
  regex: `(tasks|worlds)/${name}(/|\\.ts$)|^\\.\\.?/${name}/`,
  message: `${name} is named in its rooms and the registries alone: see layers.js.`,
}));

/** ESLint configuration objects for layers and rooms: `no-restricted-imports` also sees what a `.svelte` file imports. */
export function eslintLayerConfigs() {
  return names.flatMap((layer) => {
    const patterns = forbiddenTo(layer).map((other) => ({
      regex: `^(\\.\\./)+(src/)?${other}/`,
      message: `${layer} may not import ${other}: see layers.js.`,
    }));
    if (!tensorLayers.includes(layer)) {
      patterns.push({ regex: '^@tensorflow/', message: `${layer} may not know TensorFlow.js: see layers.js.` });
    }
    const named = [...patterns, ...worldNames];
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
        name: `cothink/worlds-${layer}`,
        files: [`${folders[layer]}/**/*.{ts,svelte}`],
        ignores: ['**/*.test.ts', '**/testing/**', ...worldFolders],
        rules: { 'no-restricted-imports': ['error', { patterns: named }] },
      },
      ...(rooms[layer] ?? []).map(ofRoom),
    ];
  });
}

/**
 * @param {string} layer
 * @param {string} room
 */
function laterRooms(layer, room) {
  return roomsAfter(layer, room).map((later) => ({
    regex: `^(\\.\\./)+(${layer}/)?${later}/`,
    message: `${layer}/${room} comes before ${later}: see layers.js.`,
  }));
}

/** dependency-cruiser's rules for the same table: it resolves each import, so it knows where a path really leads. */
export function cruiserLayerRules() {
  const layerRules = names
    .filter((layer) => forbiddenTo(layer).length > 0)
    .map((layer) => ({
      name: `layer-${layer}`,
      severity: 'error',
      comment: `${layer} may import ${layers[layer]?.join(', ') || 'nothing'} (layers.js)`,
      from: { path: `^${folders[layer]}/` },
      to: { path: forbiddenTo(layer).map((other) => `^${folders[other]}/`) },
    }));
  const tensorRule = {
    name: 'tensorflow-stays-in-its-rooms',
    severity: 'error',
    comment: `only ${tensorLayers.join(', ')} may import TensorFlow.js (layers.js)`,
    from: { path: '^(src|workers|cli|bench)/', pathNot: tensorLayers.map((layer) => `^${folders[layer]}/`) },
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
  return [...layerRules, ...roomRules, tensorRule];
}
