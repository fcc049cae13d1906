import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "hono";
import { hasErrno, TeamError } from "../errors.ts";
import { makeOnce } from "../lib/make-once.ts";

/** All files of the page. No other file can be requested, whatever the path is. */
const files: ReadonlyMap<string, { name: string; type: string }> = new Map([
  ["/", { name: "index.html", type: "text/html; charset=utf-8" }],
  ["/index.html", { name: "index.html", type: "text/html; charset=utf-8" }],
  ["/dashboard.js", { name: "dashboard.js", type: "text/javascript; charset=utf-8" }],
  ["/dashboard.css", { name: "dashboard.css", type: "text/css; charset=utf-8" }],
]);

interface StaticFile {
  text: string;
  etag: string;
}

/** The files of the page, each read at its first request. */
export class StaticFiles {
  readonly #directory: string;
  readonly #read = new Map<string, Promise<StaticFile>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Throws if the page was not built. */
  async check(): Promise<void> {
    await Promise.all([...files.values()].map(({ name }) => this.#file(name)));
  }

  /** The answer to a request for a file of the page; undefined for any other path. */
  async answer(c: Context): Promise<Response | undefined> {
    const asked = files.get(c.req.path);
    if (!asked) return undefined;
    const { text, etag } = await this.#file(asked.name);
    // Revalidated each time: another version of the program may serve here tomorrow.
    c.header("Cache-Control", "no-cache");
    c.header("ETag", etag);
    if (c.req.header("if-none-match") === etag) return c.body(null, 304);
    c.header("Content-Type", asked.type);
    return c.body(text);
  }

  #file(name: string): Promise<StaticFile> {
    return makeOnce(this.#read, name, () => readStaticFile(this.#directory, name));
  }
}

async function readStaticFile(directory: string, name: string): Promise<StaticFile> {
  const text = await readPageFile(directory, name);
  return { text, etag: `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"` };
}

export async function readPageFile(directory: string, name: string): Promise<string> {
  const path = join(directory, name);
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (!hasErrno(error, "ENOENT", "ENOTDIR")) throw error;
    throw new TeamError("dashboard-failed", `The dashboard's page is missing: ${path}`, {
      cause: error,
      hint: "The package is not built: run `npm run build`, or reinstall it.",
    });
  }
}
