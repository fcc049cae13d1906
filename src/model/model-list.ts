import { TeamError } from "../errors.ts";
import { suitableModels } from "./default-model.ts";

/**
 * The ids of a list such as `anthropic/claude-…,openai/gpt-…`: the first choice, and those that stand in
 * for it while it is not available.
 */
export function modelIds(list: string): [string, ...string[]] {
  // The path of a recording may have commas, and a replay answers only what was recorded.
  if (list.startsWith("replay:")) return [list];
  const [first = "", ...others] = list.split(",").map((id) => id.trim());
  return [first, ...others];
}

/** The same. Throws `config-invalid` where one is missing, or there twice. */
export function checkedModelIds(list: string): [string, ...string[]] {
  const ids = modelIds(list);
  const isIncomplete = ids.includes("");
  if (!isIncomplete && new Set(ids).size === ids.length) return ids;
  const what = isIncomplete ? "has an empty place" : "has a model twice";
  throw new TeamError("config-invalid", `The list of models "${list}" ${what}`, {
    hint: `Write each model once, separated by commas, such as ${suitableModels.anthropic},${suitableModels.openai}.`,
  });
}

/** The model of a list that answers a member, which called `lastCalled` last: most often the first. */
export function answeringModel(list: string, lastCalled: string | null | undefined): string {
  const [first, ...others] = modelIds(list);
  return others.find((id) => id === lastCalled) ?? first;
}
