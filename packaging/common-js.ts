import type { Rolldown } from "tsdown";

/** Adds what makes Node take the files of its directory for CommonJS, which starts quicker than modules. */
export function commonJs(): Rolldown.Plugin {
  return {
    name: "common-js",
    generateBundle() {
      const source = `${JSON.stringify({ type: "commonjs" })}\n`;
      this.emitFile({ type: "asset", fileName: "package.json", source });
    },
  };
}
