import { Effort } from "../protocol/effort.ts";
import { budgetOf, type ModelThinking } from "./ai-sdk/thinking.ts";
import type { ThinkingRequest } from "./model.ts";
import { hasProvider, rehearsalId } from "./models.ts";
import { thinkingOf } from "./open-model.ts";
import type { ProviderConfiguration } from "./provider-settings.ts";

/** What of `asked` is not sent to a model, which does not take it: in sentences for the person. */
export async function unsentThinking(
  id: string,
  { effort, budgetTokens }: ThinkingRequest,
  options: ProviderConfiguration & { readonly maxOutputTokens: number },
): Promise<string[]> {
  const { takesBudget, leastTokens = 0 } = await abilitiesOf(id, options);
  const asksToThink = budgetTokens !== undefined || (effort !== undefined && effort !== "none");
  if (asksToThink && options.maxOutputTokens <= leastTokens) return [noRoom(id, options)];
  const problem = effort && (await effortProblem(id, effort, options));
  const unsent = problem ? [`The effort ${effort} is not sent: ${problem}`] : [];
  if (budgetTokens === undefined) return unsent;
  if (!takesBudget || effort === "none") return [...unsent, unsentBudget(id, effort)];
  const { maxOutputTokens } = options;
  const used = budgetOf({ budgetTokens, maxOutputTokens });
  return used < budgetTokens ? [...unsent, cutBudget(id, { used, maxOutputTokens })] : unsent;
}

/** Why a model certainly cannot be asked for `effort`; undefined if it can, or nobody knows. */
export async function effortProblem(
  id: string,
  effort: Effort,
  configuration: ProviderConfiguration,
): Promise<string | undefined> {
  const { efforts } = await abilitiesOf(id, configuration);
  if (efforts.includes(effort)) return undefined;
  const others = efforts.filter((each) => each !== "none");
  if (others.length === 0) return `${id} cannot be asked to think.`;
  return `${id} takes ${listed(efforts)}.`;
}

async function abilitiesOf(
  id: string,
  configuration: ProviderConfiguration,
): Promise<Pick<ModelThinking, "efforts" | "takesBudget" | "leastTokens">> {
  if (id === rehearsalId) return { efforts: ["none"], takesBudget: false };
  // A replay answers as was recorded, whatever it is asked for.
  if (!hasProvider(id)) return { efforts: Effort.options, takesBudget: true };
  return (await thinkingOf(id, configuration)) ?? { efforts: [], takesBudget: false };
}

function noRoom(id: string, { maxOutputTokens }: { maxOutputTokens: number }): string {
  return `${id} is not asked to think: of the ${maxOutputTokens} tokens that a reply may have (max-output), too few would be left for the answer.`;
}

function unsentBudget(id: string, effort: Effort | undefined): string {
  if (effort === "none") return `The thinking budget is not sent to ${id}: its effort is none.`;
  return `The thinking budget is not sent: ${id} takes no number of tokens.`;
}

function cutBudget(id: string, sizes: { used: number; maxOutputTokens: number }): string {
  const { used, maxOutputTokens } = sizes;
  return `The thinking budget of ${id} is ${used} tokens: the rest of its ${maxOutputTokens} tokens is for the answer.`;
}

function listed(efforts: readonly Effort[]): string {
  return efforts.length === 1
    ? `only the effort ${efforts[0]}`
    : `the efforts ${efforts.slice(0, -1).join(", ")} and ${efforts.at(-1)}`;
}
