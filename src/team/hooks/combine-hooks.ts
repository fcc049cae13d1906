import type { CallAnswer, HookedCall } from "../../agent/hooks.ts";
import type { TeamHooks } from "./team-hooks.ts";

/** The hooks of a program, and those that are commands: the stricter answer counts. */
export function combineHooks(program: TeamHooks, commands: TeamHooks): TeamHooks {
  return {
    ...(program.onSpawn && { onSpawn: (spawn) => program.onSpawn?.(spawn) }),
    beforeCall: (call) => beforeCall(program, commands, call),
    async afterCall(call) {
      const first = await program.afterCall?.(call);
      if (first && "stop" in first) return first;
      const output = first ? { text: first.text, isError: first.isError ?? false } : call.output;
      return (await commands.afterCall?.({ ...call, output })) ?? first;
    },
    async beforeRequest(request) {
      const texts = [
        await program.beforeRequest?.(request),
        await commands.beforeRequest?.(request),
      ];
      return texts.filter((text) => text?.trim()).join("\n\n") || undefined;
    },
    async beforeAsk(call) {
      const answers = [await program.beforeAsk?.(call), await commands.beforeAsk?.(call)];
      const given = answers.filter((answer) => answer !== undefined);
      return given.find(({ decision }) => decision === "deny") ?? given[0];
    },
    beforePrompt: async (given) =>
      (await program.beforePrompt?.(given)) || (await commands.beforePrompt?.(given)),
    beforeEnd: async (given) =>
      (await program.beforeEnd?.(given)) || (await commands.beforeEnd?.(given)),
    beforeCompaction: async (given) =>
      (await program.beforeCompaction?.(given)) || (await commands.beforeCompaction?.(given)),
    beforeTask: async (given) =>
      (await program.beforeTask?.(given)) || (await commands.beforeTask?.(given)),
    beforeLanding: async (given) =>
      (await program.beforeLanding?.(given)) || (await commands.beforeLanding?.(given)),
    onCheckout: async (given) =>
      (await program.onCheckout?.(given)) || (await commands.onCheckout?.(given)),
  };
}

async function beforeCall(
  program: TeamHooks,
  commands: TeamHooks,
  call: HookedCall,
): Promise<CallAnswer | undefined> {
  const first = await program.beforeCall?.(call);
  if (!first) return await commands.beforeCall?.(call);
  if ("output" in first || first.stop !== undefined || first.decision === "deny") return first;
  const changed = first.input === undefined ? call : { ...call, input: first.input };
  const second = await commands.beforeCall?.(changed);
  if (!second) return first;
  if ("output" in second) return second;
  const isStricter = rank(second) > rank(first);
  const { decision, reason } = isStricter ? second : first;
  const { stop } = second;
  const input = second.input ?? first.input;
  return { decision, reason, ...(input !== undefined && { input }), ...(stop && { stop }) };
}

function rank({ decision }: Extract<CallAnswer, { decision?: unknown }>): number {
  if (decision === "deny") return 3;
  if (decision === "ask") return 2;
  return decision === "allow" ? 1 : 0;
}
