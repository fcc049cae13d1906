import { z } from "zod";
import { TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { FilePath } from "../lib/file-path.ts";
import { Listeners } from "../lib/listeners.ts";
import { MemoryRecords } from "../lib/memory-records.ts";
import type { RecordStore } from "../lib/record-store.ts";
import { Serial } from "../lib/serial.ts";
import { isSigned, type Signer, signRecord } from "../lib/signed-record.ts";
import { VersionedRecords } from "../lib/versioned-records.ts";
import { LandingId } from "../protocol/ids.ts";
import { Landing } from "../protocol/landing.ts";
import { isOver, moveLanding, newLanding, unknownLanding } from "./landing-rules.ts";
import type { LandingDraft, LandingMove, Landings } from "./landings.ts";

/** A landing as it is on record: signed in whole, because all of it decides what becomes of the target. */
export const StoredLanding = Landing.extend({ sig: z.string().optional() });
export type StoredLanding = z.infer<typeof StoredLanding>;

export interface StoredLandingsOptions {
  signature: Signer;
  clock: Clock;
  /** Objects with the same records have the same landings (default: records in memory). */
  records?: RecordStore<StoredLanding>;
}

export interface FileLandingsOptions extends Omit<StoredLandingsOptions, "records"> {
  /** `landings` in the team directory. */
  directory: FilePath;
  /** Called once for each record that cannot be read, or that troupe did not write. */
  onDamage(problem: string): void;
  /** Checks the lease under which this process writes: throws where it is lost. */
  check?: () => Promise<void>;
}

/** Landings over records that any number of processes may read. */
export class StoredLandings implements Landings {
  readonly #records: RecordStore<StoredLanding>;
  readonly #signature: Signer;
  readonly #clock: Clock;
  readonly #listeners = new Listeners<Landing>();
  readonly #takes = new Serial();
  /** Those that never change again need not be read again. */
  readonly #over = new Map<string, Landing>();

  constructor({ records = new MemoryRecords(), ...options }: StoredLandingsOptions) {
    this.#records = records;
    this.#signature = options.signature;
    this.#clock = options.clock;
  }

  /** Landings as files that any process may look at and that survive every crash. */
  static inFiles(options: FileLandingsOptions): StoredLandings {
    const { directory, onDamage, check, clock, signature } = options;
    return new StoredLandings({
      ...{ clock, signature },
      records: new VersionedRecords({
        ...{ directory, onDamage, check, now: () => clock.now() },
        // Of an edited record, the newest version that was not edited counts.
        schema: () =>
          StoredLanding.refine(({ sig, ...it }) => isSigned(it, sig, signature), {
            error: "was not written by troupe, and is not used",
          }),
        isEditable: false,
      }),
    });
  }

  /** Brings the files for people up to date. Only for the one process that runs the team. */
  repair(): Promise<void> {
    return this.#records.repair();
  }

  /** One at a time: an id that is being taken looks like that of a record that cannot be read. */
  take(draft: LandingDraft): Promise<Landing> {
    return this.#takes.run(() => this.#take(draft));
  }

  async #take(draft: LandingDraft): Promise<Landing> {
    const at = this.#clock.now();
    for (;;) {
      const known = (await this.list()).find(
        ({ member, commit }) => member === draft.member && commit === draft.commit,
      );
      if (known) return known;
      // A record that does not count still uses up its number.
      const newest = Math.max(0, ...(await this.#ids()).map(Number));
      const landing = newLanding(draft, { id: LandingId.parse(String(newest + 1)), at });
      if (await this.#commit(landing)) return landing;
    }
  }

  async get(id: LandingId): Promise<Landing> {
    const landing = await this.#read(id);
    if (landing) return landing;
    throw unknownLanding(id, await this.list());
  }

  async list(): Promise<Landing[]> {
    const ids = (await this.#ids()).sort((a, b) => Number(a) - Number(b));
    const unread = ids.filter((id) => !this.#over.has(id));
    const read = (await this.#records.readAll(unread)).map((stored) => this.#keep(stored));
    const byId = new Map(read.map((landing) => [landing.id, landing]));
    return ids.flatMap((id) => structuredClone(this.#over.get(id)) ?? byId.get(id) ?? []);
  }

  async move(
    { id, version }: Pick<Landing, "id" | "version">,
    move: LandingMove,
  ): Promise<Landing> {
    const landing = await this.get(id);
    if (landing.version !== version) throw hasChanged(id);
    const moved = moveLanding(landing, move, this.#clock.now());
    if (!(await this.#commit(moved))) throw hasChanged(id);
    return moved;
  }

  onChange(listener: (landing: Landing) => void): () => void {
    return this.#listeners.add(listener);
  }

  async #ids(): Promise<LandingId[]> {
    return (await this.#records.ids()).flatMap((name) => LandingId.safeParse(name).data ?? []);
  }

  async #commit(landing: Landing): Promise<boolean> {
    const isMade = await this.#records.commit(signRecord(landing, this.#signature));
    if (isMade) this.#listeners.emit(landing);
    return isMade;
  }

  async #read(id: string): Promise<Landing | undefined> {
    const known = this.#over.get(id);
    if (known) return structuredClone(known);
    const stored = await this.#records.read(id);
    return stored && this.#keep(stored);
  }

  #keep({ sig: _, ...landing }: StoredLanding): Landing {
    if (isOver(landing)) this.#over.set(landing.id, structuredClone(landing));
    return landing;
  }
}

function hasChanged(id: LandingId): TeamError {
  return new TeamError("landing-changed", `Landing ${id} has changed meanwhile`, {
    hint: "Look at it again: troupe changes.",
  });
}
