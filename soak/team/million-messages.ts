import { z } from "zod";
import { bundle } from "../../bench/lib/bundle.ts";
import { parseJson } from "../../src/lib/json.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { Program } from "../processes.ts";

const Tally = z.record(z.string(), z.number());

const maxPeakMb = 300;

/** Messages through many mailboxes of one team, in a process whose memory is measured. */
export async function sendMillions({
  messages,
  mailboxes,
}: {
  messages: number;
  mailboxes: number;
}) {
  await using directory = await temporaryDirectory();
  await using programs = await temporaryDirectory();
  const pathOf = await bundle({ sender: "soak/team/programs/million-messages.ts" }, programs.path);
  const given = [directory.path, mailboxes, messages].map(String);
  await using sender = Program.command([process.execPath, pathOf("sender"), ...given]);
  const tally = parseJson(await sender.ended(), Tally, "The tally");
  const tooMuchMemory = (tally.peakMb ?? Number.POSITIVE_INFINITY) > maxPeakMb ? 1 : 0;
  return { ...tally, tooMuchMemory };
}
