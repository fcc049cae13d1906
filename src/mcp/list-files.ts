import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { TeamError } from "../errors.ts";
import {
  ensurePrivateDirectory,
  listNames,
  readTextIfExists,
  removeFile,
  replaceFile,
} from "../lib/files.ts";
import { parseJson } from "../lib/json.ts";
import { orNothing } from "../lib/or-nothing.ts";
import { ServerList } from "./server-list.ts";

/** What a member was given when its tools were chosen. They stay the same for as long as `basis` does. */
export const MemberLists = z.object({
  /** Another text for another system prompt, or other servers. */
  basis: z.string(),
  /** What was known of each server then; null for one that nobody had started yet. */
  lists: z.record(z.string(), ServerList.nullable()),
});
export type MemberLists = z.infer<typeof MemberLists>;

/** The most files of each kind. The oldest are removed. */
const maxFiles = 500;

/**
 * What servers have offered, and what members were given of it, in files of the person's state directory: so a member has
 * its tools before any server is started, and the same ones after a restart. A file that cannot be used is as none.
 */
export class ListFiles {
  readonly #directory: string;
  readonly #onWarning: (message: string) => void;

  constructor(directory: string, onWarning: (message: string) => void) {
    this.#directory = directory;
    this.#onWarning = onWarning;
  }

  /** What the server offered when it was last asked. `key` stands for its definition. */
  known(key: string): Promise<ServerList | undefined> {
    return this.#read(["servers", key], ServerList);
  }

  keepKnown(key: string, list: ServerList): Promise<void> {
    return this.#write(["servers", key], list);
  }

  ofMember(member: string): Promise<MemberLists | undefined> {
    return this.#read(["members", member], MemberLists);
  }

  keepOfMember(member: string, lists: MemberLists): Promise<void> {
    return this.#write(["members", member], lists);
  }

  async #read<T>([kind, name]: [string, string], schema: z.ZodType<T>): Promise<T | undefined> {
    const path = join(this.#directory, kind, fileName(name));
    try {
      const text = await readTextIfExists(path);
      return text === undefined ? undefined : parseJson(text, schema, path);
    } catch (error) {
      if (!isExpected(error)) throw error;
      return undefined;
    }
  }

  async #write([kind, name]: [string, string], value: object): Promise<void> {
    const directory = join(this.#directory, kind);
    try {
      await ensurePrivateDirectory(directory);
      await replaceFile(join(directory, fileName(name)), `${JSON.stringify(value)}\n`);
      await removeOldest(directory);
    } catch (error) {
      if (!isExpected(error)) throw error;
      this.#onWarning(`The list of an MCP server's tools could not be kept: ${error.message}`);
    }
  }
}

async function removeOldest(directory: string): Promise<void> {
  const names = await listNames(directory);
  if (names.length <= maxFiles) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      return { path, ms: (await orNothing(stat(path), undefined))?.mtimeMs ?? 0 };
    }),
  );
  const oldest = files.sort((a, b) => a.ms - b.ms).slice(0, files.length - maxFiles);
  for (const { path } of oldest) await removeFile(path);
}

function fileName(name: string): string {
  return `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.json`;
}

function isExpected(error: unknown): error is Error {
  return error instanceof TeamError || (error instanceof Error && "errno" in error);
}
