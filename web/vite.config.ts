import { defineConfig, type Plugin } from "vite";
import { licenseText } from "../packaging/licenses.ts";

/** The dashboard's page: three files without a hash in their names, and no request to anywhere else. */
export default defineConfig({
  plugins: [lexerOnly(), licensesInScript()],
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

/** Leaves out of marked what makes HTML: the page takes its lexer alone, and its bundle cannot be shaken. */
function lexerOnly(): Plugin {
  return {
    name: "lexer-only",
    transform(code, id) {
      if (!/\/marked\/lib\/marked\.esm\.js$/.test(id)) return undefined;
      const end = code.search(/var \w+=class\{options;parser;/);
      const lexer = /\b(\w+) as Lexer\b/.exec(code)?.[1];
      if (end < 0 || lexer === undefined) throw new Error("marked is made in another way");
      return { code: `${code.slice(0, end)}export{${lexer} as Lexer};`, map: null };
    },
  };
}
