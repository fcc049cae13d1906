import { builtInPrompt, systemPrompt } from "../agent/system-prompt.ts";
import { reasonOf, TeamError } from "../errors.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { MemberDefinition } from "./members/member-definition.ts";

/**
 * Makes the system prompt of a member, whenever the member is opened. What it returns stands between
 * the sentence that says who the member is, which stays, and the instructions. It must return the same text for the same
 * member: another one is a new system prompt, for which no provider has anything cached. If it throws, the member is not opened.
 */
export type OwnSystemPrompt = (member: {
  readonly name: MemberName;
  /** `lead`, or as it was spawned. */
  readonly role: string;
  /** The absolute path of the directory that it works in. */
  readonly cwd: string;
  /** The text that is used without this function: how mail arrives, when to use tasks, … */
  readonly builtIn: string;
}) => string;

export function memberPrompt(
  { name, role, instructions }: MemberDefinition,
  own: OwnSystemPrompt | undefined,
): string {
  const builtIn = builtInPrompt(role);
  const text = own ? ownText(own, { name, role, builtIn }) : builtIn;
  return systemPrompt(role, text, instructions);
}

function ownText(
  own: OwnSystemPrompt,
  { name, role, builtIn }: Pick<MemberDefinition, "name" | "role"> & { builtIn: string },
): string {
  const { cwd } = role;
  const inWords = role.type === "lead" ? role.type : role.role;
  const text: unknown = tryTo(() => own({ name, role: inWords, cwd, builtIn }), name);
  if (typeof text === "string") return text.trim();
  throw failed(name, `it returned ${text === null ? "null" : typeof text}, and no text`);
}

function tryTo<T>(make: () => T, name: MemberName): T {
  try {
    return make();
  } catch (error) {
    throw failed(name, reasonOf(error));
  }
}

function failed(name: MemberName, problem: string): TeamError {
  return new TeamError("config-invalid", `systemPrompt failed for '${name}': ${problem}`, {
    hint: "Have the function return a text for every member.",
  });
}
