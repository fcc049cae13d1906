#!/usr/bin/env node
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import packageJson from "../../package.json" with { type: "json" };
import { CodeCache } from "./code-cache.ts";

/** What the first line of the program's file tells, after `//`. */
const hashLength = 16;

/** What `packaging/one-script.ts` makes. */
type Program = (
  require: NodeJS.Require,
  importPackage: (id: string) => Promise<unknown>,
  directory: string,
) => void;

const [, , name] = process.argv;
if (!(name === "--version" || name === "-v") || !tellsVersion()) start();

/** False where it cannot be written: the program knows what that means. */
function tellsVersion(): boolean {
  try {
    writeSync(1, `${packageJson.version}\n`);
    return true;
  } catch {
    return false;
  }
}

function start(): void {
  const filename = join(__dirname, "program.js");
  const source = readFileSync(filename, "utf8");
  // V8 keeps the file's name in it too, which stacks tell: each installation has its own.
  const content = `${source.slice(2, 2 + hashLength)}-${crc32(filename).toString(16)}`;
  const kept = kindKept();
  const own = cacheOf(content, kept ?? "run");
  const data = own.read();
  const cachedData = data ?? (kept === "talk" ? cacheOf(content, "run").read() : undefined);
  const script = new Script(source, { filename, ...(cachedData && { cachedData }) });
  const isUsed = cachedData !== undefined && script.cachedDataRejected === false;
  const isMade = own.refusal === undefined && kept !== undefined && !(data && isUsed);
  if (process.argv.includes("--debug")) tell(describe(own.refusal, { isUsed, isMade }));
  if (isMade) {
    // Only then it is known which functions are used. Who has sent a signal does not wait for it.
    process.once("beforeExit", (code) => {
      if (code === 0) own.write(script);
    });
  }
  const program: Program = script.runInThisContext();
  program(createRequire(__filename), (id) => import(id), __dirname);
}

type Kind = "run" | "talk";

function cacheOf(content: string, kind: Kind): CodeCache {
  return new CodeCache({
    env: process.env,
    home: homedir(),
    uid: process.getuid?.(),
    name: `${packageJson.version}-${content}-${kind}`,
  });
}

/**
 * A run or a talk that went well has used most of what the next one needs, unless no provider had a
 * part in it. Help and the other commands use too little to be worth keeping: they take a run's.
 */
function kindKept(): Kind | undefined {
  const words = [...process.argv, process.env.TROUPE_MODEL ?? ""];
  if (words.some((word) => /^(--help|-h|(--model=)?rehearsal.*)$/.test(word))) return undefined;
  if (name === "run" || name === "-p") return "run";
  return name === undefined || name.startsWith("-") ? "talk" : undefined;
}

function describe(
  refusal: string | undefined,
  { isUsed, isMade }: { isUsed: boolean; isMade: boolean },
): string {
  if (refusal !== undefined) return `off (${refusal})`;
  const making = isMade ? ", made at the end" : "";
  return isUsed ? `used${making}` : `none that can be used${making}`;
}

function tell(state: string): void {
  try {
    writeSync(2, `debug: code cache: ${state}\n`);
  } catch {
    // Nobody reads it.
  }
}
