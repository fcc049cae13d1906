import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { chooseQuestion } from "../support/chosen-question.ts";
import { noTmux } from "../support/tmux.ts";
import { openOnServer, openTroupe } from "../support/troupe-in-tmux.ts";

const schema =
  "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.";

test.skipIf(noTmux)("Esc at a question interrupts nobody at its first press", async () => {
  await using directory = await temporaryDirectory();
  await using terminal = await openTroupe(directory.path);
  await terminal.shows("›");
  await terminal.type(schema);
  await terminal.press("Enter");
  await terminal.shows("alice asks to run this");
  await terminal.shows(/lead +wait_for_teammates/);

  await terminal.press("Escape");
  await terminal.shows("Ctrl-X answers the question. Esc again interrupts lead.");
  await chooseQuestion(terminal);
  // From the question, it goes back to the line.
  await terminal.press("Escape");
  await terminal.shows("ctrl-x to answer");
  const screen = await terminal.shows(/lead +wait_for_teammates/);

  expect(screen).toContain("alice asks to run this");
  expect(await terminal.history()).not.toContain("interrupted");
});

test.skipIf(noTmux)("a rule of always can be listed and taken back", async () => {
  await using directory = await temporaryDirectory();
  await using terminal = await openTroupe(directory.path);
  await terminal.shows("›");
  await terminal.type(schema);
  await terminal.press("Enter");
  await chooseQuestion(terminal);
  await terminal.press("a");
  await terminal.shows("Always allow edit_file(schema.sql) for the whole team");
  await terminal.until(async () => {
    await terminal.press("Enter");
    return (await terminal.screen()).includes("allowed alice from now on");
  }, "the rule is added");

  await terminal.type("/permissions");
  await terminal.press("Enter");
  await terminal.shows(/allow +edit_file\(schema\.sql\)/);
  await terminal.type("/permissions remove edit_file(schema.sql)");
  await terminal.press("Enter");
  await terminal.shows("Rule removed: allow edit_file(schema.sql).");
  await terminal.type("/permissions");
  await terminal.press("Enter");
  await terminal.shows("There are no permission rules.");
});

test.skipIf(noTmux)("40 columns show the whole command, rule and keys", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start();
  const command = "npm run build-everything-there-is -- --with-all-options --and-more";
  server.reply(calls("bash", { command }), says("Done."));
  await using terminal = await openOnServer(directory.path, server, { columns: 40, rows: 24 });
  await terminal.shows("›");
  await terminal.type("Build.");
  await terminal.press("Enter");

  await chooseQuestion(terminal);
  const asked = await terminal.screen();
  const panel = asked
    .split("\n")
    .filter((line) => line.startsWith("█"))
    .map((line) => line.replace(/^█ (↪ )?/, ""));
  await terminal.press("a");
  await terminal.shows("enter yes, add this rule");
  const rule = (await terminal.screen()).replaceAll(/\s*\n█ /g, "");

  expect(panel.join("")).toContain(command);
  for (const key of [
    "y yes, once",
    "n no",
    "r no, because …",
    "a always",
    "esc back to your line",
  ]) {
    expect(panel.join(" ").replaceAll(/\s+/g, " ")).toContain(key);
  }
  expect(rule.replaceAll(/\s/g, "")).toContain("bash(npmrunbuild-everything-there-is");
});

test.skipIf(noTmux)("P40 a plan that waits for the person can be read whole", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start();
  const plan = Array.from({ length: 50 }, (_, index) => `${index + 1}. Step ${index + 1}.`);
  server.replyWith(({ body }) => {
    const said = JSON.stringify(body.messages);
    if (!said.includes("You plan.")) {
      const spawn = { name: "alice", role: "coder", prompt: "You plan.", plan_required: true };
      return calls("spawn_teammate", spawn);
    }
    if (said.includes("spawn_teammate")) return says("I have asked alice.");
    return said.includes("Step 50")
      ? says("I wait.")
      : calls("plan_approval", { plan: plan.join("\n") });
  });
  const argv = ["--plan-approval", "user"];
  await using terminal = await openOnServer(directory.path, server, { argv });
  await terminal.shows("›");
  await terminal.type("Have alice plan.");
  await terminal.press("Enter");

  await terminal.shows("alice asks you to approve this plan");
  await terminal.shows(/\? alice +asks you: approve the plan/);
  await terminal.press("C-o");
  await terminal.shows("q closes");
  await terminal.press("G");
  await terminal.shows("Step 50.");
  await terminal.press("q");
  await chooseQuestion(terminal);
  await terminal.press("y");

  await terminal.shows("approved the plan of alice");
});
