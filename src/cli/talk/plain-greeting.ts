import { lead, user } from "../../protocol/ids.ts";
import { oneLine } from "../render/one-line.ts";
import { pastItems } from "../screen/past-items.ts";
import type { Talk } from "./talk.ts";

/** The first lines of a talk without a screen: which team it is, who is there, and what waits. */
export async function plainGreeting(talk: Talk, model: string): Promise<string[]> {
  const { team, workspace } = talk;
  const { members } = await team.roster();
  const alive = members.filter(({ status }) => status !== "shutdown");
  const mode = (await team.modes()).find(({ member }) => member === lead)?.mode ?? "default";
  const open = (await team.openRequests()).filter(({ to }) => to === user);
  const questions = open.length === 1 ? "1 question waits" : `${open.length} questions wait`;
  return [
    `troupe in ${oneLine(workspace)}, in plain lines`,
    oneLine(`The lead uses ${model}, in permission mode ${mode}.`),
    alive.length === 0 ? "There are no teammates." : "Teammates:",
    ...alive.map(({ name, role, status }) => `  ${oneLine(`${name} (${role}): ${status}`)}`),
    ...(await pastLines(talk)),
    ...(open.length === 0 ? [] : [`${questions} for your answer:`]),
    "What you type goes to the lead. /help lists the commands; Ctrl-D quits.",
  ];
}

async function pastLines({ io, teamDir, openedAt }: Talk): Promise<string[]> {
  const past = await pastItems(await io.viewTeam(teamDir), lead, { most: 1, openedAt });
  if (past.length === 0) return [];
  const cutOff = past.flatMap((item) =>
    item.type === "notice" && item.tone === "bad" ? [oneLine(item.text)] : [],
  );
  return [...cutOff, "The team continues. /log shows what was said before."];
}
