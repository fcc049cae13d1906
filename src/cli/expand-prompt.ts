import { TeamError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import type { Team } from "../team/team.ts";
import type { Io } from "./command.ts";
import { oneLine } from "./render/one-line.ts";

/** A name and what is behind it. A path has a second slash. */
const called = /^\/([^\s/]+)(?:\s+(.*))?$/s;

/** The text of the command that a prompt calls as `/name …`; any other prompt as it is. */
export async function expandPrompt(
  prompt: string,
  team: Pick<Team, "commands" | "expandCommand">,
  { err, signal }: Pick<Io, "err" | "signal">,
): Promise<string> {
  const [, name, argument = ""] = called.exec(prompt.trim()) ?? [];
  if (name === undefined) return prompt;
  const names = (await team.commands()).map((each) => each.name);
  if (!names.includes(name)) throw unknown(name, names);
  const { text, attached, notes } = await team.expandCommand(name, argument, { signal });
  for (const each of attached) err(oneLine(`note: attached ${each}`));
  for (const note of notes) err(oneLine(`note: ${note}`));
  return text;
}

function unknown(name: string, names: readonly string[]): TeamError {
  const meant = nearest(name, names);
  const suggestion = meant === undefined ? "" : `Did you mean /${meant}? `;
  return new TeamError("usage-wrong", `There is no command /${name} for a run`, {
    hint: `${suggestion}troupe skills lists them. To send a text that begins with a slash, put a space before it.`,
  });
}
