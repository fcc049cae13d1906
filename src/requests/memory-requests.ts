import type { Signature } from "../keys/signature.ts";
import type { Clock } from "../lib/clock.ts";
import { MemoryRecords } from "../lib/memory-records.ts";
import { type MemberName, newRequestId, type RequestId, system } from "../protocol/ids.ts";
import type { Request } from "../protocol/request.ts";
import {
  isListed,
  newRequest,
  type RequestSettlement,
  settleRequest,
  unknownRequest,
  verifyRequest,
} from "./request-rules.ts";
import type { RequestAnswer, RequestDraft, RequestFilter, Requests } from "./requests.ts";

export interface MemoryRequestsOptions {
  signature: Signature;
  clock: Clock;
  records?: MemoryRecords<RequestId, Request>;
}

/** Requests for tests and single-process teams. Keeps every promise except surviving a crash. */
export class MemoryRequests implements Requests {
  readonly #signature: Signature;
  readonly #clock: Clock;
  readonly #records: MemoryRecords<RequestId, Request>;

  /** Objects with the same `records` have the same requests. */
  constructor({ signature, clock, records = new MemoryRecords() }: MemoryRequestsOptions) {
    this.#signature = signature;
    this.#clock = clock;
    this.#records = records;
  }

  async open(draft: RequestDraft): Promise<Request> {
    const at = this.#clock.now();
    return this.#records.put(
      newRequest(draft, { id: newRequestId(at), at, signature: this.#signature }),
    );
  }

  async get(id: RequestId): Promise<Request> {
    return structuredClone(this.#find(id));
  }

  async list(filter: RequestFilter = {}): Promise<Request[]> {
    return structuredClone(this.#select(filter));
  }

  decide(id: RequestId, answer: RequestAnswer): Promise<Request> {
    return this.#settle(id, () => answer);
  }

  expire(id: RequestId, reason?: string): Promise<Request> {
    return this.#settle(id, ({ hash }) => ({ state: "expired", by: system, hash, reason }));
  }

  cancel(id: RequestId, by: MemberName, reason?: string): Promise<Request> {
    return this.#settle(id, ({ hash }) => ({ state: "cancelled", by, hash, reason }));
  }

  onChange(listener: (request: Request) => void): () => void {
    return this.#records.listeners.add(listener);
  }

  async #settle(
    id: RequestId,
    settlement: (request: Request) => RequestSettlement,
  ): Promise<Request> {
    const verified = verifyRequest(this.#find(id), this.#signature);
    const signing = { at: this.#clock.now(), signature: this.#signature };
    return this.#records.put(settleRequest(verified, settlement(verified.request), signing));
  }

  #find(id: RequestId): Request {
    const request = this.#records.byId.get(id);
    if (request) return request;
    throw unknownRequest(id, this.#select({ state: "pending" }));
  }

  #select(filter: RequestFilter): Request[] {
    return [...this.#records.byId.values()]
      .filter((request) => isListed(request, filter))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}
