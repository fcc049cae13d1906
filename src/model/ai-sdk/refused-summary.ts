import type { ModelPart } from "../model.ts";
import type { Account } from "./failure.ts";

/** Where no summaries of thoughts are given. */
interface SummaryMemory {
  /** The accounts that get none. */
  readonly withoutSummaries: Set<string>;
  readonly account: Account;
}

/** Whether the account is known to get no summaries of thoughts. */
export function getsNoSummary({ withoutSummaries, account }: SummaryMemory): boolean {
  return withoutSummaries.has(placeOf(account));
}

/**
 * The parts of `attempt`. If summaries of thoughts are refused, that is remembered, and `attempt` is
 * made once more: from then on they are not asked for.
 */
export async function* withoutRefusedSummary(
  attempt: () => AsyncGenerator<ModelPart>,
  memory: SummaryMemory,
): AsyncGenerator<ModelPart> {
  for await (const part of attempt()) {
    const restart = restartWithout(part, memory);
    yield restart ?? part;
    if (restart) yield* attempt();
  }
}

function restartWithout(part: ModelPart, memory: SummaryMemory): ModelPart | undefined {
  if (part.type !== "error" || getsNoSummary(memory)) return undefined;
  const { kind, message } = part.failure;
  if (kind !== "bad-request" || !/reasoning[ ._]summar/i.test(message)) return undefined;
  memory.withoutSummaries.add(placeOf(memory.account));
  const said = `${message}. The request is repeated without a summary, so that thoughts are not shown`;
  return { type: "restart", failure: { kind, message: said } };
}

function placeOf({ baseUrl, keyName }: Account): string {
  return `${baseUrl} ${keyName}`;
}
