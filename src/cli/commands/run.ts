import { resolve } from "node:path";
import { z } from "zod";
import { TeamError } from "../../errors.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import { lead } from "../../protocol/ids.ts";
import { exitCodeOf, exitCodes, unfinishedLines } from "../../team/exit-code.ts";
import type { PromptImage, TeamPrompt } from "../../team/prompt-images.ts";
import type { TeamSummary } from "../../team/summary.ts";
import type { Team } from "../../team/team.ts";
import { type Command, type Io, teamDirOption } from "../command.ts";
import { serveBeside } from "../dashboard-beside.ts";
import { parseOptions, wrongUsage } from "../parse-arguments.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";
import { printable } from "../render/printable.ts";
import { Progress } from "../render/progress.ts";
import { debugLines } from "../settings/debug-lines.ts";
import { teamOptions } from "../settings/flags.ts";
import { untrustedFiles, withheldLines } from "../settings/repository-files.ts";
import {
  modelLine,
  type ResolvedSettings,
  resolveSettings,
  teamSettings,
} from "../settings/resolve-settings.ts";
import { roleFiles } from "../settings/role-source.ts";
import { userGuidance } from "../settings/standard-places.ts";
import { stopCodeOf } from "../stop-request.ts";
import { secondTeamNote } from "../team-above.ts";

const Output = z.enum(["text", "json", "stream-json"], "text, json or stream-json");
type Output = z.infer<typeof Output>;
const Flags = z.object({
  output: Output.default("text"),
  schema: z.string().optional(),
  image: z.array(z.string()).default([]),
});

export const run: Command = {
  name: "run",
  group: "run",
  summary: "Run a prompt until the team is quiet, then print the lead's last reply",
  parameters: ['"<prompt>"'],
  options: {
    output: {
      takes: "<format>",
      choices: Output.options,
      summary:
        "text (the lead's last reply), json (a summary) or stream-json (events, then the summary) (default: text)",
    },
    schema: {
      takes: "<file>",
      summary:
        "a file with a JSON Schema: print a value that matches it, from the lead, instead of its last reply",
    },
    image: {
      takes: "<file>",
      isRepeatable: true,
      summary: "show an image (PNG, JPEG, GIF or WebP) with the prompt; may be repeated",
    },
    ...teamOptions,
    approvals: {
      takes: "deny|wait",
      summary: "how to treat calls that need approval (default: deny)",
    },
    "background-wait": {
      takes: "<s>",
      summary: "seconds to wait for background commands at the end (default: 60)",
    },
    "team-dir": teamDirOption,
  },
  examples: [
    {
      call: 'troupe run "Fix the failing test" --permission-mode acceptEdits',
      does: "allow file changes in the workspace; deny everything else that would ask",
    },
    {
      call: 'troupe run "Review src/" --output json --max-cost 2 | jq -r .result',
      does: "spend at most two dollars; print the lead's last reply from the summary",
    },
    {
      call: 'troupe -p "List what npm test finds" --allow "bash(npm test)" --schema t.json',
      does: "-p is the same as run; print a value that matches the schema in t.json",
    },
  ],
  notes: [
    'What is piped in comes after the prompt, as in `git diff | troupe run "Review this"`; the prompt `-` is the piped text alone.',
    "Exit codes: 0 done; 1 unrecoverable error (provider, key, disk); 2 wrong usage or configuration, nothing was started; 3 ended with unfinished work (a failed member, an open task, an undecided request); 4 stopped by a limit or budget; 130, 143 interrupted.",
    "Only the result goes to standard output, everything else to standard error.",
  ],

  async run({ positionals: [given = ""], values, teamDir, debug }, io) {
    const text = given === "-" || io.isInputPiped() ? await piped(given, io) : given;
    if (text.trim() === "") throw wrongUsage("The prompt is empty", run);
    const { output, schema: file, image: files } = parseOptions(Flags, values, run);
    const schema = file === undefined ? undefined : await schemaIn(file, io);
    const prompt = files.length === 0 ? text : { text, images: await imagesIn(files, io) };
    const settings = await resolveSettings(run, values, io);
    const workspace = resolve(io.processInfo.cwd, settings.cwd ?? ".");
    const untrusted = await untrustedFiles(settings, { workspace, processInfo: io.processInfo });
    for (const line of withheldLines(untrusted)) io.err(line);
    for (const note of settings.mcp.notes) io.err(oneLine(`note: ${note}`));
    for (const line of settings.hookNotes) io.err(oneLine(`note: ${line}`));
    const note = teamDir || settings.cwd ? undefined : secondTeamNote(io.processInfo.cwd);
    if (note) io.err(oneLine(`note: ${note}`));
    if (debug) for (const line of debugLines(settings, { teamDir, io })) io.err(oneLine(line));
    await using team = await io.openTeam({
      ...teamSettings(settings),
      guidance: userGuidance(io.processInfo),
      roles: roleFiles({ workspace, processInfo: io.processInfo }),
      teamDir,
      denies: settings.approvals === "deny",
      structuredResults: schema !== undefined,
    });
    const chosen = modelLine(settings, (await team.models())[0]?.model);
    if (chosen) io.err(`note: ${chosen}`);
    await using _dashboard = await serveBeside(settings, {
      teamDir,
      io,
      onWarning: (message) => io.err(oneLine(`warning: ${message}`)),
    });
    const expanded = text.startsWith("/") ? await expand(text, team, io) : text;
    const whole = typeof prompt === "string" ? expanded : { ...prompt, text: expanded };
    return await work(team, { prompt: whole, output, schema, settings }, io);
  },
};

async function expand(text: string, team: Team, io: Io): Promise<string> {
  const { expandPrompt } = await import("../expand-prompt.ts");
  return await expandPrompt(text, team, io);
}

async function piped(prompt: string, io: Io): Promise<string> {
  const { withPipedText } = await import("../piped-text.ts");
  return await withPipedText(prompt, io);
}

interface PromptedRun {
  prompt: string | TeamPrompt;
  output: Output;
  schema: JsonSchema | undefined;
  settings: ResolvedSettings;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** What the lead was asked to hand in: the value, or why there is none. */
type Structured = { type: "value"; value: unknown } | { type: "missing"; reason: string };

async function work(
  team: Team,
  { prompt, output, schema, settings }: PromptedRun,
  io: Io,
): Promise<number> {
  const told = new AbortController();
  const telling = tellEvents(team, output, io, told.signal);
  const stop = new AbortController();
  const signal = AbortSignal.any([io.signal, stop.signal]);
  const isTimeUp = () => stop.signal.aborted && !io.signal.aborted;
  const cancel =
    settings.timeout === undefined
      ? () => {}
      : io.schedule(settings.timeout * 1000, () => stop.abort());
  const structured = schema && (await ask(team, prompt, { schema, signal }));
  if (!schema) await team.prompt(prompt);
  const summary = await team.quiet({
    signal,
    backgroundWaitMs: settings["background-wait"] * 1000,
  });
  cancel();
  told.abort();
  await telling;
  const isMissing = structured?.type === "missing";
  const unstopped = isTimeUp() ? exitCodes.limit : exitCodeOf(summary);
  const ended = isMissing && unstopped === exitCodes.done ? exitCodes.unfinished : unstopped;
  const code = stopCodeOf(io.signal) ?? ended;
  conclude(summary, { code, output, structured, isTimeUp: isTimeUp() }, io);
  return code;
}

async function ask(
  team: Team,
  prompt: string | TeamPrompt,
  options: { schema: JsonSchema; signal: AbortSignal },
): Promise<Structured> {
  try {
    return { type: "value", value: await team.ask(prompt, options) };
  } catch (error) {
    if (options.signal.aborted) return { type: "missing", reason: "It was stopped before that" };
    if (!(error instanceof TeamError) || error.code !== "result-missing") throw error;
    return { type: "missing", reason: error.message };
  }
}

/** Before the team is opened: where a file is wrong, nothing is started. */
async function imagesIn(files: readonly string[], { processInfo }: Io): Promise<PromptImage[]> {
  const { readImages } = await import("../../team/prompt-images.ts");
  const images = await readImages(files.map((file) => resolve(processInfo.cwd, file)));
  return images.map(({ content: data, type: mediaType }) => ({ data, mediaType }));
}

async function schemaIn(file: string, { processInfo }: Io): Promise<JsonSchema> {
  const { readSchemaFile } = await import("../schema-file.ts");
  return readSchemaFile(file, processInfo);
}

async function tellEvents(team: Team, output: Output, io: Io, signal: AbortSignal): Promise<void> {
  const progress = new Progress();
  // The lead's last failure is told whole at the end, so only one that it got over is told here.
  let leadsFailure: string[] = [];
  for await (const event of team.events(signal)) {
    if (output === "stream-json") io.out(jsonText(event));
    if (isLeadsFailure(event)) {
      leadsFailure = progress.lines(event);
      continue;
    }
    if (event.type === "run-start" && event.member === lead) {
      for (const line of leadsFailure.splice(0)) io.err(line);
    }
    for (const line of progress.lines(event)) io.err(line);
  }
}

function isLeadsFailure(event: AgentEvent): boolean {
  return event.type === "member-change" && event.member === lead && event.status === "failed";
}

const timeIsUp = "The timeout has passed.";

interface Conclusion {
  code: number;
  output: Output;
  structured: Structured | undefined;
  isTimeUp: boolean;
}

function conclude(summary: TeamSummary, conclusion: Conclusion, io: Io): void {
  const { code, output, structured, isTimeUp } = conclusion;
  if (output === "json") io.out(jsonText(reported(summary, conclusion)));
  else if (output === "stream-json") {
    io.out(jsonText({ type: "summary", ...reported(summary, conclusion) }));
  } else if (output === "text") printResult(summary, structured, io);
  if (isTimeUp) io.err(timeIsUp);
  if (structured?.type === "missing") io.err(oneLine(structured.reason));
  if (code === exitCodes.done) return;
  for (const line of unfinishedLines(summary)) io.err(oneLine(line));
}

function printResult({ result }: TeamSummary, structured: Structured | undefined, io: Io): void {
  if (structured?.type === "value") io.out(jsonText(structured.value));
  else if (!structured && result !== "") io.out(printable(result.replaceAll("\r\n", "\n")));
}

function reported(
  { end, undecided, ...summary }: TeamSummary,
  { code: exit_code, structured, isTimeUp }: Conclusion,
): object {
  const { result, ...rest } = summary;
  const reason = isTimeUp ? timeIsUp : end?.reason;
  return {
    result,
    ...(structured && { structured: structured.type === "value" ? structured.value : null }),
    exit_code,
    ...(reason && { reason }),
    ...(end?.hint && { hint: end.hint }),
    ...rest,
    undecided: undecided.map(({ id, type, from }) => ({ id, type, from })),
  };
}
