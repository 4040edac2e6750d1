// No cycles, type-only ones included, and nobody looks up: the table is layers.js.
import { cruiserLayerRules } from './scripts/layerRules.mjs';

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'two files that need each other are one file, or hide a third',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'an import that leads nowhere would hide from every other rule',
      from: {},
      to: { couldNotResolve: true, pathNot: '\\?(url|worker|raw)$' },
    },
    {
      name: 'testing-for-tests',
      severity: 'error',
      comment: 'what only tests, benches and scripts import lies in testing/; what the product imports does not',
      from: { path: '^(src|workers)/', pathNot: '(\\.test\\.ts$|/testing/)' },
      to: { path: '/testing/' },
    },
    ...cruiserLayerRules(),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.assembly\\.ts$' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.mts', '.svelte', '.svelte.ts', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'svelte', 'browser', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
