import { expect, test } from "vitest";
import { Team } from "../../src/team/team.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { teamPlace } from "../support/team.ts";

// What only a program without types can give.
const wrong: [string, (team: Team) => unknown, string, RegExp][] = [
  ["prompt(undefined)", (team) => team.prompt(undefined as never), "message-invalid", /a text/],
  ["message(5)", (team) => team.message("lead", 5 as never), "message-invalid", /a text/],
  [
    "a prompt with an image of another form",
    (team) =>
      team.prompt({ text: "Look.", images: [{ data: "iVBO", mediaType: "image/png" }] } as never),
    "message-invalid",
    /^The prompt is wrong. Write \{ text, images \}/,
  ],
  [
    "a prompt with an unknown field",
    (team) => team.prompt({ text: "Look.", image: "a.png" } as never),
    "message-invalid",
    /^The prompt is wrong/,
  ],
  ["a prompt without a text", (team) => team.prompt({} as never), "message-invalid", /is wrong/],
  ["an empty prompt", (team) => team.prompt(" \n"), "message-invalid", /^The message is empty/],
  [
    "an empty prompt with images",
    (team) => team.prompt({ text: "", images: [] }),
    "message-invalid",
    /^The message is empty/,
  ],
  ["prompt(null)", (team) => team.prompt(null as never), "message-invalid", /must be a text/],
  [
    "withdraw of what is no id",
    (team) => team.withdraw("message 1" as never),
    "message-unknown",
    /^"message 1" is not the id of a message/,
  ],
  [
    "setModel of nothing",
    (team) => team.setModel("lead", {}),
    "config-invalid",
    /^setModel needs a model, an effort or both/,
  ],
  ["ask of null", (team) => team.ask("q", { schema: null } as never), "config-invalid", /a schema/],
  ["broadcast()", (team) => team.broadcast(undefined as never), "message-invalid", /a text/],
  [
    "setMode yolo",
    (team) => team.setMode("lead", "yolo" as never),
    "config-invalid",
    /^"yolo" is not a permission mode. The modes are default, acceptEdits/,
  ],
  [
    "setMode of all",
    (team) => team.setMode("all", undefined as never),
    "config-invalid",
    /^A value of type undefined is not a permission mode/,
  ],
  ["addRule", (team) => team.addRule("bash" as never), "config-invalid", /decision: "allow"/],
  [
    "addRule of a wrong decision",
    (team) => team.addRule({ decision: "yes", rule: "bash" } as never),
    "config-invalid",
    /decisions are allow, ask and deny/,
  ],
  ["removeRule", (team) => team.removeRule("bash" as never), "config-invalid", /decision: "allow"/],
  ["ask", (team) => team.ask("q", undefined as never), "config-invalid", /^ask needs a schema/],
  ["ask {}", (team) => team.ask("q", {} as never), "config-invalid", /^ask needs a schema/],
  [
    "ask with a wrong id",
    (team) => team.ask("q", { schema: {}, id: 5 } as never),
    "config-invalid",
    /^The option id of ask is wrong/,
  ],
  [
    "ask with an unknown option",
    (team) => team.ask("q", { schema: {}, key: "a" } as never),
    "config-invalid",
    /^The option key of ask is wrong/,
  ],
  ["spawn()", (team) => team.spawn(undefined as never), "spawn-refused", /^A spawn must be an/],
];

test.each(wrong)("%s is refused in words", async (_, call, code, text) => {
  await using directory = await temporaryDirectory();
  await using team = await Team.open({
    ...{ cwd: directory.path, place: teamPlace(directory.path), model: "rehearsal" },
    structuredResults: true,
  });

  const refusal = await Promise.resolve(call(team)).catch((error: unknown) => error);

  expect(refusal).toMatchObject({ name: "TeamError", code });
  const { message, hint } = refusal as { message: string; hint: string };
  expect(`${message}. ${hint}`).toMatch(text);
});
