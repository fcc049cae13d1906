import { resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { chooseQuestion, doKeysCount } from "../support/chosen-question.ts";
import { noTmux, Tmux } from "../support/tmux.ts";
import { tutorialPrompts } from "../support/tutorial-prompts.ts";

/** The tutorial's prompts, word for word, each with what is seen of it. */
const scenes: readonly (readonly [prompt: string, seen: RegExp])[] = [
  ["Spawn alice (coder) and bob (tester). Have alice send bob a message.", /✉ alice → bob/],
  [
    'Broadcast "status update: phase 1 complete" to all teammates',
    /✉ lead → bob \(broadcast\): status/,
  ],
  ["Check the lead inbox for any messages", /● read_inbox/],
  ["/team", /alice \(coder\): idle/],
  ["/inbox", /delivered .* bob → lead/],
  [
    "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
    /alice → lead \(result\): I wrote schema\.sql/,
  ],
  ["Check your inbox for alice's result.", /● read_inbox/],
  [
    "Spawn bob as a tester. Ask him to check if schema.sql exists and list its contents.",
    /bob → lead \(result\): schema\.sql exists/,
  ],
  ["Spawn alice as a coder. Then request her shutdown.", /alice is shut down/],
  ["List teammates to see alice's status after shutdown approval", /alice \(coder\): shutdown/],
  [
    "Spawn bob with a risky refactoring task. Review and reject his plan.",
    /Plan rejected for 'bob'/,
  ],
  ["Spawn charlie, have him submit a plan, then approve it.", /charlie → lead \(result\): I wrote/],
  [
    "Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.",
    /Task 3 is done/,
  ],
  ["Create tasks with dependencies. Watch teammates respect the blocked order.", /Task 5 is done/],
];

test("every prompt of the tutorial has its scene", () => {
  const prompts = scenes.map(([prompt]) => prompt).filter((prompt) => !prompt.startsWith("/"));

  expect(prompts).toEqual(tutorialPrompts);
});

test.skipIf(noTmux)(
  "every prompt of the tutorial is played on the screen, with questions selected and answered",
  async () => {
    await using directory = await temporaryDirectory();
    await using terminal = await Tmux.start({
      directory: directory.path,
      cwd: directory.path,
      command: [process.execPath, resolve("dist/cli/main.js"), "--model", "rehearsal"],
      env: { XDG_STATE_HOME: directory.path, XDG_CONFIG_HOME: directory.path, CI: "" },
      rows: 50,
    });
    await terminal.shows("›");

    for (const [prompt, seen] of scenes) {
      await terminal.enter(prompt);
      await terminal.until(
        async () => {
          const screen = await terminal.screen();
          if (screen.includes("ctrl-x to answer")) await chooseQuestion(terminal);
          if (doKeysCount(await terminal.styledScreen())) await allow(terminal);
          // Before the prompt is on the screen, all that is there belongs to the ones before it.
          const [, ...after] = (await terminal.history()).split(`› ${prompt.slice(0, 40)}`);
          const answer = prompt.startsWith("/") ? screen : (after.at(-1) ?? "");
          return seen.test(answer) && !isAnybodyBusy(screen);
        },
        `${prompt} → ${String(seen)}`,
      );
    }
  },
);

/** Answers the chosen question, once: what comes after the answer could be the first key of the next prompt. */
async function allow(terminal: Tmux): Promise<void> {
  const count = async () => (await terminal.history()).split(/allowed \S+ once/).length;
  const before = await count();
  await terminal.press("y");
  await terminal.until(async () => (await count()) > before, "the answer");
}

/** Somebody works, or asks. */
function isAnybodyBusy(screen: string): boolean {
  return /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \S+ |^\? \S+ +asks you/m.test(screen);
}
