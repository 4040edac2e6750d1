// Who may import whom: the one table, read by ESLint and by dependency-cruiser.
// A layer may always import itself. `npm` lists packages that only some layers may use.
const downstairs = [
  'training',
  'rollout',
  'model',
  'engine',
  'tasks',
  'exercises',
  'sandbox',
  'api',
  'storage',
  'formats',
  'text',
  'records',
  'config',
  'migrations',
  'base',
];

/** @type {Record<string, string[]>} */
export const layers = {
  base: [],
  migrations: ['base'],
  config: ['base'],
  records: ['migrations', 'config', 'base'],
  text: ['records', 'config', 'base'],
  engine: ['base'],
  sandbox: ['base'],
  storage: ['records', 'migrations', 'config', 'base'],
  formats: ['text', 'records', 'migrations', 'config', 'base'],
  tasks: ['sandbox', 'text', 'records', 'config', 'base'],
  api: ['exercises', 'records', 'config', 'base'],
  model: ['engine', 'text', 'records', 'config', 'base'],
  rollout: ['tasks', 'text', 'records', 'config', 'base'],
  training: ['rollout', 'model', 'engine', 'tasks', 'exercises', 'text', 'records', 'config', 'base'],
  lessons: ['formats', 'records', 'config', 'base'],
  exercises: ['sandbox', 'config', 'base'],
  state: ['lessons', 'exercises', 'api', 'storage', 'formats', 'text', 'records', 'config', 'base'],
  ui: ['state', 'lessons', 'exercises', 'records', 'config', 'base'],
  workers: downstairs,
  // Files that the program reads are attacked by a bench.
  bench: [...downstairs, 'lessons', 'cli'],
  cli: downstairs,
  lib: downstairs,
};

/**
 * Rooms of the large layers, in order: code may import from its own room and from those before it.
 * @type {Record<string, string[]>}
 */
export const rooms = {
  engine: ['webgpu', 'simd', 'ops'],
  model: ['network', 'decoding'],
  training: [
    'maths',
    'team',
    'stages',
    'rows',
    'collect',
    'evaluation',
    'update',
    'verifier',
    'imitation',
    'learners',
    'critics',
    'inspect',
    'run',
    'history',
    'review',
    'preflight',
    'interventions',
  ],
  state: [
    'visitor',
    'trainer',
    'settings',
    'library',
    'run',
    'models',
    'inspector',
    'analyses',
    'interventions',
    'experiments',
    'lessons',
    'carriers',
  ],
};

/**
 * Extensions lie in `src/extensions/KIND/NAME` and are found by their place: nothing else may import them by name. A file of
 * one belongs to the first layer here whose pattern it fits, by its path within the folder of the extension.
 * @type {Record<string, [pattern: string, layer: string][]>}
 */
export const extensions = {
  worlds: [
    ['form.ts', 'config'],
    ['look/**', 'ui'],
    ['**', 'tasks'],
  ],
  learners: [
    ['facts.ts', 'config'],
    ['refusals.ts', 'config'],
    ['bench.ts', 'bench'],
    ['**', 'training'],
  ],
  protocols: [['**', 'config']],
  lessons: [['**', 'lessons']],
  launchers: [['**', 'cli']],
  servers: [['**', 'cli']],
  trainers: [['**', 'cli']],
  families: [['**', 'config']],
  carriers: [
    ['facts.ts', 'records'],
    ['open.ts', 'state'],
    ['take.ts', 'ui'],
    ['**', 'cli'],
  ],
  analyses: [
    ['facts.ts', 'config'],
    ['records.ts', 'records'],
    ['state/**', 'state'],
    ['page/**', 'ui'],
    // A test that reads the shipped weights.
    ['shipped.test.ts', 'workers'],
    ['**', 'training'],
  ],
};

/**
 * Where each layer lives.
 * @type {Record<string, string>}
 */
export const folders = Object.fromEntries(
  Object.keys(layers).map((layer) => [
    layer,
    ['workers', 'bench', 'cli', 'lib'].includes(layer) ? layer : `src/${layer}`,
  ]),
);

/** Layers in which @tensorflow/* may be imported. */
export const tensorLayers = ['engine', 'model', 'training', 'workers', 'bench'];

/**
 * The layer of a file by its path from the root; '' where it is in none.
 * @param {string} file
 * @param {{ layers: Record<string, string[]>, folders: Record<string, string>, extensions?: typeof extensions }} [order]
 */
export function layerOf(file, order = { layers, folders, extensions }) {
  const [, kind = '', within = ''] = /^src\/extensions\/(\w+)\/\w+\/(.+)$/.exec(file) ?? [];
  const fits = (/** @type {string} */ pattern) =>
    pattern.endsWith('**') ? within.startsWith(pattern.slice(0, -2)) : within === pattern;
  if (within !== '') return order.extensions?.[kind]?.find(([pattern]) => fits(pattern))?.[1] ?? '';
  return Object.keys(order.layers).find((layer) => file.startsWith(`${order.folders[layer]}/`)) ?? '';
}
