import { join } from "node:path";
import { build } from "tsdown";
import { inputOptions } from "../../packaging/input-options.ts";

/** Bundles `programs` as plain JavaScript in `directory`, and returns their paths. */
export async function bundle<Name extends string>(
  programs: Record<Name, string>,
  directory: string,
): Promise<(name: Name) => string> {
  await build({
    config: false,
    entry: programs,
    outDir: directory,
    platform: "node",
    target: "node20",
    format: "esm",
    dts: false,
    logLevel: "error",
    deps: { alwaysBundle: [/./] },
    inputOptions,
  });
  return (name) => join(directory, `${name}.mjs`);
}
