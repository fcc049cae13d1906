import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { makeTable } from "./models/facts.ts";
import { sourceDate, sourceModels } from "./models/source.ts";
import { originText, type TableOrigin, tableText } from "./models/table-text.ts";

const packageName = "@earendil-works/pi-ai";

/** The tables, each with the file of the source that it is made of. */
const sources = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google",
  openrouter: "openrouter",
  bedrock: "amazon-bedrock",
};

const run = promisify(execFile);
const Packed = z.tuple([z.object({ filename: z.string(), version: z.string() })]);

/** Downloads the package into `directory` without installing it: no code of it is run. */
async function download(directory: string, version: string): Promise<TableOrigin> {
  const { stdout } = await run("npm", ["pack", "--json", `${packageName}@${version}`], {
    cwd: directory,
  });
  const [packed] = Packed.parse(JSON.parse(stdout));
  await run("tar", ["-xzf", packed.filename], { cwd: directory });
  const date = sourceDate(await readFile(dataFile(directory, ".manifest"), "utf8"));
  return { source: `${packageName} ${packed.version}`, date };
}

function dataFile(directory: string, name: string): string {
  return join(directory, "package/dist/providers/data", `${name}.json`);
}

const [version = "latest"] = process.argv.slice(2);
await using scratch = await temporaryDirectory();
const origin = await download(scratch.path, version);
const target = "src/model/known-models";
for (const [provider, file] of Object.entries(sources)) {
  const models = sourceModels(await readFile(dataFile(scratch.path, file), "utf8"));
  const table = makeTable(provider, models);
  await writeFile(join(target, `${provider}.ts`), tableText(provider, table, origin));
  console.log(`${provider}: ${Object.keys(table).length} models`);
}
await writeFile(join(target, "origin.ts"), originText(origin));
console.log(`${target} is of ${origin.date}, by ${origin.source}`);
