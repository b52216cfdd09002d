import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  base: '/',
  plugins: [svelte()],
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Small assets would become data: URLs, which the CSP allows only for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:5180', '/platform': 'http://127.0.0.1:5180' } },
  test: { include: ['tests/**/*.test.ts'] },
});
