import { type Landing, tellingReason } from "../../protocol/landing.ts";
import type { LandingChanges } from "../../team/landings/landing-changes.ts";
import { oneLine } from "./one-line.ts";
import type { TextFormat } from "./paint.ts";
import { shown } from "./shown.ts";
import { counted, renderFile } from "./workspace-diff.ts";
import { wrapText } from "./wrap.ts";

const maxOutputLines = 40;

/** How far a landing has got. */
export function landingState(landing: Landing): string {
  const { state, target, attempt, replaced_by } = landing;
  if (waitsForPerson(landing)) return "waits for you";
  const tried = attempt > 1 ? `, attempt ${attempt}` : "";
  switch (state) {
    case "taken":
      return `in the queue for ${target}${tried}`;
    case "merged":
      return `being checked for ${target}${tried}`;
    case "landed":
      return `on ${target}`;
    case "conflict":
      return `in conflict with ${target}${tried}`;
    case "rejected":
      return `has not passed the check${tried}`;
    case "failed":
      return "given up";
    case "replaced":
      return `replaced by landing ${replaced_by}`;
    case "discarded":
      return "discarded";
  }
}

/** True for work that is in the queue and goes no further before the person has decided. */
export function waitsForPerson({ state, reason, approved }: Landing): boolean {
  return state === "taken" && reason !== null && !approved;
}

/** How much it changes: `2 files, +10 -3`. */
export function changeCounts({ files, more }: LandingChanges): string {
  const sum = (key: "added" | "removed") => files.reduce((all, file) => all + file[key], 0);
  return `${counted(files.length + more, "file")}, +${sum("added")} -${sum("removed")}`;
}

/** One landing in full, with its files; with `texts`, the lines of each. */
export function renderLanding(
  { landing, files, more }: LandingChanges,
  { texts, ...format }: TextFormat & { texts: boolean },
): string[] {
  const { id, member, ref, check } = landing;
  const { paint, width } = format;
  const reason = tellingReason(landing.reason);
  const head = `Landing ${id} of ${member}: ${landingState(landing)}`;
  return [
    ...wrapText(paint.bold(oneLine(head)), width),
    ...(reason === undefined ? [] : wrapText(oneLine(reason), width)),
    ...(landing.files.length > 0
      ? ["In conflict:", ...landing.files.map((path) => `  ${shown(oneLine(path))}`)]
      : []),
    ...(check ? checkLines(check, format) : []),
    ...wrapText(paint.dim(`kept as ${oneLine(ref)}`), width),
    ...(files.length === 0 ? ["It changes nothing there."] : []),
    ...(texts
      ? files.flatMap((file) => ["", ...renderFile(file, format)])
      : files.map((file) => fileLine(file, format))),
    ...(more > 0 ? [`  … ${counted(more, "more file")}`] : []),
  ];
}

function checkLines(
  { command, reason, output }: NonNullable<Landing["check"]>,
  { width }: TextFormat,
): string[] {
  const lines = shown(output).split("\n");
  const last = output === "" ? [] : lines.slice(-maxOutputLines);
  return [
    ...wrapText(`The check: ${oneLine(command)}`, width),
    ...wrapText(oneLine(reason), width),
    ...last.map((line) => `  ${line}`),
  ];
}

function fileLine(
  { path, change, added, removed, reason }: LandingChanges["files"][number],
  { paint }: TextFormat,
): string {
  const mark = change === "changed" ? "" : ` (${change === "added" ? "new" : "removed"})`;
  const counts =
    reason === undefined
      ? ` ${paint.green(`+${added}`)} ${paint.red(`-${removed}`)}`
      : ` (${oneLine(reason)})`;
  return `  ${shown(oneLine(path))}${mark}${counts}`;
}
