import { TeamError } from "../../errors.ts";
import { EffortChoice } from "../../protocol/effort.ts";
import { lead } from "../../protocol/ids.ts";
import { aliveMembers, findMember } from "../../team/find-member.ts";
import type { MemberModel } from "../../team/protocols/model-choices.ts";
import { table } from "../render/columns.ts";
import { oneLine } from "../render/one-line.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** `/model`: shows the model of every member, after changing that of one or of all. */
export async function runModel(argument: string, talk: Talk, viewed: string): Promise<TalkReply> {
  const [model, name] = wordsOf(argument, "/model openai/gpt-6-sol alice");
  if (model === undefined) return shown(talk, [howTo(viewed)]);
  await requireNoName(model, talk, "/model <model>");
  return set(talk, { model }, name ?? viewed);
}

/** `/effort`: the same for efforts. */
export async function runEffort(argument: string, talk: Talk, viewed: string): Promise<TalkReply> {
  const [typed, name] = wordsOf(argument, "/effort high alice");
  if (typed === undefined) return shown(talk, [howTo(viewed)]);
  await requireNoName(typed, talk, "/effort <level>");
  return set(talk, { effort: parseEffort(typed) }, name ?? viewed);
}

async function set(
  talk: Talk,
  setting: Parameters<Talk["team"]["setModel"]>[1],
  name: string,
): Promise<TalkReply> {
  const { team } = talk;
  const whose = name === "all" ? name : findMember(await team.roster(), name);
  await team.setModel(whose, setting);
  return shown(talk, [`Set for ${whose}, from the next request on.`]);
}

function wordsOf(argument: string, example: string): string[] {
  const words = argument.split(/\s+/).filter((word) => word !== "");
  if (words.length <= 2) return words;
  throw new TeamError("usage-wrong", `Unexpected: ${words.slice(2).join(" ")}`, {
    hint: `Write it as in ${example}. Several models are separated by commas, without spaces.`,
  });
}

/** A name alone would be taken for a model. */
async function requireNoName(name: string, { team }: Talk, call: string): Promise<void> {
  const names: readonly string[] = [...aliveMembers(await team.roster()), "all"];
  if (!names.includes(name)) return;
  throw new TeamError("usage-wrong", `'${name}' is whom to change, and not to what`, {
    hint: `Write ${call} ${name}.`,
  });
}

function parseEffort(typed: string): EffortChoice {
  const effort = EffortChoice.safeParse(typed);
  if (effort.success) return effort.data;
  throw new TeamError("usage-wrong", `'${typed}' is not an effort`, {
    hint: `Efforts: ${efforts}.`,
  });
}

const efforts = EffortChoice.options.join(", ");

function howTo(viewed: string): string {
  return `/model <model> [<name>|all] and /effort <level> [<name>|all] change them (without a name: of ${viewed}), from the next request on. Efforts: ${efforts}. \`troupe models\` lists models.`;
}

/** One line for each member, and `notes`. */
async function shown({ team }: Talk, notes: readonly string[]): Promise<TalkReply> {
  const rows = (await team.models()).map((each) => [
    each.member,
    oneLine(each.model),
    `effort ${each.effort ?? "default"}`,
    each.member === lead ? "" : followed(each),
  ]);
  return { type: "shown", lines: [...table(rows, () => false), ...notes] };
}

function followed({ follows }: MemberModel): string {
  return follows.length === 0 ? "" : `(${follows.join(" and ")} as the lead)`;
}
