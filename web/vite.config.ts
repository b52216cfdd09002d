import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** The server that `npm run dev` asks. */
const SERVER = process.env.POSTHOUSE_URL ?? 'http://127.0.0.1:8080';

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
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  // The server compares Origin with Host: both name the server.
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/platform', '/dev/', '/docs', '/oidc', '/directory'].map((path) => [
        path,
        { target: SERVER, changeOrigin: true, ws: true, headers: { origin: SERVER } },
      ]),
    ),
  },
  test: { include: ['tests/**/*.test.ts'] },
});
