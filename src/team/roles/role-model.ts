import { suitableModels } from "../../model/default-model.ts";
import type { FieldNote } from "../../roles/role.ts";
import { WrongField } from "./role-tools.ts";

/** Names of models, each for an id. */
export type ModelAliases = Readonly<Record<string, string>>;

/** What Claude Code's names mean for a team whose lead has a model of Anthropic. */
const anthropicAliases: ModelAliases = {
  sonnet: suitableModels.anthropic,
  opus: "anthropic/claude-opus-5-5",
  haiku: "anthropic/claude-haiku-5-5",
};

/** The id of the model that a role names; undefined for the lead's. Throws a `WrongField` where nobody knows. */
export function roleModel(
  name: string | undefined,
  { aliases, leadsModel }: { aliases: ModelAliases; leadsModel: string | undefined },
): string | undefined {
  if (name === undefined || name === "inherit") return undefined;
  if (Object.hasOwn(aliases, name)) {
    const id = aliases[name];
    return id === "inherit" ? undefined : id;
  }
  if (name.includes("/")) return name;
  const isAnthropic = leadsModel?.startsWith("anthropic/") ?? false;
  if (isAnthropic && Object.hasOwn(anthropicAliases, name)) return anthropicAliases[name];
  if (isAnthropic && name.startsWith("claude-")) return `anthropic/${name}`;
  throw new WrongField(unknownModel(name));
}

function unknownModel(name: string): FieldNote {
  const alias = `"model-aliases": { ${JSON.stringify(name)}: "<provider>/<model>" }`;
  return {
    field: "model",
    text: `is ${JSON.stringify(name)}, which names no model here. Write "inherit" or <provider>/<model>, or put ${alias} into your settings`,
  };
}
