import { TeamError } from "../../errors.ts";
import { EffortChoice } from "../../protocol/effort.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import { PermissionMode } from "../../protocol/message.ts";
import { findMember } from "../../team/find-member.ts";
import type { PersonsAnswer } from "../../team/protocols/persons-answer.ts";
import type { TeamCommand } from "../../team/team-commands.ts";
import type { Command } from "../command.ts";
import { parseArguments } from "../parse-arguments.ts";
import { briefly, pickRequest } from "../pick-request.ts";
import { columns, screenWidth } from "../render/columns.ts";
import { oneLine } from "../render/one-line.ts";
import { printable } from "../render/printable.ts";
import { keyHelp } from "./key-help.ts";
import { runMode } from "./modes.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** A command that a person types after a slash. Only `compact` costs a model call. */
export interface SlashCommand {
  readonly name: string;
  /** The parameters, as the help shows them. */
  readonly parameters: string;
  readonly summary: string;
  /** For each argument, what it can be, to complete it. */
  readonly words: readonly ArgumentWords[];
  /** `viewed` is the member whose view is open. */
  run(argument: string, talk: Talk, viewed: string): Promise<TalkReply>;
}

/** The names of members, the ids of models, or words of a fixed set. */
type ArgumentWords = "members" | "members or all" | "models" | readonly string[];

/** `call` is the name and the parameters, as the help shows them. */
function slash(call: string, summary: string, run: SlashCommand["run"]): SlashCommand {
  const [name = "", ...parameters] = call.split(" ");
  const words = parameters.map((parameter) => argumentWords[parameter] ?? []);
  const hasNames = words.some((each) => each === "members" || each === "members or all");
  return {
    ...{ name, summary, words, parameters: parameters.join(" ") },
    run: (argument, ...rest) => run(hasNames ? withoutAt(argument) : argument, ...rest),
  };
}

/** Names may be written as they are in a message: `@alice`. */
function withoutAt(argument: string): string {
  return argument.replaceAll(/(?<!\S)@/g, "");
}

const argumentWords: Readonly<Partial<Record<string, ArgumentWords>>> = {
  "<name>": "members",
  "[<name>]": "members",
  "[<name>|all]": "members or all",
  "[<mode>]": PermissionMode.options,
  "[<model>]": "models",
  "[<level>]": EffortChoice.options,
  "[yes]": ["yes"],
  "[files|conversation|overwrite]": ["files", "conversation", "overwrite"],
  "[allow|ask|deny|remove]": ["allow", "ask", "deny", "remove"],
};

/** Runs a command of the shell, with its output as the reply. */
function shell(load: () => Promise<Command>): SlashCommand["run"] {
  return async (argument, { io, teamDir }) => {
    const command = await load();
    const argv = argument === "" ? [] : argument.split(/\s+/);
    const given = parseArguments(["--team-dir", teamDir, ...argv], command);
    if (given === "help") return shown(command.summary);
    const lines: string[] = [];
    // Aborted from the start, so that `log --follow` ends and the person can continue typing.
    const signal = AbortSignal.abort();
    await command.run(given, { ...io, signal, out: (line) => lines.push(line) });
    return { type: "shown", lines };
  };
}

const inbox = async () => (await import("../commands/inbox.ts")).inbox;
const messages = async () => (await import("../commands/messages.ts")).messages;
const tasks = async () => (await import("../commands/tasks.ts")).tasks;
const cost = async () => (await import("../commands/cost.ts")).cost;
const log = async () => (await import("../commands/log.ts")).log;
const approvals = async () => (await import("../commands/approvals.ts")).approvals;

export const slashCommands: readonly SlashCommand[] = [
  slash("team", "the members and their status", async (_, { team }) =>
    shown(await team.describeRoster()),
  ),
  slash("inbox [<name>]", "a member's mail (default: the lead's)", shell(inbox)),
  slash("messages", "all mail, and whether it was read", shell(messages)),
  slash("tasks", "the task board", shell(tasks)),
  slash("cost", "tokens and cost, by member", shell(cost)),
  slash("log [<name>]", "what a member saw, said and did (default: the lead)", shell(log)),
  slash("approvals", "the requests that wait for your answer, in full", shell(approvals)),
  slash("approve <id> [always]", "allow a request, once or always", async (argument, talk) => {
    const [id = "", always] = argument.split(/\s+/);
    return answer(talk, id, { decision: always === "always" ? "allow-always" : "allow-once" });
  }),
  slash("deny <id> [<reason>]", "deny a request", async (argument, talk) => {
    const [, id = "", reason = ""] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
    return answer(talk, id, { decision: "deny", reason: reason === "" ? undefined : reason });
  }),
  slash(
    "view [<name>]",
    "open a member's view, and write to it (default: the lead)",
    async (argument, talk) => ({ type: "view", name: await memberOf(talk, argument) }),
  ),
  slash(
    "show [<n>|all]",
    "open the last text that was cut short, the n-th last, or all that this member did",
    open,
  ),
  slash("diff [<path>]", "what has changed since the last commit", async (argument, talk) =>
    (await import("./diff-command.ts")).runDiff(argument, talk),
  ),
  slash(
    "changes [<name>]",
    "the work of members with checkouts, or all that one of them changes",
    async (argument, talk) => (await import("./landing-commands.ts")).runChanges(argument, talk),
  ),
  slash(
    "land [<name>|all]",
    "bring landed work to your branch; with a name, let the work of a member land",
    async (argument, talk) => (await import("./landing-commands.ts")).runLand(argument, talk),
  ),
  slash(
    "discard <name> [<reason>]",
    "say that the work of a member is not to land",
    async (argument, talk) => (await import("./landing-commands.ts")).runDiscard(argument, talk),
  ),
  slash(
    "interrupt [<name>]",
    "interrupt a member; it then waits for your message (default: all members)",
    async (argument, talk) => {
      const name = argument === "" ? undefined : await memberOf(talk, argument);
      const names = talk.team.interrupt(name);
      if (names.length === 0) return shown(name ? `${name} is not at work.` : "Nobody is at work.");
      return shown(`Interrupted: ${names.join(", ")}.`);
    },
  ),
  slash(
    "stop [<name>]",
    "stop a teammate for good (default: all of them, and the lead's run)",
    async (argument, talk) => {
      if (argument === "") await talk.team.stop();
      else await talk.team.stop(await memberOf(talk, argument));
      return shown(`Stopped: ${argument === "" ? "all members" : argument}.`);
    },
  ),
  slash(
    "mode [<mode>] [<name>|all]",
    `show everybody's permission mode, or set it (default: the lead's): ${PermissionMode.options.join(", ")}`,
    runMode,
  ),
  slash(
    "model [<model>] [<name>|all]",
    "show everybody's model and effort, or set the model (default: of the member whose view is open)",
    async (...typed) => (await import("./models.ts")).runModel(...typed),
  ),
  slash(
    "effort [<level>] [<name>|all]",
    `the same for how much a model thinks: ${EffortChoice.options.join(", ")}`,
    async (...typed) => (await import("./models.ts")).runEffort(...typed),
  ),
  slash(
    "permissions [allow|ask|deny|remove] [<rule>]",
    "list the permission rules, add one, or remove one that was added",
    runPermissions,
  ),
  slash(
    "rewind [<name>] [<number>] [yes] [files|conversation|overwrite]",
    "list your prompts, show what going back to before one would do, or do it (yes); with a name, the same for states of a member's checkout",
    async (argument, talk) => (await import("./rewind-command.ts")).runRewind(argument, talk),
  ),
  slash(
    "compact [<what to keep>]",
    "have the member of the view summarize its conversation; esc cancels it",
    async (...given) => (await import("./conversation-commands.ts")).runCompact(...given),
  ),
  slash(
    "clear [<name>|all]",
    "begin a member's conversation again (default: of the view's member)",
    async (...given) => (await import("./conversation-commands.ts")).runClear(...given),
  ),
  slash("new", "archive this team and start a new one", async () => ({ type: "start-new" })),
  slash("resume [<number>]", "list the archived teams, or bring one back", async (argument, talk) =>
    (await import("./resume-command.ts")).runResume(argument, talk),
  ),
  slash("export [<file>]", "write the team to one HTML file to share", async (argument, talk) =>
    (await import("./run-shell-command.ts")).runExport(argument, talk),
  ),
  slash("doctor", "check what is installed, configured and missing", async (argument, talk) =>
    (await import("./run-shell-command.ts")).runDoctor(argument, talk),
  ),
  slash("help", "this list, and the keys", async (_, { io, team }) =>
    shown(helpText(Math.min(screenWidth, io.terminal.output.columns - 1), await team.commands())),
  ),
  slash("quit", "quit; the team continues when you come back", async () => ({ type: "leave" })),
];

function shown(text: string): TalkReply {
  return { type: "shown", lines: printable(text).split("\n") };
}

async function open(argument: string): Promise<TalkReply> {
  if (argument === "all") return { type: "open", what: "history" };
  const number = argument === "" ? 1 : Number(argument);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new TeamError("usage-wrong", `'${argument}' is not a number from 1`, {
      hint: "/show opens the last text that was cut, /show 2 the one before, /show all everything.",
    });
  }
  return { type: "open", what: number };
}

async function memberOf({ team }: Talk, typed: string): Promise<MemberName> {
  return typed === "" ? lead : findMember(await team.roster(), typed);
}

async function answer(talk: Talk, id: string, given: PersonsAnswer): Promise<TalkReply> {
  const request = pickRequest(await talk.team.requests(), id === "" ? undefined : id);
  await talk.answer(request.id, given);
  const word = given.decision === "deny" ? "Denied" : "Allowed";
  return { type: "answered", id: request.id, line: `${word}: ${briefly(request)}` };
}

async function runPermissions(argument: string, { team }: Talk): Promise<TalkReply> {
  const { changeRule, ruleLines } = await import("../rule-orders.ts");
  const [, verb = "", text = ""] = /^(\S*)\s*(.*)$/s.exec(argument) ?? [];
  if (verb !== "") {
    return shown(`Rule ${await changeRule({ verb, text, known: team.rules() }, team)}.`);
  }
  const lines = ruleLines(team.rules());
  return lines.length > 0 ? { type: "shown", lines } : shown("There are no permission rules.");
}

/** In a narrow terminal, what a command does is below it. */
const leastForColumns = 60;

function helpText(most: number, fileCommands: readonly TeamCommand[]): string {
  const isHidden = ({ name }: TeamCommand) => slashCommands.some((each) => each.name === name);
  const files = fileCommands.filter((each) => !isHidden(each));
  const hidden = fileCommands.filter(isHidden);
  const calls = slashCommands.map(({ name, parameters, summary }) => ({
    call: `/${name} ${parameters}`.trim(),
    summary,
  }));
  const longest = Math.min(24, Math.max(...calls.map(({ call }) => call.length)));
  const width = most < leastForColumns ? 2 : longest;
  return [
    "What you type goes to the lead, or to the member whose view is open. @alice … goes to alice, @all … to all members.",
    "",
    ...calls.flatMap(({ call, summary }) => columns(call, summary, width, most)),
    ...(files.length > 0 ? ["", "From files; the text of one is sent like a message:"] : []),
    ...files.flatMap(({ name, argumentHint = "", description }) =>
      columns(oneLine(`/${name} ${argumentHint}`.trim()), oneLine(description), width, most),
    ),
    ...hidden.map(({ name, path }) => oneLine(`${path} is not used: /${name} is Troupe's own.`)),
    "",
    "Keys on the screen:",
    ...keyHelp.flatMap(({ keys, does }) => columns(keys, does, 10, most)),
  ].join("\n");
}
