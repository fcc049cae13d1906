import { TeamError } from "../../errors.ts";
import { lead, type MemberName, parseMemberName } from "../../protocol/ids.ts";
import { PermissionMode } from "../../protocol/message.ts";
import type { PersonsAnswer } from "../../team/protocols/persons-answer.ts";
import type { Command } from "../command.ts";
import { parseArguments } from "../parse-arguments.ts";
import { briefly, pickRequest } from "../pick-request.ts";
import { columns } from "../render/columns.ts";
import { printable } from "../render/printable.ts";
import type { Reply, Talk } from "./talk.ts";

/** What a person may type behind a slash. None of them costs a model call. */
export interface SlashCommand {
  readonly name: string;
  /** What stands behind it, as its help shows it. */
  readonly parameters: string;
  readonly summary: string;
  /** Whether what stands behind it is a member's name. */
  readonly takesMembers: boolean;
  run(argument: string, talk: Talk): Promise<Reply>;
}

/** A command that looks and acts as the one of the same name does in any shell. */
function asInAnyShell(
  name: string,
  { parameters = "", summary }: { parameters?: string; summary: string },
  load: () => Promise<Command>,
): SlashCommand {
  return {
    ...{ name, parameters, summary },
    takesMembers: parameters.includes("name"),
    async run(argument, { io, teamDir }) {
      const command = await load();
      const argv = argument === "" ? [] : argument.split(/\s+/);
      const given = parseArguments(["--team-dir", teamDir, ...argv], command);
      if (given === "help") return shown(summary);
      const lines: string[] = [];
      // Nothing is followed: what is shown here has an end, and the person goes on typing.
      const signal = AbortSignal.abort();
      await command.run(given, { ...io, signal, out: (line) => lines.push(line) });
      return { type: "shown", lines };
    },
  };
}

export const slashCommands: readonly SlashCommand[] = [
  {
    name: "team",
    parameters: "",
    summary: "the members and their status",
    takesMembers: false,
    run: async (_, { team }) => shown(await team.describeRoster()),
  },
  asInAnyShell(
    "inbox",
    { parameters: "[<name>]", summary: "a member's mail (default: the lead's)" },
    async () => (await import("../commands/inbox.ts")).inbox,
  ),
  asInAnyShell(
    "messages",
    { summary: "all mail, and whether it was read" },
    async () => (await import("../commands/messages.ts")).messages,
  ),
  asInAnyShell(
    "tasks",
    { summary: "the task board" },
    async () => (await import("../commands/tasks.ts")).tasks,
  ),
  asInAnyShell(
    "cost",
    { summary: "tokens and dollars, by member" },
    async () => (await import("../commands/cost.ts")).cost,
  ),
  asInAnyShell(
    "log",
    { parameters: "[<name>]", summary: "what a member saw, said and did" },
    async () => (await import("../commands/log.ts")).log,
  ),
  asInAnyShell(
    "approvals",
    { summary: "the requests that wait for your answer, in full" },
    async () => (await import("../commands/approvals.ts")).approvals,
  ),
  {
    name: "approve",
    parameters: "<id> [always]",
    summary: "allow a request, once or always",
    takesMembers: false,
    async run(argument, talk) {
      const [id = "", always] = argument.split(/\s+/);
      return answer(talk, id, { decision: always === "always" ? "allow-always" : "allow-once" });
    },
  },
  {
    name: "deny",
    parameters: "<id> [<reason>]",
    summary: "deny a request",
    takesMembers: false,
    async run(argument, talk) {
      const [, id = "", reason = ""] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
      return answer(talk, id, { decision: "deny", reason: reason === "" ? undefined : reason });
    },
  },
  {
    name: "view",
    parameters: "[<name>]",
    summary: "open a member's view, and write to it (default: the lead)",
    takesMembers: true,
    run: async (argument, talk) => ({ type: "view", name: await findMember(talk, argument) }),
  },
  {
    name: "interrupt",
    parameters: "[<name>]",
    summary: "interrupt a member; it then waits for your message (default: everybody)",
    takesMembers: true,
    async run(argument, talk) {
      if (argument === "") talk.team.interrupt();
      else talk.team.interrupt(await findMember(talk, argument));
      return shown(`Interrupted: ${argument === "" ? "everybody" : argument}.`);
    },
  },
  {
    name: "stop",
    parameters: "[<name>]",
    summary: "stop a teammate for good (default: all of them, and the lead's run)",
    takesMembers: true,
    async run(argument, talk) {
      if (argument === "") await talk.team.stop();
      else await talk.team.stop(await findMember(talk, argument));
      return shown(`Stopped: ${argument === "" ? "everybody" : argument}.`);
    },
  },
  {
    name: "mode",
    parameters: "<mode> [<name>]",
    summary: `set a member's permission mode (default: the lead's): ${PermissionMode.options.join(", ")}`,
    takesMembers: false,
    run: setMode,
  },
  {
    name: "new",
    parameters: "",
    summary: "archive this team and start a new one",
    takesMembers: false,
    run: async () => ({ type: "begin-anew" }),
  },
  {
    name: "help",
    parameters: "",
    summary: "this list",
    takesMembers: false,
    run: async () => shown(helpText()),
  },
  {
    name: "quit",
    parameters: "",
    summary: "quit; the team continues when you come back",
    takesMembers: false,
    run: async () => ({ type: "leave" }),
  },
];

function shown(text: string): Reply {
  return { type: "shown", lines: printable(text).split("\n") };
}

async function findMember({ team }: Talk, typed: string): Promise<MemberName> {
  if (typed === "") return lead;
  const name = parseMemberName(typed);
  const { members } = await team.roster();
  const names = [lead, ...members.map((member) => member.name)];
  if (names.some((each) => each === name)) return name;
  throw new TeamError("member-unknown", `Nobody here is named '${name}'`, {
    hint: `Members: ${names.join(", ")}.`,
  });
}

async function answer({ team }: Talk, id: string, given: PersonsAnswer): Promise<Reply> {
  const request = pickRequest(await team.requests(), id === "" ? undefined : id);
  await team.answer(request.id, given);
  const word = given.decision === "deny" ? "Denied" : "Allowed";
  return { type: "answered", id: request.id, line: `${word}: ${briefly(request)}` };
}

async function setMode(argument: string, talk: Talk): Promise<Reply> {
  const [text = "", name = ""] = argument.split(/\s+/);
  const mode = PermissionMode.safeParse(text);
  if (!mode.success) {
    throw new TeamError("usage-wrong", `'${text}' is not a permission mode`, {
      hint: `Modes: ${PermissionMode.options.join(", ")}.`,
    });
  }
  const member = await findMember(talk, name);
  await talk.team.setMode(member, mode.data);
  return shown(`${member} is now in mode ${mode.data}.`);
}

function helpText(): string {
  const calls = slashCommands.map(({ name, parameters, summary }) => ({
    call: `/${name} ${parameters}`.trim(),
    summary,
  }));
  const width = Math.min(24, Math.max(...calls.map(({ call }) => call.length)));
  return [
    "What you type goes to the lead, or to the member whose view is open. @alice … goes to alice, @all … to everybody.",
    "",
    ...calls.flatMap(({ call, summary }) => columns(call, summary, width)),
    "",
    "On the screen, Ctrl-X selects the open question, to answer it: y yes, n no, r no with a reason, a always. Esc goes back.",
    "q, exit and Ctrl-D quit.",
  ].join("\n");
}
