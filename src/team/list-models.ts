import { TeamError } from "../errors.ts";
import { parseValue } from "../lib/parse-value.ts";
import type { ListedModel, ListModelsOptions } from "../model/list-models.ts";
import { OwnModels } from "../model/model-facts.ts";
import { systemEnvironment } from "./system-place.ts";

/**
 * The models that are known: those of the built-in table, of `providers` and in `models`, each with its limits, price and
 * abilities, and whether its provider has what it needs in `env` (default: the variables of this process).
 */
export async function listModels(
  options: Partial<ListModelsOptions> = {},
): Promise<readonly ListedModel[]> {
  const { env = systemEnvironment(), models = {}, providers = {} } = options;
  if (!parseValue(OwnModels, models).success) {
    throw new TeamError("config-invalid", "The models are not entries by the ids of models", {
      hint: 'Write them as for Team.open: { "openai/gpt-5": { price: { input: 1.25, output: 10 } } }.',
    });
  }
  const { allModels } = await import("../model/list-models.ts");
  return allModels({ env, models, providers });
}
