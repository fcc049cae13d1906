import { z } from "zod";
import { TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { FilePath } from "../lib/file-path.ts";
import { MemoryRecords } from "../lib/memory-records.ts";
import type { RecordStore } from "../lib/record-store.ts";
import { isSigned, type Signer, signRecord } from "../lib/signed-record.ts";
import { VersionedRecords } from "../lib/versioned-records.ts";
import { CheckoutRecord } from "../protocol/checkout.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { CheckoutDraft, CheckoutRecords } from "./checkout-records.ts";

/** A checkout as it is on record: signed in whole, because its path decides where its member writes. */
const StoredCheckout = CheckoutRecord.extend({ sig: z.string().optional() });
type StoredCheckout = z.infer<typeof StoredCheckout>;

export interface StoredCheckoutsOptions {
  signature: Signer;
  clock: Clock;
  /** Objects with the same records have the same checkouts (default: records in memory). */
  records?: RecordStore<StoredCheckout>;
}

export interface FileCheckoutsOptions extends Omit<StoredCheckoutsOptions, "records"> {
  /** `checkouts` in the team directory. */
  directory: FilePath;
  /** Called once for each record that cannot be read, or that troupe did not write. */
  onDamage(problem: string): void;
  /** Checks the lease under which this process writes: throws where it is lost. */
  check?: () => Promise<void>;
}

/** Older versions are not needed. */
const keptVersions = 4;

/** Checkouts over records that any number of processes may read. */
export class StoredCheckouts implements CheckoutRecords {
  readonly #records: RecordStore<StoredCheckout>;
  readonly #signature: Signer;
  readonly #clock: Clock;

  constructor({ records = new MemoryRecords(), signature, clock }: StoredCheckoutsOptions) {
    this.#records = records;
    this.#signature = signature;
    this.#clock = clock;
  }

  /** Checkouts as files that any process may look at and that survive every crash. */
  static inFiles(options: FileCheckoutsOptions): StoredCheckouts {
    const { directory, onDamage, check, clock, signature } = options;
    return new StoredCheckouts({
      ...{ clock, signature },
      records: new VersionedRecords({
        ...{ directory, onDamage, check, keptVersions, now: () => clock.now() },
        // Of an edited record, the newest version that was not edited counts.
        schema: () =>
          StoredCheckout.refine(({ sig, ...it }) => isSigned(it, sig, signature), {
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

  async list(): Promise<CheckoutRecord[]> {
    const ids = (await this.#records.ids()).sort();
    return (await this.#records.readAll(ids)).map(withoutSignature);
  }

  async get(member: MemberName): Promise<CheckoutRecord | undefined> {
    const stored = await this.#records.read(member);
    return stored && withoutSignature(stored);
  }

  async put(draft: CheckoutDraft): Promise<CheckoutRecord> {
    const known = await this.get(draft.id);
    const now = this.#clock.now().toISOString();
    const record: CheckoutRecord = {
      ...draft,
      created_at: draft.created_at ?? now,
      updated_at: now,
      version: (known?.version ?? 0) + 1,
    };
    if (await this.#records.commit(signRecord(record, this.#signature))) return record;
    throw new TeamError("checkout-failed", `The record of ${draft.id}'s checkout has changed`, {
      hint: "Another process runs the team. Try again there.",
    });
  }
}

function withoutSignature({ sig: _, ...record }: StoredCheckout): CheckoutRecord {
  return record;
}
