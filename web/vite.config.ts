import { defineConfig } from "vite";

/** The dashboard's page: three files without a hash in their names, and no request to anywhere else. */
export default defineConfig({
  base: "./",
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    // Polyfills would be script that the page's policy has to trust.
    modulePreload: false,
    target: "es2023",
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        entryFileNames: "dashboard.js",
        assetFileNames: "dashboard[extname]",
        codeSplitting: false,
      },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
