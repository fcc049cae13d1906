import type { Availability } from "./availability.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";
import { isRetryable, type ModelFailure } from "./model-failure.ts";

export interface ModelChoice {
  /** It waits and tries again by itself, and announces that. */
  readonly model: Model;
  /** Shared by all members that use the model. */
  readonly availability: Availability;
}

/**
 * A list of models as one: each request goes to the first one that is available. A model that is
 * overloaded or out of reach for too long is left alone for a while, and the next one answers the same
 * request. A `model-change` part tells each time that another one answers.
 *
 * A failure that another attempt would not mend (a refused key, an unknown model) is reported: it is a
 * mistake to be mended, and no reason to send the conversation to another provider.
 */
export class FallbackModel implements Model {
  readonly id: string;
  readonly #choices: readonly ModelChoice[];
  /** The place of the model that answers, in the list. */
  #current = 0;

  constructor(choices: readonly ModelChoice[]) {
    this.id = choices.map(({ model }) => model.id).join(",");
    this.#choices = choices;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    let place = this.#next(0);
    for (let choice = this.#choices[place]; choice; choice = this.#choices[place]) {
      if (place > this.#current) yield this.#change(place, this.#reasonAgainst(this.#current));
      if (!(yield* this.#ask(choice, place, request))) return;
      place = this.#next(place + 1);
    }
  }

  /** The first place from `from` on whose model may be asked. The last one always may. */
  #next(from: number): number {
    const found = this.#choices.findIndex(
      ({ availability }, place) => place >= from && availability.restReason === undefined,
    );
    return found === -1 ? this.#choices.length - 1 : found;
  }

  /** Passes a model's stream on. True if it is given up, and another one is to be asked. */
  async *#ask(
    { model, availability }: ModelChoice,
    place: number,
    request: ModelRequest,
  ): AsyncGenerator<ModelPart, boolean> {
    const isLast = place === this.#choices.length - 1;
    let asked = availability.now();
    for await (const part of model.stream(request)) {
      switch (part.type) {
        case "waiting":
          if (part.delayMs > 0) availability.failed(part.delayMs);
          asked = availability.now() + part.delayMs;
          if (!isLast && part.delayMs > 0 && availability.isGivenUp(part.delayMs)) {
            availability.rest(part.reason, part.delayMs);
            return true;
          }
          yield part;
          break;
        case "restart":
          availability.failed();
          yield { ...part, model: model.id };
          break;
        case "error": {
          const { failure, usage } = part;
          if (isLast || !isWorthFallback(failure, availability)) {
            yield usage ? { ...part, model: model.id } : part;
            return false;
          }
          availability.failed();
          availability.rest(failure.message, failure.retryAfterMs);
          yield { type: "restart", failure, model: model.id, ...(usage && { usage }) };
          return true;
        }
        case "model-change":
          yield part;
          break;
        case "text-delta":
        case "thinking-delta":
        case "finish":
          // A reply that has only begun may break off, as the ones before it.
          if (part.type === "finish") availability.answered(asked);
          if (place < this.#current) yield this.#change(place, `${model.id} is available again`);
          yield part.type === "finish" ? { ...part, model: model.id } : part;
          break;
      }
    }
    return false;
  }

  #change(place: number, reason: string): ModelPart {
    const from = this.#choices[this.#current]?.model.id ?? "";
    const to = this.#choices[place]?.model.id ?? "";
    this.#current = place;
    return { type: "model-change", from, to, reason };
  }

  #reasonAgainst(place: number): string {
    return this.#choices[place]?.availability.restReason ?? "it is not available";
  }
}

/** An address that has never answered is more likely wrong than down. */
function isWorthFallback(failure: ModelFailure, { isFailing }: Availability): boolean {
  return isRetryable(failure) && (failure.kind !== "unreachable" || isFailing);
}
