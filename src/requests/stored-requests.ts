import { TeamError } from "../errors.ts";
import type { Signature } from "../keys/signature.ts";
import type { Clock } from "../lib/clock.ts";
import type { FilePath } from "../lib/file-path.ts";
import { MemoryRecords } from "../lib/memory-records.ts";
import type { ChangeReports, RecordStore } from "../lib/record-store.ts";
import { VersionedRecords } from "../lib/versioned-records.ts";
import type { DirectoryChanges } from "../lib/wake-source.ts";
import { type MemberName, newRequestId, RequestId, system } from "../protocol/ids.ts";
import { type RequestState, TeamRequest } from "../protocol/request.ts";
import {
  isListed,
  newRequest,
  type RequestSettlement,
  settleRequest,
  unknownRequest,
  type VerifiedRequest,
  verifyRequest,
} from "./request-rules.ts";
import type { RequestAnswer, RequestDraft, RequestFilter, Requests } from "./requests.ts";

export interface StoredRequestsOptions {
  signature: Signature;
  clock: Clock;
  /** Objects with the same records have the same requests (default: records in memory). */
  records?: RecordStore<TeamRequest>;
  /** Called once for each record that is not as troupe wrote it. */
  onForgery?(problem: string): void;
}

export interface FileRequestsOptions extends Omit<StoredRequestsOptions, "records"> {
  /** `requests` in the team directory. */
  directory: FilePath;
  /** Reports changes of the directory. Without it, only changes made through this object are seen. */
  watch?: DirectoryChanges | undefined;
  /** Called once for each file that cannot be read. */
  onDamage(problem: string): void;
  /** Checks the lease under which this process writes: throws where it is lost. */
  check?: () => Promise<void>;
}

/** Requests over records that any number of processes may read and change. */
export class StoredRequests implements Requests, AsyncDisposable {
  readonly #records: RecordStore<TeamRequest>;
  readonly #signature: Signature;
  readonly #clock: Clock;
  readonly #onForgery: (problem: string) => void;
  readonly #changes: ChangeReports<TeamRequest>;
  /** The final state of each request that was decided: a decision that counts never changes. */
  readonly #ended = new Map<string, RequestState>();
  /** What has not changed is not verified again. */
  readonly #verified = new WeakMap<TeamRequest, VerifiedRequest>();
  /** The last problem of each record, so that it is reported once and not at every reading. */
  readonly #reported = new Map<string, string>();
  /** The last one that this process has opened: the next comes after it. */
  #last: RequestId | undefined;

  constructor(options: StoredRequestsOptions) {
    const { records = new MemoryRecords(), signature, clock, onForgery } = options;
    this.#records = records;
    this.#changes = records.changes(async (id) => (await this.#read(id))?.request);
    this.#signature = signature;
    this.#clock = clock;
    this.#onForgery = onForgery ?? (() => undefined);
  }

  /** Requests as files that any process may look at and that survive every crash. */
  static inFiles(options: FileRequestsOptions): StoredRequests {
    const { directory, watch, onDamage, check, ...others } = options;
    const now = () => others.clock.now();
    return new StoredRequests({
      ...others,
      records: new VersionedRecords({
        ...{ directory, watch, onDamage, check, now },
        ...{ schema: () => TeamRequest, isEditable: true },
      }),
    });
  }

  /** Brings the files for people up to date. Only for the one process that runs the team. */
  repair(): Promise<void> {
    return this.#records.repair();
  }

  async open(draft: RequestDraft): Promise<TeamRequest> {
    const at = this.#clock.now();
    const id = newRequestId(at, this.#last);
    this.#last = id;
    const request = newRequest(draft, { id, at, signature: this.#signature });
    if (!(await this.#records.commit(request))) {
      throw new TeamError("write-failed", `Request ${request.id} exists already`);
    }
    return this.#changes.report(request);
  }

  async get(id: RequestId): Promise<TeamRequest> {
    return (await this.#require(id)).request;
  }

  /** As `get`, and undefined where there is none. */
  async find(id: RequestId): Promise<TeamRequest | undefined> {
    return (await this.#read(id))?.request;
  }

  /** Of all requests, oldest first: ids begin with the time at which they were made. */
  async ids(): Promise<RequestId[]> {
    const names = (await this.#records.ids()).sort();
    return names.flatMap((name) => RequestId.safeParse(name).data ?? []);
  }

  async list(filter: RequestFilter = {}): Promise<TeamRequest[]> {
    // Ids begin with the time at which they were made.
    const ids = (await this.#records.ids()).sort().filter((id) => this.#mayBe(id, filter.state));
    const stored = await this.#records.readAll(ids);
    return stored
      .map((request) => this.#verify(request).request)
      .filter((request) => isListed(request, filter));
  }

  decide(id: RequestId, answer: RequestAnswer): Promise<TeamRequest> {
    return this.#settle(id, () => answer);
  }

  expire(id: RequestId, reason?: string): Promise<TeamRequest> {
    return this.#settle(id, ({ hash }) => ({ state: "expired", by: system, hash, reason }));
  }

  cancel(id: RequestId, by: MemberName, reason?: string): Promise<TeamRequest> {
    return this.#settle(id, ({ hash }) => ({ state: "cancelled", by, hash, reason }));
  }

  onChange(listener: (request: TeamRequest) => void): () => void {
    return this.#changes.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#changes[Symbol.asyncDispose]();
  }

  async #settle(
    id: RequestId,
    settlement: (request: TeamRequest) => RequestSettlement,
  ): Promise<TeamRequest> {
    const signing = { at: this.#clock.now(), signature: this.#signature };
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await this.#require(id);
      const settled = settleRequest(found, settlement(found.request), signing);
      if (await this.#records.commit(settled)) return this.#changes.report(settled);
    }
    throw new TeamError("request-refused", `Request ${id} keeps changing`, { hint: "Try again." });
  }

  async #require(id: RequestId): Promise<VerifiedRequest> {
    const found = await this.#read(id);
    if (found) return found;
    throw unknownRequest(id, await this.list({ state: "pending" }));
  }

  /** False where a request is known to have ended otherwise, and so need not be read. */
  #mayBe(id: string, state: RequestState | undefined): boolean {
    const ended = this.#ended.get(id);
    return !state || !ended || ended === state;
  }

  async #read(id: string): Promise<VerifiedRequest | undefined> {
    const stored = await this.#records.read(id);
    return stored && this.#verify(stored);
  }

  #verify(stored: TeamRequest): VerifiedRequest {
    const { id } = stored;
    const known = this.#verified.get(stored);
    if (known) return known;
    const verified = verifyRequest(stored, this.#signature);
    this.#verified.set(stored, verified);
    const { request, problem } = verified;
    if (problem === undefined && request.state !== "pending") this.#ended.set(id, request.state);
    else this.#ended.delete(id);
    this.#report(id, problem);
    return verified;
  }

  #report(id: string, problem: string | undefined): void {
    if (this.#reported.get(id) === problem) return;
    if (problem === undefined) {
      this.#reported.delete(id);
      return;
    }
    this.#reported.set(id, problem);
    this.#onForgery(problem);
  }
}

/** How often a change is tried again because another writer was faster. */
const maxAttempts = 32;
