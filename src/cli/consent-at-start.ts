import type { Io } from "./command.ts";
import { oneLine } from "./render/one-line.ts";
import { recordAnswer } from "./settings/consent.ts";
import { type RepositoryFile, withheldLines } from "./settings/repository-files.ts";

/**
 * Asks the person about files of the repository, and keeps the answer. Without a screen, they are
 * told instead that those parts do not count. Those that they have declined before are not mentioned.
 * Undefined if the person quits.
 */
export async function consentAtStart(
  untrusted: readonly RepositoryFile[],
  { io, isPlain }: { io: Io; isPlain: boolean },
): Promise<"unchanged" | "trusted" | undefined> {
  const unanswered = untrusted.filter(({ answer }) => answer === undefined);
  if (unanswered.length === 0) return "unchanged";
  if (isPlain) {
    for (const line of withheldLines(unanswered)) io.err(line);
    return "unchanged";
  }
  const word = await ask(unanswered, io);
  if (word === undefined) return undefined;
  const answer = word === "yes" ? "trusted" : "declined";
  for (const file of unanswered) await recordAnswer(file, answer, io.processInfo);
  return answer === "trusted" ? "trusted" : "unchanged";
}

async function ask(files: readonly RepositoryFile[], io: Io) {
  const { askAtStart } = await import("./ask-at-start.ts");
  const isOne = files.length === 1;
  return await askAtStart(
    {
      lines: files.flatMap(({ path, needs, wording }) => [
        oneLine(`${path} ${wording.asked}:`),
        ...needs.map((line) => `  ${line}`),
      ]),
      answers: {
        yes: isOne
          ? "trust this file as it is; you are asked again when it changes"
          : "trust these files as they are; you are asked again when one changes",
        no: `continue without ${isOne ? "that" : "all of that"}; \`troupe trust\` can apply it later`,
      },
    },
    io,
  );
}
