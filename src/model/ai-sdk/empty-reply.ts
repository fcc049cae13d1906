import type { FinishPart, ModelPart } from "../model.ts";
import type { Dialect } from "./dialect.ts";
import type { Account } from "./failure.ts";

/** How often an empty reply is requested again. */
const mostRepeats = 2;

/**
 * The parts of `attempt`. Of a provider that loses replies, an empty one is requested again; the last
 * one counts, since a model may also have nothing to say.
 */
export async function* withoutEmptyReply(
  attempt: () => AsyncGenerator<ModelPart>,
  { dialect, account }: { dialect: Dialect; account: Account },
): AsyncGenerator<ModelPart> {
  for (let repeats = 0; ; repeats++) {
    let isRepeated = false;
    for await (const part of attempt()) {
      isRepeated = dialect.losesReplies && repeats < mostRepeats && isEmpty(part);
      yield isRepeated && part.type === "finish" ? repeated(part, account) : part;
    }
    if (!isRepeated) return;
  }
}

function isEmpty(part: ModelPart): boolean {
  if (part.type !== "finish" || part.stop !== "end") return false;
  return part.blocks.every(({ type }) => type === "thinking");
}

function repeated({ usage }: FinishPart, { label }: Account): ModelPart {
  const message = `${label} sent an empty reply, which is requested again`;
  return { type: "restart", failure: { kind: "malformed", message }, usage };
}
