import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Dialogue, leadSystem } from "../model/rehearsal/dialogue.ts";
import { checkoutPrompts, tutorialPrompts } from "../support/tutorial-prompts.ts";

test("the tutorial has every prompt that must work, and the rehearsal model understands them all", async () => {
  const tutorial = await readFile("docs/tutorial.md", "utf8");
  const prompts = [...tutorial.matchAll(/^> (.+)$/gm)].flatMap(([, prompt]) => prompt ?? []);

  const [first, ...others] = tutorialPrompts;
  const [apart, ...more] = checkoutPrompts;
  const typed = ["/changes", "/land all", "/land"];
  expect(prompts).toEqual([first, "/team", ...others, apart, ...typed, ...more, "/land all"]);
  for (const prompt of prompts.filter((each) => !typed.includes(each))) {
    const dialogue = new Dialogue(leadSystem);
    expect(await dialogue.tell(prompt)).not.toContain("I did not understand");
    expect(dialogue.calls).not.toEqual([]);
  }
});
