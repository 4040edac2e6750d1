// Rules worth checking before review: unawaited promises, `any`, long parameter lists, imports against layers.js,
// randomness and output outside their places. Formatting is prettier's.
import svelte from 'eslint-plugin-svelte';
import tseslint from 'typescript-eslint';
import { eslintLayerConfigs } from './scripts/layerRules.mjs';

const source = [
  'src/**/*.{ts,svelte}',
  'workers/**/*.ts',
  'bench/**/*.ts',
  'cli/**/*.ts',
  'e2e/**/*.ts',
  'interop/**/*.ts',
  'scripts/**/*.ts',
];

export default tseslint.config(
  {
    ignores: [
      'dist',
      'dist-cli',
      'dist-lib',
      'dist-site',
      '.cache',
      'node_modules',
      'test-results',
      'public',
      '**/*.assembly.ts',
    ],
  },
  ...tseslint.configs.recommended,
  ...svelte.configs['flat/recommended'],
  {
    name: 'cothink/everywhere',
    languageOptions: { globals: nodeGlobals() },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-params': 'off',
      '@typescript-eslint/max-params': ['error', { max: 4 }],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Use base/random: every draw is seeded and replayable.' },
      ],
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    name: 'cothink/typed',
    files: source,
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname, extraFileExtensions: ['.svelte'] },
    },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      // Each extension adds its own type to one of these.
      '@typescript-eslint/no-empty-object-type': [
        'error',
        { allowWithName: '^((World|Learner|Protocol|Analysis)(Forms|Table)|SeatLooks)$' },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    name: 'cothink/page-and-workers',
    files: ['src/**/*.{ts,svelte}', 'workers/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: { 'no-console': 'error', 'no-eval': 'error', 'no-new-func': 'error' },
  },
  {
    name: 'cothink/svelte',
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    rules: {
      'no-undef': 'off', // the compiler knows better
      'no-restricted-syntax': [
        'error',
        {
          selector: 'SvelteAttribute[key.name="style"]',
          message: 'The content security policy refuses style attributes: use a class or a `style:` directive.',
        },
      ],
    },
  },
  {
    name: 'cothink/e2e',
    files: ['e2e/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.name='expect'] > AwaitExpression > CallExpression[callee.property.name=/^(count|isVisible|isHidden|isDisabled|isEnabled|isChecked|textContent|innerText|inputValue|getAttribute|allTextContents|allInnerTexts)$/]",
          message: 'The page may still be drawing: use `await expect.poll(() => …)`, which asks until it is so.',
        },
      ],
    },
  },
  {
    // In the library, an interface that only extends a type gives the type a name, which descriptions show.
    files: ['lib/**/*.ts'],
    rules: { '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }] },
  },
  ...eslintLayerConfigs(),
);

function nodeGlobals() {
  return Object.fromEntries(
    ['process', 'console', 'URL', 'Buffer', 'fetch', 'setTimeout'].map((name) => [name, 'readonly']),
  );
}
