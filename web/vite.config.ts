import { defineConfig, type Plugin } from "vite";
import { licenseText } from "../packaging/licenses.ts";

/** The dashboard's page: three files without a hash in their names, and no request to anywhere else. */
export default defineConfig({
  plugins: [licensesInScript()],
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

/** Puts the licences of what the script is made of before it, so that an exported run has them, too. */
function licensesInScript(): Plugin {
  return {
    name: "licenses-in-script",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        const text = licenseText([file])?.replaceAll("*/", "* /");
        if (text !== undefined) file.code = `/*!\n${text}*/\n${file.code}`;
      }
    },
  };
}
