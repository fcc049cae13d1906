import { modelIds } from "../../model/model-list.ts";
import type { MemberStatus } from "../../protocol/team.ts";

/** The model that was asked for, and the one that answers. */
type StandIn = { for: string; model: string };

/** Reports a member's status for the roster, each change once. */
export class StatusReport {
  readonly #onStatus: (status: MemberStatus, detail: string | undefined) => void;
  #shown: { status: MemberStatus; detail: string | undefined } | undefined;
  /** Set while another model than the one that was asked for answers. */
  #standIn: StandIn | undefined;
  #models: string | undefined;

  constructor(onStatus: (status: MemberStatus, detail: string | undefined) => void) {
    this.#onStatus = onStatus;
  }

  showWorking(detail?: string): void {
    const { model, for: first } = this.#standIn ?? {};
    this.show("working", detail ?? (model && `${model} answers instead of ${first}`));
  }

  /** The models that were set for the next request. */
  setModels(models: string): void {
    this.#models = models;
    this.#standIn = undefined;
  }

  /** The first change is away from the model that was asked for. */
  changeModel(from: string, to: string): void {
    // The last request to the models before may still go from one of them to the other.
    if (this.#models !== undefined && !modelIds(this.#models).includes(to)) return;
    const first = this.#standIn?.for ?? from;
    this.#standIn = to === first ? undefined : { for: first, model: to };
    this.showWorking();
  }

  show(status: MemberStatus, detail: string | undefined): void {
    if (this.#shown?.status === status && this.#shown.detail === detail) return;
    this.#shown = { status, detail };
    this.#onStatus(status, detail);
  }

  /** The roster says something else by now: the next status is reported in any case. */
  forget(): void {
    this.#shown = undefined;
  }
}
