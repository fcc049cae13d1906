import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { appendFile, rename, rm, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { closing } from "../lib/closing.ts";
import { at, type FilePath, within } from "../lib/file-path.ts";
import { appendAside, type Damage, writeFailed } from "../lib/json-lines.ts";
import { openIfExists } from "../lib/open-files.ts";
import { sideDirectory } from "../lib/segments.ts";
import type { ChainedTail, ForeignLine } from "./chained-tail.ts";
import { type ChainLink, chainStart, type EntryChain } from "./entry-chain.ts";
import type { HeadFile } from "./head-file.ts";

interface RewriteOptions {
  chain: EntryChain;
  head?: HeadFile | undefined;
  onDamage(damage: Damage): void;
}

/**
 * Rewrites the tail of a transcript: its entries in their order, with a `gap` where some are
 * missing, without those that a `rewind` has made void. Other lines go to `damaged.jsonl` in the side directory. A process that dies meanwhile
 * leaves the transcript unchanged. Returns the chain's new end.
 */
export async function rewriteTail(
  path: FilePath,
  tail: ChainedTail,
  { chain, head, onDamage }: RewriteOptions,
): Promise<ChainLink> {
  const asidePath = within(sideDirectory(path), "damaged.jsonl");
  const { lines, last } = sealAll(tail, chain);
  try {
    if (tail.foreign.length > 0) await keepAside(asidePath, tail.foreign);
    // The head is cleared first: the old one does not match the new chain, and an empty one matches
    // any.
    head?.write(chainStart);
    await replaceFrom(path, tail.offset, lines);
    head?.write(last);
  } catch (error) {
    throw writeFailed(path, error);
  }
  for (const { line, reason } of tail.foreign) {
    const { offset } = line;
    onDamage({ path: String(path), offset, reason: `${reason}; the line is in ${asidePath}` });
  }
  if (tail.lost > 0 || tail.foreign.length === 0) onDamage(lossOf(path, tail));
  return last;
}

function sealAll({ entries, before }: ChainedTail, chain: EntryChain) {
  let last = before;
  let lines = "";
  for (const entry of entries) {
    // What it has made void is not written again.
    const written = entry.type === "rewind" ? { ...entry, voids: 0 } : entry;
    const sealed = chain.seal(written, last);
    lines += sealed.line;
    last = sealed.link;
  }
  return { lines, last };
}

async function keepAside(path: FilePath, foreign: readonly ForeignLine[]): Promise<void> {
  for (const { line } of foreign) await appendAside(path, `${line.bytes.toString()}\n`);
}

/** Replaces everything from byte `offset` of the file by `lines`, at once. */
async function replaceFrom(path: FilePath, offset: number, lines: string): Promise<void> {
  const file = await openIfExists(path);
  await using _ = closing(file);
  await at(path, async (location) => {
    const temporary = `${location}.${randomUUID()}.tmp`;
    try {
      await writeFile(temporary, "", { flag: "wx", mode: 0o600 });
      if (offset > 0 && file) {
        const unchanged = file.createReadStream({ start: 0, end: offset - 1, autoClose: false });
        await pipeline(unchanged, createWriteStream(temporary, { flags: "r+" }));
      }
      await appendFile(temporary, lines);
      await rename(temporary, location);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}

function lossOf(path: FilePath, { lost, offset }: ChainedTail): Damage {
  const what =
    lost > 0
      ? `${lost} of its last entries ${lost === 1 ? "is" : "are"} missing`
      : "its entries were changed";
  return { path: String(path), offset, reason: `${path}: ${what}. The member is told.` };
}
