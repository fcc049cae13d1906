#!/usr/bin/env node
import { readFileSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import packageJson from "../../package.json" with { type: "json" };
import { CodeCache } from "./code-cache.ts";
import { Scripts } from "./scripts.ts";

/** The content of the first line of the program's file, after `//`. */
const hashLength = 16;

const [, , name] = process.argv;
if (!(name === "--version" || name === "-v") || !tellsVersion()) start();

/** False if it cannot be written; the program handles that. */
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
  const source = readFileSync(filename, "latin1");
  // V8 stores the file's name too, which stacks show: each installation has its own cache.
  const content = `${source.slice(2, 2 + hashLength)}-${crc32(filename).toString(16)}`;
  const kept = kindKept();
  const cache = cacheOf(content, kept ?? "run");
  const scripts = new Scripts(__dirname, cache);
  scripts.run("program.js", source);
  const isMade = () => cache.refusal === undefined && kept !== undefined && scripts.isAnyCompiled;
  if (process.argv.includes("--debug"))
    tell(describe(cache.refusal, { isUsed: !scripts.isAnyCompiled, isMade: isMade() }));
  // Only then the used functions are known. After a signal nothing is stored.
  process.once("beforeExit", (code) => {
    if (code === 0 && isMade()) cache.write(scripts.compiled());
  });
}

function cacheOf(content: string, kind: string): CodeCache {
  return new CodeCache({
    env: process.env,
    home: homedir(),
    uid: process.getuid?.(),
    name: `${packageJson.version}-${content}-${kind}`,
  });
}

/**
 * Each command stores the code that it uses. Help uses too little to be worth it, and a run without
 * a provider lacks code that the next one may need.
 */
function kindKept(): string | undefined {
  const words = [...process.argv, process.env.TROUPE_MODEL ?? ""];
  if (words.some((word) => /^(--help|-h|(--model=)?rehearsal.*)$/.test(word))) return undefined;
  if (name === undefined || (name.startsWith("-") && name !== "-p")) return "talk";
  if (name === "-p") return "run";
  return /^[a-z]{1,12}$/.test(name) ? name : undefined;
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
    // The value is not used.
  }
}
