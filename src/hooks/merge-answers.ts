import type { HookOutcome } from "./run-hook.ts";

/** A hook's name for people, whether it is required, and how it ended. */
export interface EndedHook {
  readonly name: string;
  readonly isRequired: boolean;
  readonly outcome: HookOutcome;
}

/** What all hooks of one event together have decided. */
export interface EventAnswer {
  /** Why it is refused, for the model. */
  readonly refusal?: string;
  /** `ask` beats `allow`; a refusal beats both. */
  readonly decision?: "allow" | "ask";
  /** Why it is to be asked. */
  readonly reason?: string;
  /** Replaces the input of the call. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** What the model is to know. */
  readonly context?: string;
  /** Why the run of the member is to end. */
  readonly stop?: string;
}

/** The strictest of the answers of hooks that ran side by side, in the order in which they are configured. */
export function mergeAnswers(ended: readonly EndedHook[]): EventAnswer {
  const answers = ended.flatMap(({ outcome }) => ("answer" in outcome ? [outcome.answer] : []));
  const refusals = ended.flatMap(refusalOf);
  const asked = answers.find((each) => each.hookSpecificOutput?.permissionDecision === "ask");
  const isAllowed = answers.some(isAllowing);
  const input = answers
    .map((each) => each.hookSpecificOutput?.updatedInput)
    .findLast((each) => each !== undefined);
  const contexts = answers.flatMap((each) => [
    ...(each.additionalContext?.trim() ? [each.additionalContext.trim()] : []),
    ...(each.hookSpecificOutput?.additionalContext?.trim()
      ? [each.hookSpecificOutput.additionalContext.trim()]
      : []),
  ]);
  const stopping = answers.find((each) => each.continue === false);
  const reason = asked?.hookSpecificOutput?.permissionDecisionReason ?? asked?.reason;
  return {
    ...(refusals.length > 0 && { refusal: refusals.join("\n") }),
    ...(isAllowed && { decision: "allow" }),
    ...(asked !== undefined && { decision: "ask" }),
    ...(reason !== undefined && { reason }),
    ...(input !== undefined && { input }),
    ...(contexts.length > 0 && { context: contexts.join("\n\n") }),
    ...(stopping !== undefined && { stop: stopping.stopReason ?? "a hook ended it" }),
  };
}

function refusalOf({ name, isRequired, outcome }: EndedHook): string[] {
  switch (outcome.type) {
    case "blocked":
      return [outcome.reason];
    case "failed":
      return isRequired ? [`The required hook ${name} ${outcome.reason}`] : [];
    case "passed":
    case "stopped":
      return [];
  }
}

function isAllowing({ decision, hookSpecificOutput: own }: AnswerOf): boolean {
  const isApproved = decision === "approve" || decision === "allow";
  return isApproved || own?.permissionDecision === "allow" || own?.decision?.behavior === "allow";
}

type AnswerOf = Extract<HookOutcome, { type: "passed" }>["answer"];
