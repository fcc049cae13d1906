import { expect, test } from "vitest";
import { builtInProviders } from "../../src/model/built-in-providers.ts";
import { modelFacts } from "../../src/model/model-facts.ts";
import { Team } from "../../src/team/team.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const keys = { ANTHROPIC_API_KEY: "k", AZURE_API_KEY: "k", AWS_BEARER_TOKEN_BEDROCK: "k" };
const wrong: [string | undefined, Record<string, string>][] = [
  [undefined, {}],
  ...["OPENROUTER_API_KEY", "AZURE_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"].map(
    (name): [undefined, Record<string, string>] => [undefined, { [name]: "k" }],
  ),
  ...["", "sonnet", "claude-sonet-5", "nobody/x", "anthropic/", "openai/two words", "gpt"].map(
    (id): [string, Record<string, string>] => [id, keys],
  ),
  ...["nobody/x,", "nobody/x,nobody/x", "nobody/x,sonnet"].map(
    (list): [string, Record<string, string>] => [list, keys],
  ),
  ...Object.entries(builtInProviders)
    .filter(([, { needsKey }]) => needsKey)
    .map(([name]): [string, Record<string, string>] => [`${name}/x`, {}]),
  ["openai-compatible/x", {}],
  ["openai-compatible/x", keys],
  ["azure/x", keys],
  ["bedrock/x", keys],
  ["vertex/x", keys],
];

test.each(wrong)("the error for the model %j with %j names one that works", async (model, env) => {
  await using directory = await temporaryDirectory();

  const opening = Team.open({ cwd: directory.path, model, env });

  const error: unknown = await opening.then(
    (team) => team.close(),
    (reason: unknown) => reason,
  );
  const told = error instanceof Error && "hint" in error ? `${error.message} ${error.hint}` : "";
  expect(await modelsIn(told)).not.toEqual([]);
});

test("control: a name that no table has is not one that works", async () => {
  expect(await modelsIn("Use anthropic/claude-none, azure/<deployment> or nobody/x.")).toEqual([]);
  expect(await modelsIn("Use rehearsal.")).toEqual(["rehearsal"]);
});

/** The names in a text of models that have a price, and so are in the table. */
async function modelsIn(text: string): Promise<string[]> {
  const names = text.match(/\brehearsal\b|[a-z]+\/[\w./-]*\w/g) ?? [];
  const facts = await Promise.all(names.map((id) => modelFacts(id)));
  return names.filter((_, index) => facts[index]?.price !== undefined);
}
