import { expect, test } from "vitest";
import { lead, MemberName } from "../../../src/protocol/ids.ts";
import { ScreenedTeam } from "../../support/screened-team.ts";

const enter = "\r";
const alice = MemberName.parse("alice");

async function withAlice(): Promise<ScreenedTeam> {
  const screen = await ScreenedTeam.open({ columns: 110, rows: 40 });
  screen.models.push({ member: alice, model: "b-model", effort: "high", follows: ["model"] });
  screen.enlist("alice", { model: "b-model" });
  await screen.shows("alice");
  return screen;
}

test("/model and /effort show everybody's, and how to change them", async () => {
  await using screen = await withAlice();

  screen.press(`/model${enter}`);
  await screen.shows(/^lead {3}a-model {2}effort default$/m);
  await screen.shows(/^alice {2}b-model {2}effort high {5}\(model as the lead\)$/m);
  await screen.shows("(without a name: of lead)");
  screen.press(`\t/effort${enter}`);
  await screen.shows("(without a name: of alice)");

  expect(screen.terminal.text).toContain("Efforts: none, low, medium, high, max, default.");
  expect(screen.told).toEqual([]);
});

test("without a name, the model and the effort are those of the member whose view is open", async () => {
  await using screen = await withAlice();
  const typed = ["/model c/d", "/effort max", "/model c/d,e/f @alice", "/effort default all"];
  for (const [index, line] of typed.entries()) {
    screen.press(`${line}${enter}`);
    await screen.until(() => screen.told.length === index + 1, "it was not set");
  }
  screen.press(`\t/model g/h${enter}`);
  await screen.until(() => screen.told.length === typed.length + 1, "it was not set");

  expect(screen.told).toEqual([
    "model lead c/d",
    "model lead max",
    "model alice c/d,e/f",
    "model all default",
    "model alice g/h",
  ]);
});

test.each([
  ["/model alice", "Write /model <model> alice."],
  ["/effort all", "Write /effort <level> all."],
  ["/effort xhigh", "Efforts: none, low, medium, high, max, default."],
  ["/effort high nobody", "There is no member 'nobody'"],
  ["/model a/b, c/d alice", "Several models are separated by commas, without spaces."],
])("%s is refused with what to type", async (line, hint) => {
  await using screen = await withAlice();

  screen.press(`${line}${enter}`);
  await screen.shows(hint);

  expect(screen.told).toEqual([]);
});

test("the footer shows the model that was set, and then the one that stands in for it", async () => {
  await using screen = await withAlice();
  const set = { type: "model-set" as const, member: lead, model: "c-model,d-model" };

  screen.happen({ ...set, effort: "high" });
  await screen.shows(/c-model · default$/m);
  await screen.shows("model from its next request on: c-model,d-model, effort high");
  // The request before is still on its way, with the models before.
  const late = { type: "model-change" as const, member: lead, reason: "overloaded" };
  screen.happen({ ...late, from: "a-model", to: "x-model" });
  await screen.shows("x-model answers instead of a-model");
  expect(screen.terminal.text).toMatch(/c-model · default$/m);

  screen.happen({ ...late, from: "c-model", to: "d-model" });
  await screen.shows(/d-model · default$/m);
});

test("Tab completes models, efforts and then names", async () => {
  await using screen = await withAlice();

  screen.press("/model sol");
  await screen.shows(/^ {2}openai\/gpt-6-sol/m);
  screen.press("\tali\t");
  await screen.shows("› /model openai/gpt-6-sol alice");
  screen.press(`\x15/effort hi\tali\t`);

  await screen.shows("› /effort high alice");
});
