import { TeamError } from "../errors.ts";
import type { Io } from "./command.ts";
import { oneLine } from "./render/one-line.ts";

/** True for the refusal to open a team that is not the person's. */
export function isForeignTeam(error: unknown): error is TeamError {
  return error instanceof TeamError && error.code === "team-foreign";
}

/** What a person wants done with a team that is not theirs; undefined where they leave. */
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
