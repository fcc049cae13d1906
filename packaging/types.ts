import type { Rolldown } from "tsdown";

/**
 * Zod's types claim variances that the compiler cannot see, and tell it in comments not to look at the
 * next line. Bundled, what is meant stands on the comment's own line: it is put on the next again, or
 * no user could have the types of the package checked.
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
