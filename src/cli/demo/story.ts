import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { onErrno } from "../../errors.ts";
import type { Team } from "../../team/team.ts";
import type { SeenEvents } from "./seen-events.ts";

/** What the claims of an act are checked against. */
interface DemoEvidence {
  directory: string;
  team: Team;
  seen: SeenEvents;
}

/** Something that must be true after an act. */
interface DemoClaim {
  text: string;
  holds(evidence: DemoEvidence): Promise<boolean>;
}

/** A prompt to the lead, and what must be true afterwards. */
export interface DemoAct {
  title: string;
  prompt: string;
  claims: readonly DemoClaim[];
}

export const story: readonly DemoAct[] = [
  {
    title: "a lead, two teammates, and mail between them",
    prompt: "Spawn alice (coder) and bob (tester). Have alice send bob a message.",
    claims: [
      isInRoster("alice", "coder", "idle"),
      isInRoster("bob", "tester", "idle"),
      {
        text: "bob has read a message that alice sent",
        holds: async ({ seen }) => seen.hasRead("bob", { from: "alice", type: "message" }),
      },
    ],
  },
  {
    title: "two tasks with an order, a real file, and a question to you",
    prompt:
      'Create tasks with dependencies: "Create a file called schema.sql with a users table", "Check if schema.sql exists and list its contents". Watch teammates respect the blocked order.',
    claims: [
      hasFile("schema.sql", "CREATE TABLE users"),
      {
        text: "you were asked before schema.sql was written, and allowed it once",
        holds: async ({ seen }) => isDecided(seen.decisions("permission"), "approved"),
      },
      {
        text: "task 2 was not begun before task 1 was completed",
        holds: async ({ seen }) => seen.keptOrder("1", "2"),
      },
      {
        text: "both tasks are completed, and the second has found what the first has written",
        async holds({ team }) {
          const tasks = await team.tasks();
          const isDone = tasks.length === 2 && tasks.every(({ status }) => status === "completed");
          return isDone && (tasks[1]?.result ?? "").includes("CREATE TABLE users");
        },
      },
    ],
  },
  {
    title: "a plan that is rejected",
    prompt: "Spawn charlie with a risky refactoring task. Review and reject his plan.",
    claims: [
      {
        text: "charlie's plan is rejected",
        holds: async ({ seen }) => isDecided(seen.decisions("plan", "charlie"), "rejected"),
      },
      {
        text: "charlie has changed nothing",
        holds: async ({ directory }) => (await contentOf(directory, "charlie-notes.md")) === "",
      },
    ],
  },
  {
    title: "a plan that is approved, and carried out",
    prompt: "Spawn dana (writer), have her submit a plan, then approve it.",
    claims: [
      {
        text: "dana's plan is approved",
        holds: async ({ seen }) => isDecided(seen.decisions("plan", "dana"), "approved"),
      },
      hasFile("dana-notes.md", "rehearsal"),
    ],
  },
  {
    title: "a word to everybody",
    prompt: 'Broadcast "status update: phase 1 complete" to all teammates',
    claims: ["alice", "bob", "charlie", "dana"].map((name) => ({
      text: `${name} has read it`,
      holds: async ({ seen }) => seen.hasRead(name, { from: "lead", type: "broadcast" }),
    })),
  },
  {
    title: "a shutdown that both sides agree to",
    prompt: "Request alice's shutdown.",
    claims: [
      {
        text: "alice has agreed",
        holds: async ({ seen }) => isDecided(seen.decisions("shutdown"), "approved"),
      },
      isInRoster("alice", "coder", "shutdown"),
    ],
  },
];

function isInRoster(name: string, role: string, status: string): DemoClaim {
  return {
    text: `the roster has ${name} (${role}): ${status}`,
    async holds({ team }) {
      const { members } = await team.roster();
      return members.some((it) => it.name === name && it.role === role && it.status === status);
    },
  };
}

function hasFile(name: string, text: string): DemoClaim {
  return {
    text: `${name} is there, with "${text}" in it`,
    holds: async ({ directory }) => (await contentOf(directory, name)).includes(text),
  };
}

function isDecided(decisions: readonly string[], state: string): boolean {
  return decisions.length === 1 && decisions[0] === state;
}

/** Empty if there is no such file. */
async function contentOf(directory: string, name: string): Promise<string> {
  return readFile(join(directory, name), "utf8").catch(onErrno("", "ENOENT"));
}
