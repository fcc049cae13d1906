import { z } from "zod";
import {
  chatCompletions,
  chatUsage,
  type Dialect,
  type ReportedUsage,
  type ThoughtCollector,
} from "./dialect.ts";
import { openRouterThinking } from "./thinking.ts";

/**
 * OpenRouter speaks chat completions, with the thoughts of all vendors in a form of its own. They go
 * back as they came: a model may refuse its own tool calls without them.
 */
export const openRouter: Dialect = {
  ...chatCompletions,
  namespace: "openrouter",
  thinking: openRouterThinking,
  // They go back with the whole reply, not as parts of it.
  takesThought: () => false,
  collectThoughts: () => new ReasoningDetails(),
  replyOptions(thoughts) {
    const details = thoughts.flatMap((data) => Details.safeParse(data).data ?? []);
    const usable = details.filter(isUsable);
    return usable.length > 0 ? { openaiCompatible: { reasoning_details: usable } } : undefined;
  },
  usageIn: (event) => {
    const usage = chatUsage(event);
    return usage && { ...usage, ...cost(event) };
  },
};

const CostEvent = z.object({
  usage: z.object({
    cost: z.unknown(),
    is_byok: z.boolean().nullish(),
    cost_details: z.object({ upstream_inference_cost: z.unknown() }).nullish(),
  }),
});
const Dollars = z.number().nonnegative().max(1e6);

/**
 * With a vendor's key of one's own, the vendor's bill comes on top of OpenRouter's fee. Null if the
 * cost cannot be true.
 */
function cost(event: unknown): ReportedUsage {
  const { usage } = CostEvent.safeParse(event).data ?? {};
  if (usage?.cost === undefined || usage.cost === null) return {};
  const upstream = (usage.is_byok && usage.cost_details?.upstream_inference_cost) || 0;
  const { data } = z.tuple([Dollars, Dollars]).safeParse([usage.cost, upstream]);
  return { cost_usd: data ? data[0] + data[1] : null };
}

const Detail = z.record(z.string(), z.json());
type Detail = z.infer<typeof Detail>;

const Details = z
  .object({ reasoning_details: z.array(Detail) })
  .transform(({ reasoning_details }) => reasoning_details);

const DetailsEvent = z.object({
  choices: z.tuple([z.object({ delta: Details })]).rest(z.unknown()),
});

/** Puts the details of a reply's thoughts together: their texts come in pieces. */
class ReasoningDetails implements ThoughtCollector {
  readonly #details: Detail[] = [];

  take(event: unknown): void {
    const { data } = DetailsEvent.safeParse(event);
    for (const detail of data?.choices[0].delta ?? []) this.#add(detail);
  }

  get data(): Detail | undefined {
    return this.#details.length > 0 ? { reasoning_details: this.#details } : undefined;
  }

  #add(piece: Detail): void {
    const last = this.#details.at(-1);
    const key = last && continuedText(last, piece);
    if (last && key) Object.assign(last, present(piece), { [key]: joined(last, piece, key) });
    else this.#details.push({ ...piece });
  }
}

const textKeys: ReadonlyMap<unknown, "text" | "summary"> = new Map([
  ["reasoning.text", "text"],
  ["reasoning.summary", "summary"],
]);

/** Where the text is that `piece` continues; undefined if it begins another detail. */
function continuedText(last: Detail, piece: Detail): "text" | "summary" | undefined {
  const isSame = last.type === piece.type && last.index === piece.index;
  const hasOtherId = last.id && piece.id && last.id !== piece.id;
  return isSame && !hasOtherId ? textKeys.get(piece.type) : undefined;
}

/** Without the fields that are only repeated as null. */
function present(piece: Detail): Detail {
  return Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null));
}

function joined(last: Detail, piece: Detail, key: string): string {
  return [last[key], piece[key]].filter((text) => typeof text === "string").join("");
}

/** Anthropic and Google refuse a thought without its signature, as a cut one has. */
function isUsable({ type, format, signature }: Detail): boolean {
  const isSigned = format === "anthropic-claude-v1" || format === "google-gemini-v1";
  return type !== "reasoning.text" || !isSigned || Boolean(signature);
}

const SystemMessage = z.looseObject({ role: z.literal("system"), content: z.string() });
const WithMessages = z.looseObject({ messages: z.array(z.unknown()) });

const cache_control = { type: "ephemeral" };

/**
 * Marks the request for the prompt cache, which only Anthropic's models need. The mark of the whole
 * request stands for its last block, whichever that is: a mark on a tool's result makes OpenRouter
 * hang.
 */
export function markedForCache(
  body: Readonly<Record<string, unknown>>,
  model: string,
): Record<string, unknown> {
  if (!model.startsWith("anthropic/")) return body;
  const { messages } = WithMessages.parse(body);
  return { ...body, messages: messages.map(withMark), cache_control };
}

function withMark(message: unknown): unknown {
  const { data } = SystemMessage.safeParse(message);
  if (!data) return message;
  return { ...data, content: [{ type: "text", text: data.content, cache_control }] };
}
