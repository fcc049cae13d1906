import { TeamError } from "../../errors.ts";
import { nearest } from "../../lib/nearest.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import { lead } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { TeamPrompt } from "../../team/prompt-images.ts";
import type { PersonsAnswer } from "../../team/protocols/persons-answer.ts";
import type { CheckoutRewindPreview } from "../../team/rewind/checkout-rewind.ts";
import type { RewindPreview } from "../../team/rewind/team-rewind.ts";
import type { Team } from "../../team/team.ts";
import type { Io } from "../command.ts";
import type { PagerText } from "../screen/pager.ts";
import { attachMentions, isMention, type WithMentions } from "./mentions.ts";
import { type SlashCommand, slashCommands } from "./slash-commands.ts";

/** The result of a typed line. */
export type TalkReply =
  | { type: "shown"; lines: readonly string[] }
  /** `attached` are the files that the text mentions; there is no `id` if it went to all. */
  | {
      type: "sent";
      to: string;
      text: string;
      attached: readonly string[];
      id?: MessageId;
      /** What the person should know of the command that was sent. */
      notes?: readonly string[];
    }
  | { type: "answered"; id: string; line: string }
  | { type: "refused"; message: string; hint: string | undefined }
  | { type: "view"; name: MemberName }
  /** Open in full what was cut so many texts ago, or a member's whole history. */
  | { type: "open"; what: number | "history" }
  /** A text to look through. */
  | ({ type: "text" } & Pick<PagerText, "title" | "part">)
  /** The team went back. `prompt` is what the person had written, to write it again. */
  | { type: "rewound"; lines: readonly string[]; prompt: string | undefined }
  | { type: "leave" }
  /** Archive the team and start a new one. */
  | { type: "start-new" }
  /** Set the team aside, and continue with the archived one of this name. */
  | { type: "resume"; name: string };

export type TalkEnd = "left" | "start-new" | { resume: string };

/** The part of a team that a talk needs. */
export interface TalkTeam
  extends Pick<
    Team,
    | "events"
    | "roster"
    | "describeRoster"
    | "requests"
    | "openRequests"
    | "usage"
    | "backgroundCommands"
    | "broadcast"
    | "hasSent"
    | "withdraw"
    | "answer"
    | "interrupt"
    | "stop"
    | "rules"
    | "addRule"
    | "removeRule"
    | "modes"
    | "setMode"
    | "models"
    | "setModel"
    | "checkpoints"
    | "previewRewind"
    | "rewind"
    | "checkoutStates"
    | "previewCheckoutRewind"
    | "rewindCheckout"
    | "compact"
    | "clear"
    | "quiet"
    | "commands"
    | "expandCommand"
  > {
  message(to: string, prompt: string | TeamPrompt): Promise<Pick<Message, "id" | "to">>;
}

interface TalkOptions {
  team: TalkTeam;
  io: Io;
  teamDir: string;
  workspace: string;
  /** When this process opened the team. */
  openedAt: string;
}

/** A person's talk with a team: carries out each typed line. */
export class Talk {
  readonly team: TalkTeam;
  readonly io: Io;
  readonly teamDir: string;
  readonly workspace: string;
  readonly openedAt: string;
  /** What the person was last shown of going back to a prompt, and has not confirmed. */
  shownRewind: { preview: RewindPreview } | undefined;
  /** The same of going back in a member's checkout. */
  shownCheckoutRewind: { member: string; preview: CheckoutRewindPreview } | undefined;
  readonly #answered = new Set<string>();
  /** Stops what is being prepared when the talk ends. */
  readonly #stop = new AbortController();

  constructor({ team, io, teamDir, workspace, openedAt }: TalkOptions) {
    this.team = team;
    this.io = io;
    this.teamDir = teamDir;
    this.workspace = workspace;
    this.openedAt = openedAt;
  }

  /**
   * Carries out a line. `addressee` gets it if the line names nobody (default: the lead). `images` are
   * the paths of images that the person has pasted into it.
   */
  async take(
    typed: string,
    addressee?: string,
    images: readonly string[] = [],
  ): Promise<TalkReply> {
    try {
      const line = readTypedLine(typed, addressee);
      const isPath = await this.#beginsWithPath(typed, line);
      const meant = isPath ? readTypedLine(` ${typed}`, addressee) : line;
      // After a space, nothing at its beginning has a special meaning.
      const isLiteral = /^\s/.test(typed);
      return await this.#carryOut(meant, { viewed: addressee ?? lead, images, isLiteral });
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      return { type: "refused", message: error.message, hint: error.hint };
    }
  }

  /** True for a line such as `@src/a.ts explain this`, whose first word is not a member. */
  async #beginsWithPath(typed: string, line: TypedLine): Promise<boolean> {
    if (line.type !== "message" || !typed.startsWith("@") || line.to === everybody) return false;
    const { members } = await this.team.roster();
    const isMember = line.to === lead || members.some(({ name }) => name === line.to);
    const [word = ""] = typed.slice(1).split(/\s/, 1);
    return !isMember && (typed.startsWith('@"') || (await isMention(word, this.workspace)));
  }

  /** Gives up texts that are still being prepared. */
  end(): void {
    this.#stop.abort();
  }

  /** Answers a question that is put to the person. */
  async answer(id: string, answer: PersonsAnswer): Promise<void> {
    this.#answered.add(id);
    try {
      await this.team.answer(id, answer);
    } catch (error) {
      this.#answered.delete(id);
      throw error;
    }
  }

  /** What has become of questions that are gone, without those that were answered in this talk. */
  async decidedElsewhere(gone: readonly TeamRequest[]): Promise<TeamRequest[]> {
    const ids = new Set(gone.map(({ id }) => id).filter((id) => !this.#answered.has(id)));
    return ids.size === 0 ? [] : (await this.team.requests()).filter(({ id }) => ids.has(id));
  }

  async #carryOut(
    line: TypedLine,
    { viewed, images, isLiteral }: TypedContext,
  ): Promise<TalkReply> {
    switch (line.type) {
      case "nothing":
        return { type: "shown", lines: [] };
      case "leave":
        return { type: "leave" };
      case "command": {
        const command = builtIn(line.name);
        if (!command) return this.#sendCommand(line, viewed, images);
        if (images.length > 0) throw imagesRefused("A command", "Send them in a message.");
        return command.run(line.argument, this, viewed);
      }
      case "message": {
        const { name, argument } = readCommand(line.text) ?? {};
        const isCommand = name !== undefined && !builtIn(name) && (await this.#isFileCommand(name));
        if (!isCommand || isLiteral) return this.#send(line.to, line.text, images);
        return this.#sendCommand({ name, argument: argument ?? "" }, line.to, images);
      }
    }
  }

  async #isFileCommand(name: string): Promise<boolean> {
    return (await this.team.commands()).some((each) => each.name === name);
  }

  /** Sends the text of a command that a file defines, with the files and images that the person has typed behind it. */
  async #sendCommand(
    { name, argument }: { name: string; argument: string },
    to: string,
    pasted: readonly string[],
  ): Promise<TalkReply> {
    const known = await this.team.commands();
    if (!known.some((each) => each.name === name)) throw noCommand(name, known);
    const typed = await attachMentions(argument, this.workspace, pasted);
    const addressee = to === everybody ? lead : to;
    const { text, notes, ...expanded } = await this.team.expandCommand(name, argument, {
      to: addressee,
      signal: this.#stop.signal,
    });
    const content = text + typed.content.slice(argument.length);
    const attached = [...expanded.attached, ...typed.attached];
    return {
      ...(await this.#deliver(to, { text, content, images: typed.images, attached })),
      notes,
    };
  }

  async #send(to: string, text: string, pasted: readonly string[]): Promise<TalkReply> {
    if (text === "") return this.#look(to);
    return this.#deliver(to, { text, ...(await attachMentions(text, this.workspace, pasted)) });
  }

  async #deliver(
    to: string,
    { text, content, images, attached }: WithMentions & { text: string },
  ): Promise<Extract<TalkReply, { type: "sent" }>> {
    if (to !== everybody) {
      const prompt = images.length > 0 ? { text: content, images } : content;
      const sent = await this.team.message(to, prompt);
      return { type: "sent", to: sent.to, text, attached, id: sent.id };
    }
    if (images.length > 0) {
      throw imagesRefused("A message to all", "Name the members one by one, as in @alice.");
    }
    await this.team.broadcast(content);
    return { type: "sent", to, text, attached };
  }

  /** A name alone opens the member's view. */
  async #look(name: string): Promise<TalkReply> {
    return requireBuiltIn("view").run(name, this, name);
  }
}

interface TypedContext {
  viewed: string;
  images: readonly string[];
  /** Whether a slash at its beginning is only a slash. */
  isLiteral: boolean;
}

function imagesRefused(what: string, hint: string): TeamError {
  return new TeamError("usage-wrong", `${what} cannot have images`, { hint });
}

/** What ends or decides something is not to be typed by mistake for something else. */
const neverSuggested = new Set([
  "new",
  "clear",
  "resume",
  "rewind",
  "land",
  "discard",
  "stop",
  "interrupt",
  "approve",
  "deny",
  "quit",
]);

/** What other programs have a command for, and how it is done here. */
const knownElsewhere = new Map([
  ["agents", "/team shows the members."],
  ["context", "/cost shows how full each member's context is."],
  ["exit", "/quit quits."],
  ["init", "Ask the lead to write AGENTS.md: every member is shown it."],
  ["plan", "/mode plan lets members look and change nothing."],
  ["send", "@alice … sends a line to alice."],
  ["status", "/team shows the members, /cost, /mode and /model the rest."],
  ["web", "`troupe web` in another shell opens the dashboard."],
]);

function builtIn(name: string): SlashCommand | undefined {
  return slashCommands.find((each) => each.name === name);
}

function requireBuiltIn(name: string): SlashCommand {
  const command = builtIn(name);
  if (!command) throw noCommand(name, []);
  return command;
}

function noCommand(name: string, others: readonly { name: string }[]): TeamError {
  const names = [...slashCommands, ...others].map((each) => each.name);
  const meant = nearest(
    name,
    names.filter((each) => !neverSuggested.has(each)),
  );
  const known = knownElsewhere.get(name);
  const suggestion = known ? `${known} ` : meant ? `Did you mean /${meant}? ` : "";
  return new TeamError("usage-wrong", `There is no command /${name}`, {
    hint: `${suggestion}/help lists them. To send a line that begins with a slash, put a space before it.`,
  });
}

type TypedLine =
  | { type: "nothing" }
  | { type: "leave" }
  | { type: "command"; name: string; argument: string }
  /** `to` is a member's name as it was typed, or `all`. */
  | { type: "message"; to: string; text: string };

/** The name that means everybody. */
const everybody = "all";

const leaveWords = new Set(["q", "exit", "quit"]);

/**
 * Parses a line. Without `@name` in front it is for `addressee`. After a leading space, `/` and `@`
 * have no special meaning, so that any text can be sent.
 */
export function readTypedLine(typed: string, addressee: string = lead): TypedLine {
  const text = typed.trim();
  if (text === "") return { type: "nothing" };
  if (leaveWords.has(text)) return { type: "leave" };
  if (/^\s/.test(typed)) return { type: "message", to: addressee, text };
  const command = readCommand(text);
  if (command) return { type: "command", ...command };
  const [, name, rest = ""] = /^@(\S+?)[:,]?(?:\s+(.*))?$/s.exec(text) ?? [];
  if (name) return { type: "message", to: name, text: rest };
  return { type: "message", to: addressee, text };
}

/** True for a line that may call a command of a file, which can take long and ask the person before it is sent. */
export function mayPrepare(typed: string): boolean {
  const line = readTypedLine(typed);
  const name = line.type === "message" ? readCommand(line.text)?.name : undefined;
  const called = line.type === "command" ? line.name : name;
  return called !== undefined && !builtIn(called);
}

function readCommand(text: string): { name: string; argument: string } | undefined {
  const [, name, argument = ""] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? [];
  return name === undefined ? undefined : { name, argument };
}
