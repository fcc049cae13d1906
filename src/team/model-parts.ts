import type { ModelParts } from "../agent/agent.ts";
import { Bill, type ModelPricing } from "../agent/bill.ts";
import { takesImage } from "../model/image-support.ts";
import { assumedWindow, type ModelFacts, outputLimits } from "../model/model-facts.ts";
import { modelIds } from "../model/model-list.ts";
import type { Equipment } from "./equipment.ts";
import type { MemberDefinition } from "./members/member-definition.ts";
import type { TeamModels } from "./team-models.ts";

/** The model, what it costs, and what bounds it. */
export async function modelParts(
  equipment: Equipment,
  definition: MemberDefinition,
): Promise<ModelParts> {
  const { models } = equipment;
  const { name, model: list, effort, thinkingBudget, maxTurns } = definition;
  const thinking = { effort, budgetTokens: thinkingBudget };
  const model = await models.open(list, name);
  const facts = new Map<string, ModelFacts>();
  for (const id of modelIds(model.id)) facts.set(id, await models.factsOf(id));
  const bill = billOf(equipment, definition, facts);
  for (const [id, known] of facts) {
    await models.tellAssumptions(id, known);
    const { usual } = outputLimits(known, models.maxOutputTokens);
    await models.tellUnsent(id, thinking, usual);
  }
  const images = models.areOurs && {
    takesImage: (id: string, type: string) => takesImage(id, facts.get(id))(type),
  };
  return { model, thinking, bill, limits: { maxTurns, ...limitsOf(facts, models) }, ...images };
}

type FactsById = ReadonlyMap<string, ModelFacts>;

function billOf(equipment: Equipment, { name, budget }: MemberDefinition, facts: FactsById): Bill {
  const { models, store, place } = equipment;
  const own = budget ? [equipment.budgetOf(name, budget)] : [];
  const prices = [...facts].map(([id, { price }]): [string, ModelPricing] => [
    id,
    { price, reportsCost: models.reportsCost(id) },
  ]);
  return new Bill({
    member: name,
    prices: new Map(prices),
    ledger: store.usage,
    budgets: [...own, equipment.budget],
    clock: place.clock,
  });
}

/** Each model of a list must be able to continue. */
function limitsOf(facts: FactsById, { maxOutputTokens }: TeamModels) {
  const outputs = [...facts.values()].map((each) => outputLimits(each, maxOutputTokens));
  const windows = [...facts.values()].map(({ contextWindow = assumedWindow }) => contextWindow);
  return {
    maxOutputTokens: Math.min(...outputs.map(({ usual }) => usual)),
    raisedOutputTokens: Math.min(...outputs.map(({ raised }) => raised)),
    contextTokens: Math.min(...windows),
  };
}
