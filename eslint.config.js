import tseslint from 'typescript-eslint';

const noCasts = { assertionStyle: 'never' };
const restrictedSyntax = [
  { selector: 'TSEnumDeclaration', message: 'Use a union of strings.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels.' },
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
];

export default tseslint.config(
  { ignores: ['dist/**', 'dist.*/**', 'node_modules/**', 'data/**', 'demo-data*/**', '.dependency-cruiser.cjs'] },
  {
    files: ['{src,client,demo,test}/**/*.ts', 'console/**/*.{ts,tsx}', 'vitest.config.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      complexity: ['error', { max: 10, variant: 'modified' }],
      'max-params': ['error', 3],
      'no-duplicate-case': 'error',
      'no-restricted-syntax': ['error', ...restrictedSyntax],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allow: [{ name: 'bigint', from: 'lib' }] },
      ],
      '@typescript-eslint/require-await': 'off',
      // Our interfaces are plain objects of functions that never use `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/consistent-indexed-object-style': 'off',
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
    },
  },
  {
    // `as const` is no cast and passes.
    files: ['src/**/*.ts', 'demo/**/*.ts'],
    ignores: ['src/events/codec.ts', 'src/sqlite/*.ts', 'src/eventstore/**/*.ts', 'src/readmodels/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-assertions': ['error', noCasts] },
  },
  { files: ['vitest.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-params': 'off',
      // Of a wait of fixed length one knows only that it is too long on one machine and too short on another.
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'node:timers/promises',
              importNames: ['setTimeout'],
              message:
                'Wait for a condition: `eventually` or vi.waitUntil. Where time itself is tested: test/support/real-time.ts, and a comment why.',
            },
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        ...restrictedSyntax,
        {
          selector:
            "NewExpression[callee.name='Promise'] > ArrowFunctionExpression > CallExpression[callee.name='setTimeout']",
          message: 'Wait for a condition, or use test/support/real-time.ts.',
        },
      ],
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
);
