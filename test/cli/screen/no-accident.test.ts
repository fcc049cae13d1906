import fc from "fast-check";
import { expect, test } from "vitest";
import type { TeamRequest } from "../../../src/protocol/request.ts";
import { chooseKey, ScreenedTeam } from "../../support/screened-team.ts";

/** Something that happens while a person types. */
type Step =
  | { type: "type"; text: string }
  | { type: "ask" }
  | { type: "withdraw" }
  | { type: "wait" };

const letters = fc.constantFrom("y", "a", "n", "r", "Y", "A", "\r", "\x1b", "\t", "always", "yes");
const controls = fc.constantFrom(
  ...["\x1b[A", "\x1b[B", "\x1b[Z", "\x1by", "\x1b[121u", "\x1b[13;5u", "\x19", "\x01", "\n"],
  ...["\x1b[200~y\r\x1b[201~", "\x1b[200~", "\x1b[201~", "y\ry\r", "\x7f", "\x00"],
);
/** Ctrl-D, Ctrl-C twice and `q` would leave: there is nobody to answer then. */
const printable = fc.string({ unit: "grapheme", maxLength: 6 }).map(withoutLeaving);
const anyText = fc.oneof({ weight: 3, arbitrary: letters }, controls, printable);

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: anyText.map((text): Step => ({ type: "type", text })) },
    fc.constant<Step>({ type: "ask" }),
    fc.constant<Step>({ type: "withdraw" }),
    { weight: 2, arbitrary: fc.constant<Step>({ type: "wait" }) },
  ),
  { maxLength: 14 },
);

function withoutLeaving(text: string): string {
  return [...text].filter((letter) => !["q", "\x03", "\x04", chooseKey].includes(letter)).join("");
}

/** Plays a story, each text cut into pieces of `size` characters, and tells what was decided. */
async function decisionsOf(story: readonly Step[], size: number): Promise<string[]> {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");
  const open: TeamRequest[] = [screen.ask(alice, { command: "npm test" }, "bash(npm test:*)")];
  await screen.settle();
  for (const step of story) {
    if (step.type === "ask") open.push(screen.ask(alice, { command: "make" }, "bash(make:*)"));
    else if (step.type === "withdraw") {
      const request = open.shift();
      if (request) screen.withdraw(request);
    } else if (step.type === "wait") await screen.settle();
    else await typeInPieces(screen, step.text, size);
  }
  await screen.settle();
  return screen.told.filter((told) => /^(allow|deny)/.test(told));
}

async function typeInPieces(screen: ScreenedTeam, text: string, size: number): Promise<void> {
  for (let at = 0; at < text.length; at += size) {
    screen.press(text.slice(at, at + size));
    await screen.read();
  }
}

test("P38 nothing typed or pasted, however it is split, decides a question that comes or goes", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 8 }), async (story, size) => {
      expect(await decisionsOf(story, size)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test("P38 nothing pasted without marks decides anything, not even the selecting key", async () => {
  const pasted = fc.array(fc.constantFrom(chooseKey, "y", "a", "n", "\r", "x"), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(pasted, fc.integer({ min: 1, max: 4 }), async (parts, size) => {
      const story: Step[] = [{ type: "type", text: parts.join("") }];
      expect(await decisionsOf(story, size)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test.each(["y", "n"])(
  "control: the same input with a selected question is decided by %s",
  async (key) => {
    const story: Step[] = [
      { type: "type", text: chooseKey },
      { type: "wait" },
      { type: "type", text: key },
    ];

    expect(await decisionsOf(story, 1)).toEqual([key === "y" ? "allow-once" : "deny"]);
  },
);
