import type { Rolldown } from "tsdown";

/**
 * Zod's types have variance annotations that the compiler cannot verify, with comments that
 * suppress the error on the next line. The bundler puts both on one line: this moves the code to
 * the next line again, so that users can check the package's types.
 */
export function keepIgnoredLines(): Rolldown.Plugin {
  return {
    name: "keep-ignored-lines",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk" || !file.fileName.endsWith(".d.ts")) continue;
        file.code = file.code.replace(/\/\*\* @ts-ignore [^*]*\*\/(?=\S)/g, "\n$&\n");
      }
    },
  };
}
