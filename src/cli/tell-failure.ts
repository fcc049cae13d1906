import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type ErrorCode, TeamError } from "../errors.ts";
import { Secrets } from "../lib/secrets.ts";
import { environmentSecrets } from "../model/environment-secrets.ts";
import type { Io, ProcessInfo } from "./command.ts";
import type { Failure } from "./file-system-failure.ts";
import { oneLine } from "./render/one-line.ts";
import { environmentWith } from "./settings/env-file.ts";
import { teamAbove } from "./team-above.ts";

/**
 * Prints a failure: a sentence and a hint, and with `--debug` in `argv` all details. Provider keys
 * are masked.
 */
export async function tellFailure(
  error: unknown,
  { message, hint }: Failure,
  { argv, io }: { argv: string[]; io: Pick<Io, "err" | "processInfo"> },
): Promise<void> {
  const { isDebugging, namesTeam, ...places } = readTolerantly(argv);
  const secrets = await knownSecrets(places, io.processInfo);
  const tell = (line: string) => io.err(line === "" ? "" : oneLine(secrets.mask(line)));
  tell(`error: ${message}`);
  if (hint) tell(hint);
  if (error instanceof TeamError && error.code === "team-missing" && !namesTeam) {
    const above = teamAbove(resolve(io.processInfo.cwd));
    if (above) tell(`There is one in ${above}.`);
  }
  if (error instanceof TeamError && needsModel.has(error.code)) io.err(waysToStart);
  if (isDebugging) for (const line of errorDetails(error)) tell(`debug: ${line}`);
}

/** An unexpected error, for a person. */
export function bug(error: unknown): Failure {
  const message = error instanceof Error ? error.message || error.name : String(error);
  return {
    message: `troupe has a bug: ${message}`,
    hint: "Run it again with --debug, and report what it prints.",
  };
}

/** The options needed here, from a command line that may be wrong otherwise. */
interface TolerantArguments {
  isDebugging: boolean;
  /** Whether the directory of a team was given. */
  namesTeam: boolean;
  envFile: string | undefined;
  cwd: string;
}

function readTolerantly(args: string[]): TolerantArguments {
  const { values } = parseArgs({
    args,
    strict: false,
    options: {
      debug: { type: "boolean" },
      "team-dir": { type: "string" },
      "env-file": { type: "string" },
      cwd: { type: "string" },
    },
  });
  const { "env-file": envFile, cwd } = values;
  return {
    isDebugging: values.debug === true,
    namesTeam: values["team-dir"] !== undefined,
    envFile: typeof envFile === "string" ? envFile : undefined,
    cwd: typeof cwd === "string" ? cwd : ".",
  };
}

async function knownSecrets(
  { envFile, cwd }: Pick<TolerantArguments, "envFile" | "cwd">,
  processInfo: ProcessInfo,
): Promise<Secrets> {
  const isReadable = envFile && (await isPlainFile(resolve(processInfo.cwd, envFile)));
  // A file that cannot be read is very likely the failure itself, and no key of it was used.
  const env = await orElse(
    () => environmentWith(isReadable ? envFile : undefined, processInfo),
    processInfo.env,
  );
  const workspace = resolve(processInfo.cwd, cwd);
  // Most commands do without settings, and their schemas take a third of the start of `send`.
  const { ownFactsFor } = await import("./settings/configuration.ts");
  const { providers } = await orElse(() => ownFactsFor(workspace, processInfo), { env });
  return new Secrets(environmentSecrets({ env, providers }));
}

async function orElse<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return otherwise;
  }
}

/** A pipe could be read only once, and was. */
async function isPlainFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (error instanceof Error && "errno" in error) return false;
    throw error;
  }
}

/** The errors of a first start without a model, or without its key. */
const needsModel: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "model-missing",
  "provider-key-missing",
]);

const waysToStart = `
Three ways to start:

  1. With a provider's API key:
       export ANTHROPIC_API_KEY=<your key>      (or OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY)
       troupe                                   (with a model for it; see \`troupe models\`)

  2. With a model on this machine:
       troupe --model ollama/<model>            (or lmstudio/<model>, vllm/<model>)

  3. Without any key:
       troupe demo                              (watch a team at work)
       troupe --model rehearsal                 (try it; not a language model)

\`troupe run "<prompt>"\` takes the same options. To choose a model permanently, set TROUPE_MODEL, or
"model" in a settings file. \`troupe doctor\` shows what is set up here.`;

/** The name, code, message and stack of an error and of its causes, one per line. */
function errorDetails(error: unknown): string[] {
  const seen = new Set<unknown>();
  const lines: string[] = [];
  const add = (each: unknown, prefix: string) => {
    if (seen.has(each) || seen.size >= maxErrors) return;
    seen.add(each);
    lines.push(...detailsOf(each, prefix));
    if (!(each instanceof Error)) return;
    if (each instanceof AggregateError) for (const one of each.errors) add(one, "one of them: ");
    if (each.cause !== undefined) add(each.cause, "caused by ");
  };
  add(error, "");
  return lines;
}

/** A chain of causes may be long or circular. */
const maxErrors = 20;

function detailsOf(error: unknown, prefix: string): string[] {
  if (!(error instanceof Error)) return [`${prefix}${String(error)}`];
  const code = codeOf(error);
  const title = `${prefix}${error.name}${code ? ` (${code})` : ""}: ${error.message}`;
  const stack = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [title, ...stack.map((line) => `  ${line.trim()}`)];
}

function codeOf(error: Error): string | undefined {
  if (error instanceof TeamError) return error.code;
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
