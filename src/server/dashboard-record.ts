import { createHash } from "node:crypto";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { hasErrno, reasonOf, TeamError } from "../errors.ts";
import { dashboardsDirectory } from "../keys/team-key.ts";
import { ensurePrivateDirectory, readTextIfExists, replaceFile } from "../lib/files.ts";
import { parseJson } from "../lib/json.ts";
import { ProcessIdentity, type ProcessTable, sharePids } from "../lib/process-identity.ts";
import type { Machine } from "../team/team-place.ts";
import { realPathOf } from "../workspace/real-path.ts";

/** A process that serves a dashboard. */
const Serving = z.object({
  process: ProcessIdentity,
  port: z.int().min(1).max(65_535),
  since: z.iso.datetime(),
  /** In hex, made for this start. With it, tokens can be made while the process serves. */
  secret: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Serving = z.infer<typeof Serving>;

const StoredRecord = z.object({
  /** The location of the team: a directory behind all links, or a URL. */
  directory: z.string(),
  serving: z.array(Serving),
});
type StoredRecord = z.infer<typeof StoredRecord>;

/** The record of the dashboards of one team, stored outside of its directory and readable only by its user. */
export class DashboardRecord {
  readonly #path: string;
  #stored: StoredRecord;

  private constructor(path: string, stored: StoredRecord) {
    this.#path = path;
    this.#stored = stored;
  }

  /** The record of the team at a location, where none need exist; empty if it is missing. */
  static async open(
    location: string,
    { keyPlace }: Pick<Machine, "keyPlace">,
  ): Promise<DashboardRecord> {
    const directory = isAbsolute(location) ? await realPathOf(location) : location;
    const name = createHash("sha256").update(directory).digest("hex");
    const records = dashboardsDirectory(keyPlace);
    const path = join(records, `${name}.json`);
    await ensurePrivateDirectory(records);
    return new DashboardRecord(path, (await read(path)) ?? { directory, serving: [] });
  }

  /** The processes that serve a dashboard, as far as this process can see; the last first. */
  async running(processes: ProcessTable): Promise<Serving[]> {
    const self = await processes.self();
    const isAlive = async ({ process: other }: Serving) =>
      sharePids(self, other) && (await processes.startOf(other.pid)) === other.process_start;
    const checked = this.#stored.serving.map(async (one) => ((await isAlive(one)) ? [one] : []));
    return (await Promise.all(checked)).flat().reverse();
  }

  /** Records that a process serves; those that have ended are removed. */
  async announce(serving: Serving, processes: ProcessTable): Promise<void> {
    await this.#reload();
    const others = (await this.running(processes)).reverse();
    await this.#write([...others, serving]);
  }

  /** Records that it no longer serves. */
  async withdraw({ port, since }: Serving): Promise<void> {
    await this.#reload();
    const others = this.#stored.serving.filter((it) => it.port !== port || it.since !== since);
    await this.#write(others);
  }

  async #reload(): Promise<void> {
    this.#stored = (await read(this.#path)) ?? this.#stored;
  }

  async #write(serving: Serving[]): Promise<void> {
    this.#stored = { ...this.#stored, serving };
    await replaceFile(this.#path, `${JSON.stringify(this.#stored, null, 2)}\n`);
  }
}

/** Undefined if there is no record, or it is damaged. */
async function read(path: string): Promise<StoredRecord | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  try {
    return parseJson(text, StoredRecord, path);
  } catch (error) {
    if (error instanceof TeamError && error.code === "record-corrupt") return undefined;
    throw error;
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readTextIfExists(path);
  } catch (error) {
    if (!hasErrno(error, "EISDIR", "EACCES")) throw error;
    const reason = reasonOf(error);
    throw new TeamError("dashboard-failed", `${path} cannot be read: ${reason}`, {
      cause: error,
      hint: "Move it away; troupe makes a new one.",
    });
  }
}
