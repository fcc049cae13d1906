import { TeamError } from "../errors.ts";
import type { Io } from "./command.ts";
import { oneLine } from "./render/one-line.ts";

export function isForeignTeam(error: unknown): error is TeamError {
  return error instanceof TeamError && error.code === "team-foreign";
}

/** Asks what to do with a team that is not the person's; undefined if the person quits. */
export async function askAboutForeignTeam(
  { message }: TeamError,
  io: Io,
): Promise<"set aside" | "take over" | undefined> {
  const { askAtStart } = await import("./ask-at-start.ts");
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
