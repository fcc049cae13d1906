import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { TeamError } from "../../errors.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Team } from "../../team/team.ts";
import { type Arguments, type Command, type Io, teamDirOption } from "../command.ts";
import { consentAtStart } from "../consent-at-start.ts";
import { serveBeside } from "../dashboard-beside.ts";
import { oneLine } from "../render/one-line.ts";
import { debugLines } from "../settings/debug-lines.ts";
import { teamOptions } from "../settings/flags.ts";
import { untrustedFiles } from "../settings/repository-files.ts";
import {
  modelLine,
  type ResolvedSettings,
  resolveSettings,
  teamSettings,
} from "../settings/resolve-settings.ts";
import { roleFiles } from "../settings/role-source.ts";
import { stateDirectory, userGuidance } from "../settings/standard-places.ts";
import { PlainTalk } from "../talk/plain-talk.ts";
import { Talk, type TalkEnd } from "../talk/talk.ts";
import { TypedLines } from "../talk/typed-lines.ts";
import { secondTeamNote } from "../team-above.ts";

export const talk: Command = {
  name: "",
  group: "talk",
  summary: "Talk to the lead; continues the team in this directory",
  parameters: ['["<prompt>"]'],
  options: {
    ...teamOptions,
    plain: { summary: "print plain lines instead of the full screen" },
    notify: {
      takes: "off|bell|terminal",
      summary:
        "how the screen calls you when you are needed or the team is done (default: terminal)",
    },
    "team-dir": teamDirOption,
  },
  examples: [
    { call: "troupe --model rehearsal", does: "try it without a key" },
    { call: 'troupe "Fix the failing test"', does: "start with a prompt" },
    { call: "troupe --fresh", does: "archive the old team and start a new one" },
  ],
  notes: [
    "What you type goes to the lead; @alice … goes to alice, @all … to all members. /help lists the commands.",
    'What is piped in comes after the prompt, as in `git diff | troupe "Review this"`. Without a prompt, each piped line is sent when the team is done with the one before.',
  ],

  run: (given, io) => holdTalk(given, io),
};

/** Talks with one team after the other until the person quits. `resumed` is the archived team to begin with. */
export async function holdTalk(given: Arguments, io: Io, resumed?: string): Promise<number> {
  const isPlain = given.values.plain === true || !io.terminal.isInteractive;
  const [first] = given.positionals;
  if (first !== undefined && !/\s|^\//.test(first.trim())) throw oneWord(first);
  const settings = await consented(given, { io, isPlain });
  if (!settings) return exitLeft;
  if (given.debug) {
    for (const line of debugLines(settings, { teamDir: given.teamDir, io })) io.err(oneLine(line));
  }
  const end = endAfter(settings.timeout, io);
  const isPiped = isPlain && first !== undefined && io.isInputPiped();
  // With a prompt, what is piped in belongs to it, and is not lines to send.
  const whole = isPiped ? await withPiped(first, io) : first;
  const source = isPiped ? { input: Readable.from([]) } : io.terminal;
  using lines = isPlain ? new TypedLines(source, { first: whole, signal: end }) : undefined;
  let chosen = settings;
  let prompt = whole;
  let resume = resumed;
  for (;;) {
    const next = await converse(chosen, { given, io, lines, end, prompt, resume }).catch(
      (error: unknown) => {
        const isForeign = error instanceof TeamError && error.code === "team-foreign";
        if (isPlain || resume !== undefined || !isForeign) throw error;
        return askAboutForeignTeam(error, io);
      },
    );
    if (next === "left") return 0;
    if (next === undefined) return exitLeft;
    resume = typeof next === "object" ? next.resume : undefined;
    // A team that was taken over or set aside has not had the prompt yet.
    if (next === "start-new" || resume !== undefined) prompt = undefined;
    const takeOver = next === "take over";
    chosen = { ...settings, fresh: !takeOver && resume === undefined, "take-over": takeOver };
  }
}

async function withPiped(prompt: string, io: Io): Promise<string> {
  const { withPipedText } = await import("../piped-text.ts");
  return await withPipedText(prompt, io);
}

function oneWord(word: string): TeamError {
  return new TeamError("usage-wrong", `Unexpected argument: ${word}`, {
    hint: 'Put a command before its options, as in `troupe run "…" --model …`, and write a prompt in more than one word.',
  });
}

/** The exit code after Ctrl-C at a question at the start. */
const exitLeft = 130;

interface TalkContext {
  given: Arguments;
  io: Io;
  /** The input, if there is no screen. */
  lines: TypedLines | undefined;
  end: AbortSignal;
  /** Sent to the lead at once. */
  prompt: string | undefined;
  /** The archived team that comes back first. */
  resume: string | undefined;
}

/** Talks with one team until the person quits or continues with another one. */
async function converse(
  settings: ResolvedSettings,
  { given, io, lines, end, prompt, resume }: TalkContext,
): Promise<TalkEnd> {
  const workspace = resolve(io.processInfo.cwd, settings.cwd ?? ".");
  const teamDir = given.teamDir ? resolve(given.teamDir) : join(workspace, ".team");
  const printWarning = (message: string) => io.err(oneLine(`warning: ${message}`));
  // Warnings go to the screen while there is one.
  let warn = printWarning;
  const onWarning = (message: string) => warn(message);
  if (resume !== undefined) await (await io.viewTeam(teamDir)).restore(resume);
  const isHere = !given.teamDir && !settings.cwd;
  const openedAt = systemClock.now().toISOString();
  for (const note of settings.mcp.notes) printWarning(note);
  const second = isHere ? secondTeamNote(workspace) : undefined;
  const stated = teamSettings(settings);
  await using team = await io.openTeam({
    ...stated,
    guidance: userGuidance(io.processInfo),
    roles: roleFiles({ workspace, processInfo: io.processInfo }),
    // On a screen there is somebody to ask.
    landing: { ...stated.landing, mode: settings.landing ?? (lines ? undefined : "ask") },
    teamDir,
    denies: false,
    onWarning,
  });
  await using _dashboard = await serveBeside(settings, { teamDir, io, onWarning });
  const held = new Talk({ team, io, teamDir, workspace, openedAt });
  const model = (await team.models())[0]?.model ?? "";
  const all = [modelLine(settings, model), second, ...settings.hookNotes];
  const notes = all.filter((note) => note !== undefined);
  if (lines) for (const note of notes) io.err(oneLine(`note: ${note}`));
  if (lines) {
    const talkEnd = await PlainTalk.hold({ talk: held, lines, model }, end);
    if (lines.isTyped) io.err(await lastWords(team, talkEnd));
    return talkEnd;
  }
  const { openScreen } = await import("../screen/open-screen.ts");
  const screen = await openScreen({
    talk: held,
    ...{ settings, model },
    workspace,
    notes,
    prompt,
    historyPath: join(stateDirectory(io.processInfo), "history.jsonl"),
    onWarning,
    monotonicMs: () => systemClock.monotonicMs(),
  });
  warn = (message) => screen.warn(message);
  const talkEnd = await screen.show(end).finally(() => {
    warn = printWarning;
  });
  io.err(await lastWords(team, talkEnd));
  return talkEnd;
}

function endAfter(seconds: number | undefined, io: Io): AbortSignal {
  if (seconds === undefined) return io.signal;
  const timeUp = new AbortController();
  io.schedule(seconds * 1000, () => timeUp.abort());
  return AbortSignal.any([io.signal, timeUp.signal]);
}

/** What becomes of the team that the person leaves. */
async function lastWords(team: Team, end: TalkEnd): Promise<string> {
  if (end !== "left") return "This team is archived. `/resume 1` goes back to it.";
  const alive = (await team.roster()).members.filter(({ status }) => status !== "shutdown");
  if (alive.length === 0) return "Run `troupe` to continue where you left off.";
  const names = alive.map(({ name }) => name).join(", ");
  return `${names} ${alive.length === 1 ? "stays" : "stay"} in the team. Run \`troupe\` to continue where you left off.`;
}

/**
 * The settings, after asking the person about what the repository's files would loosen; undefined if
 * the person quits instead of answering.
 */
async function consented(
  { values }: Arguments,
  { io, isPlain }: { io: Io; isPlain: boolean },
): Promise<ResolvedSettings | undefined> {
  const settings = await resolveSettings(talk, values, io);
  const { processInfo } = io;
  const workspace = resolve(processInfo.cwd, settings.cwd ?? ".");
  const untrusted = await untrustedFiles(settings, { workspace, processInfo });
  const consent = await consentAtStart(untrusted, { io, isPlain });
  if (consent === undefined) return undefined;
  return consent === "trusted" ? await resolveSettings(talk, values, io) : settings;
}

/** Asks what to do with a team that is not the person's; undefined if the person quits. */
async function askAboutForeignTeam(
  { message }: TeamError,
  io: Io,
): Promise<"set aside" | "take over" | undefined> {
  const { askAtStart } = await import("../ask-at-start.ts");
  return await askAtStart(
    {
      lines: [oneLine(`${message}.`, Number.POSITIVE_INFINITY)],
      answers: {
        "set aside": "move it to the archive, and start a new team",
        "take over": "make it yours: keep its members and history, run none of its calls",
      },
    },
    io,
  );
}
