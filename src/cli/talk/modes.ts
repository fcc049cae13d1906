import { TeamError } from "../../errors.ts";
import { lead } from "../../protocol/ids.ts";
import { PermissionMode } from "../../protocol/message.ts";
import { findMember } from "../../team/find-member.ts";
import type { MemberMode } from "../../team/protocols/member-modes.ts";
import { table } from "../render/columns.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** `/mode`: shows the mode of every member, after changing that of one or of all. */
export async function runMode(argument: string, { team }: Talk): Promise<TalkReply> {
  const [typed, name] = argument.split(/\s+/).filter((word) => word !== "");
  if (typed !== undefined) {
    await team.setMode(await whose(name, team), parseMode(typed));
  }
  return { type: "shown", lines: modeLines(await team.modes()) };
}

/** The modes that a key goes through. The one that asks nothing is only ever typed. */
const cycled: readonly PermissionMode[] = ["default", "acceptEdits", "plan"];

/** The mode that follows when the person presses the key for it. */
export function nextMode(mode: PermissionMode): PermissionMode {
  return cycled[(cycled.indexOf(mode) + 1) % cycled.length] ?? "default";
}

async function whose(name: string | undefined, team: Talk["team"]): Promise<string> {
  if (name === undefined || name === "all") return name ?? lead;
  return findMember(await team.roster(), name);
}

function parseMode(typed: string): PermissionMode {
  const mode = PermissionMode.safeParse(typed);
  if (mode.success) return mode.data;
  throw new TeamError("usage-wrong", `'${typed}' is not a permission mode`, {
    hint: `Modes: ${PermissionMode.options.join(", ")}.`,
  });
}

/** One line for each mode that a member is in. */
function modeLines(modes: readonly MemberMode[]): string[] {
  const rows = PermissionMode.options.map((mode) => {
    const members = modes.filter((each) => each.mode === mode);
    const [own, following] = [false, true].map((follows) =>
      members.filter(({ followsLead }) => followsLead === follows).map(({ member }) => member),
    );
    const all = [...(own ?? []), ...(following ?? []).map((name) => `${name} (as the lead)`)];
    return [mode, all.join(", ")];
  });
  const inUse = rows.filter(([, members]) => members !== "");
  return table(inUse, () => false);
}
