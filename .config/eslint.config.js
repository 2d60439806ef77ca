// What a file shows by itself; the rules that ask for types are in oxlint.json. Pure files (deciders, projections,
// pricing …) are held to more.
import tseslint from 'typescript-eslint';

const pureFiles = [
  '**/*.decider.ts',
  '**/*.state.ts',
  '**/*.process.ts',
  '**/*.projection.ts',
  'command-service/pricing/**/*.ts',
  'shared-kernel/reference/**/*.ts',
];

const noEnvironment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Only shared-kernel/runtime/config.ts reads the environment; take a setting as a parameter.',
};

const impure = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Pure code takes the time from its context.',
  },
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'Pure code takes the time from its context.',
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'Pure code knows no chance.',
  },
  { selector: "Identifier[name='randomUUID']", message: 'Pure code takes its ids from its context.' },
  {
    selector: 'CallExpression[callee.name=/^(setTimeout|setInterval|setImmediate)$/]',
    message: 'Pure code does not wait.',
  },
];

export default tseslint.config(
  { ignores: ['node_modules/**', 'data/**', '.config/**', '**/*.js', '**/*.cjs'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ExportDefaultDeclaration',
          message: 'Named exports only: one text search finds every use.',
        },
        noEnvironment,
      ],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      // Prettier breaks code, but no comments.
      'max-len': ['error', { code: 1000, comments: 120, ignoreUrls: true }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: pureFiles,
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ExportDefaultDeclaration',
          message: 'Named exports only: one text search finds every use.',
        },
        noEnvironment,
        ...impure,
      ],
    },
  },
  {
    files: ['shared-kernel/runtime/config.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      'no-console': 'off',
    },
  },
  { files: ['tillroll.ts', '**/cli.ts', '**/cli/*.ts'], rules: { 'no-console': 'off' } },
);
