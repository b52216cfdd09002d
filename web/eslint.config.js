import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'src/lib/api-types.ts'] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Sets and maps in state are replaced, never changed.
      'svelte/prefer-svelte-reactivity': 'off',
      // Separators keep their spaces only as expressions.
      'svelte/no-useless-mustaches': 'off',
    },
  },
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
    rules: {
      'max-lines': ['error', 200],
      // Links are plain paths: there is no SvelteKit to resolve them.
      'svelte/no-navigation-without-resolve': 'off',
      'svelte/no-at-html-tags': 'error',
    },
  },
);
