import type { Counter, Histogram, Meter } from "@opentelemetry/api";
import type { ModelCallEvent } from "../protocol/events.ts";
import { modelAttributes } from "./semantic-names.ts";

/** The bounds that the conventions prescribe. */
const tokenBounds = Array.from({ length: 14 }, (_, power) => 4 ** power);
const secondBounds = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);

/** Counts the calls of models: their tokens, their duration and their cost. */
export class TeamMetrics {
  readonly #tokens: Histogram;
  readonly #duration: Histogram;
  readonly #cost: Counter;

  constructor(meter: Meter) {
    this.#tokens = meter.createHistogram("gen_ai.client.token.usage", {
      unit: "{token}",
      description: "Tokens of model calls",
      advice: { explicitBucketBoundaries: tokenBounds },
    });
    this.#duration = meter.createHistogram("gen_ai.client.operation.duration", {
      unit: "s",
      description: "Duration of model calls",
      advice: { explicitBucketBoundaries: secondBounds },
    });
    this.#cost = meter.createCounter("troupe.cost", {
      unit: "USD",
      description: "Cost of model calls, as far as it is known",
    });
  }

  count({ member, model, duration_ms: durationMs, usage, failure }: ModelCallEvent): void {
    const names = {
      "gen_ai.operation.name": "chat",
      ...modelAttributes(model),
      ...(member && { "gen_ai.agent.name": member }),
    };
    this.#duration.record(durationMs / 1000, {
      ...names,
      ...(failure && { "error.type": failure }),
    });
    if (!usage) return;
    const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_usd } = usage;
    const input = input_tokens + cache_read_tokens + cache_write_tokens;
    this.#tokens.record(input, { ...names, "gen_ai.token.type": "input" });
    this.#tokens.record(output_tokens, { ...names, "gen_ai.token.type": "output" });
    if (cost_usd !== undefined) this.#cost.add(cost_usd, names);
  }
}
