import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Rolldown } from "tsdown";
import { z } from "zod";

const PackageJson = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** The directory of a module's package, in any `node_modules`. */
const packageDirectory = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Adds a file with the licence of every bundled package, as their licences require. */
export function licenses(fileName: string): Rolldown.Plugin {
  return {
    name: "licenses",
    generateBundle(_options, bundle) {
      const source = licenseText(Object.values(bundle));
      if (source !== undefined) this.emitFile({ type: "asset", fileName, source });
    },
  };
}

interface BundledFile {
  type: "asset" | "chunk";
  moduleIds?: readonly string[];
}

/**
 * The licences of the packages in these files. Undefined if there are none: types are bundled
 * separately.
 */
export function licenseText(files: readonly BundledFile[]): string | undefined {
  const modules = files.flatMap(({ moduleIds = [] }) => moduleIds);
  const directories = modules.flatMap((id) => packageDirectory.exec(id)?.[0] ?? []);
  const packages = [...new Set(directories)].map(readPackage);
  if (packages.length === 0) return undefined;
  const sections = packages.map((each) => `${each.title}\n\n${textOf(each, packages)}`);
  const parts = [intro, ...new Set(sections.sort())];
  return parts.join(`\n\n${"-".repeat(80)}\n\n`).concat("\n");
}

const intro = "This package contains parts of the packages below, under their own licences.";

interface BundledPackage {
  title: string;
  license: string;
  /** The licence texts of a package. Undefined if it only names its licence. */
  text: string | undefined;
}

function readPackage(directory: string): BundledPackage {
  const json: unknown = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const { name, version, license } = PackageJson.parse(json);
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|notice)\b/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(directory, file), "utf8").trim());
  return {
    title: `${name} ${version} (${license})`,
    license,
    text: texts.length > 0 ? texts.join("\n\n") : undefined,
  };
}

function textOf({ title, license, text }: BundledPackage, packages: BundledPackage[]): string {
  if (text !== undefined) return text;
  const other = packages.find((each) => each.license === license && each.text !== undefined);
  if (!other) throw new Error(`${title} is bundled, and nothing has the text of its licence`);
  return `Its package has no copy of its licence. It is the one of ${other.title}.`;
}
