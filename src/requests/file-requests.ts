import { TeamError } from "../errors.ts";
import type { Signature } from "../keys/signature.ts";
import { mapInBatches } from "../lib/batches.ts";
import type { Clock } from "../lib/clock.ts";
import { VersionedRecords } from "../lib/versioned-records.ts";
import { type MemberName, newRequestId, type RequestId, system } from "../protocol/ids.ts";
import { Request, type RequestState } from "../protocol/request.ts";
import {
  newRequest,
  type Settlement,
  settleRequest,
  unknownRequest,
  type VerifiedRequest,
  verifyRequest,
} from "./request-rules.ts";
import type { Answer, RequestDraft, Requests } from "./requests.ts";

export interface FileRequestsOptions {
  /** `requests` in the team directory. */
  directory: string;
  signature: Signature;
  clock: Clock;
  /** Told once of each file that cannot be read. */
  onDamage(problem: string): void;
  /** Told once of each record that troupe did not write as it stands. */
  onForgery(problem: string): void;
  /** Throws when this process may no longer write. Needless for one that only looks. */
  check?: () => Promise<void>;
}

/** Requests as files that any process may look at and that survive every crash. */
export class FileRequests implements Requests {
  readonly #records: VersionedRecords<Request>;
  readonly #signature: Signature;
  readonly #clock: Clock;
  readonly #onForgery: (problem: string) => void;
  readonly #listeners = new Set<(request: Request) => void>();
  /** The last problem of each record, so that it is told once and not at every reading. */
  readonly #told = new Map<string, string>();

  constructor(options: FileRequestsOptions) {
    const { directory, signature, clock, onDamage, onForgery, check } = options;
    this.#records = new VersionedRecords({
      directory,
      schema: Request,
      onDamage,
      now: () => clock.now(),
      check,
    });
    this.#signature = signature;
    this.#clock = clock;
    this.#onForgery = onForgery;
  }

  /** Brings the files for people up to date. Only for the one process that runs the team. */
  repair(): Promise<void> {
    return this.#records.repair();
  }

  async open(draft: RequestDraft): Promise<Request> {
    const at = this.#clock.now();
    const request = newRequest(draft, { id: newRequestId(at), at, signature: this.#signature });
    if (!(await this.#records.commit(request))) {
      throw new TeamError("write-failed", `Request ${request.id} exists already`);
    }
    return this.#announce(request);
  }

  async get(id: RequestId): Promise<Request> {
    return (await this.#require(id)).request;
  }

  async list({ state }: { state?: RequestState } = {}): Promise<Request[]> {
    // Ids begin with the time at which they were made.
    const ids = (await this.#records.ids()).sort();
    const all = (await mapInBatches(ids, (id) => this.#read(id))).flatMap(
      (found) => found?.request ?? [],
    );
    return state ? all.filter((request) => request.state === state) : all;
  }

  decide(id: RequestId, answer: Answer): Promise<Request> {
    return this.#settle(id, () => answer);
  }

  expire(id: RequestId, reason?: string): Promise<Request> {
    return this.#settle(id, ({ hash }) => ({ state: "expired", by: system, hash, reason }));
  }

  cancel(id: RequestId, by: MemberName, reason?: string): Promise<Request> {
    return this.#settle(id, ({ hash }) => ({ state: "cancelled", by, hash, reason }));
  }

  onChange(listener: (request: Request) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #settle(id: RequestId, settlement: (request: Request) => Settlement): Promise<Request> {
    const signing = { at: this.#clock.now(), signature: this.#signature };
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await this.#require(id);
      const settled = settleRequest(found, settlement(found.request), signing);
      if (await this.#records.commit(settled)) return this.#announce(settled);
    }
    throw new TeamError("request-refused", `Request ${id} keeps changing`, { hint: "Try again." });
  }

  async #require(id: RequestId): Promise<VerifiedRequest> {
    const found = await this.#read(id);
    if (found) return found;
    throw unknownRequest(id, await this.list({ state: "pending" }));
  }

  async #read(id: string): Promise<VerifiedRequest | undefined> {
    const stored = await this.#records.read(id);
    if (!stored) return undefined;
    const verified = verifyRequest(stored, this.#signature);
    this.#tell(id, verified.problem);
    return verified;
  }

  #tell(id: string, problem: string | undefined): void {
    if (this.#told.get(id) === problem) return;
    if (problem === undefined) {
      this.#told.delete(id);
      return;
    }
    this.#told.set(id, problem);
    this.#onForgery(problem);
  }

  #announce(request: Request): Request {
    for (const listener of this.#listeners) listener(request);
    return request;
  }
}

/** How often a change is tried again because another writer was faster. */
const maxAttempts = 32;
