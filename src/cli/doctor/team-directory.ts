import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { onErrno, TeamError } from "../../errors.ts";
import { sizeText } from "../../protocol/amounts.ts";
import { memberNames } from "../../team/find-member.ts";
import { mailNewestFirst } from "../../team/view/read-pages.ts";
import type { TeamView } from "../../team/view/team-view.ts";
import type { Io } from "../command.ts";
import type { Check, Finding } from "./check.ts";

/** Checks whether there is a team, whether it is intact, and who runs it. */
export function teamChecks(directory: string, io: Pick<Io, "viewTeam">): Check[] {
  return [
    { name: "team", look: () => teamFindings(directory, io) },
    { name: "team", look: () => leftoverFindings(directory) },
  ];
}

async function teamFindings(directory: string, io: Pick<Io, "viewTeam">): Promise<Finding[]> {
  const warnings: string[] = [];
  try {
    const view = await io.viewTeam(directory, (message) => warnings.push(message));
    const { members, format } = await view.team();
    const holder = await view.lead();
    const setAside = await readEverything(view);
    const runs = holder ? `pid ${holder.pid} on ${holder.host} runs it` : "not running";
    return [
      {
        state: "ok",
        text: `${directory}: ${members.length} ${members.length === 1 ? "teammate" : "teammates"}, format ${format}, ${runs}`,
      },
      ...(await checkoutFindings(view)),
      ...setAsideFindings(setAside),
      ...warnings.map(damage),
    ];
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    if (error.code === "team-missing") return [{ state: "ok", text: `${directory}: none yet` }];
    const { message, hint = "" } = error;
    return [{ state: "problem", text: message, remedy: hint }, ...warnings.map(damage)];
  }
}

/** How much of each mailbox is read, the newest first. */
const readMail = 1_000;

/** Reads every file, to get its warnings. Returns how many lines of mail were set aside. */
async function readEverything(view: TeamView): Promise<number> {
  await view.tasks();
  await view.usage();
  let setAside = 0;
  for (const owner of memberNames(await view.team())) {
    let read = 0;
    for await (const { state } of mailNewestFirst(view, owner)) {
      if (state === "set aside") setAside++;
      if (++read >= readMail) break;
    }
  }
  return setAside;
}

/** What checkouts take of the disk. */
async function checkoutFindings(view: TeamView): Promise<Finding[]> {
  const checkouts = await view.checkouts();
  if (checkouts.length === 0) return [];
  let all = 0;
  let retired = 0;
  for (const { path, state } of checkouts) {
    const { bytes } = await view.inspectCheckout(path);
    all += bytes;
    if (state === "retired") retired += bytes;
  }
  const count = `${checkouts.length} ${checkouts.length === 1 ? "checkout takes" : "checkouts take"}`;
  const text = `${count} ${sizeText(all)} of the disk`;
  if (retired === 0) return [{ state: "ok", text }];
  const remedy = "`troupe checkouts --clean` removes those in which nobody works any more.";
  return [{ state: "note", text: `${text}, retired ones ${sizeText(retired)} of it`, remedy }];
}

function damage(text: string): Finding {
  return { state: "problem", text, remedy: "docs/storage.md describes each file." };
}

function setAsideFindings(count: number): Finding[] {
  if (count === 0) return [];
  const text = `${count} lines in mailboxes are not messages and were set aside`;
  return [{ state: "note", text, remedy: "`troupe messages` lists them." }];
}

async function leftoverFindings(directory: string): Promise<Finding[]> {
  const tree = await readdir(directory, { recursive: true }).catch(
    onErrno([], "ENOENT", "ENOTDIR"),
  );
  const names = tree.filter((name) => name.includes(".damaged-"));
  if (names.length === 0) return [];
  const shown = names
    .slice(0, 3)
    .map((name) => basename(name))
    .join(", ");
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return [
    {
      state: "note",
      text: `damaged files were kept: ${shown}${more}`,
      remedy: `Look at them in ${directory}; troupe does not read them, so they can be removed.`,
    },
  ];
}
