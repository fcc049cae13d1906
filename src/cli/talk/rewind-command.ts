import { relative, sep } from "node:path";
import { TeamError } from "../../errors.ts";
import type { Checkpoint } from "../../team/rewind/checkpoints.ts";
import type { RewindOptions, RewindPreview } from "../../team/rewind/team-rewind.ts";
import { localTime } from "../render/local-time.ts";
import { oneLine } from "../render/one-line.ts";
import { withoutAttachments } from "./mentions.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** So many prompts are listed. */
const maxListed = 30;

/**
 * `/rewind` lists the prompts, `/rewind 2` shows what going back would do, and `/rewind 2 yes` does it.
 * Nothing else decides it, and only what the person was shown is done.
 */
export async function runRewind(argument: string, talk: Talk): Promise<TalkReply> {
  if (/^@?[a-z]/i.test(argument)) {
    const { runCheckoutRewind } = await import("./checkout-rewind-command.ts");
    return runCheckoutRewind(argument, talk);
  }
  const [number = "", yes, extent, ...more] = argument.split(/\s+/);
  const prompts = (await talk.team.checkpoints()).reverse();
  if (number === "") return { type: "shown", lines: listLines(prompts) };
  const asked = requireNumber(number, prompts);
  if (yes === undefined) return show(talk, asked);
  const options = extentOptions[extent ?? "both"];
  if (yes !== "yes" || !options || more.length > 0) throw wrongRewind(argument);
  const shown = talk.shownRewind;
  if (shown?.preview.checkpoint.id !== asked.id) return show(talk, asked, "Look at it first.");
  const preview = await talk.team.previewRewind(asked.id);
  if (JSON.stringify(preview) !== JSON.stringify(shown.preview)) {
    return show(talk, asked, "This has changed since you looked.");
  }
  talk.shownRewind = undefined;
  const overwrite = extent === "overwrite" ? conflictsIn(preview).map(({ path }) => path) : [];
  const { restored, prompt } = await talk.team.rewind(asked.id, { ...options, overwrite });
  const isBack = options.conversation !== false;
  const files = restored.map((path) => `  ${shortPath(path, talk)}`);
  return {
    type: "rewound",
    lines: [
      isBack ? `Back to before: ${quoted(preview.checkpoint)}` : "The conversation stays.",
      ...(files.length > 0 ? ["Files that are as they were:", ...files] : ["No file has changed."]),
    ],
    prompt: isBack ? withoutAttachments(prompt) : undefined,
  };
}

/** What can be written behind `yes`. */
const extentOptions: Readonly<Partial<Record<string, RewindOptions>>> = {
  ...{ both: {}, overwrite: {}, files: { conversation: false }, conversation: { files: false } },
};

interface AskedPrompt extends Checkpoint {
  number: number;
}

async function show(talk: Talk, { id, number }: AskedPrompt, why?: string): Promise<TalkReply> {
  const preview = await talk.team.previewRewind(id);
  talk.shownRewind = { preview };
  const lines = [...(why === undefined ? [] : [why]), ...previewLines(preview, number, talk)];
  return { type: "shown", lines };
}

function requireNumber(text: string, prompts: readonly Checkpoint[]): AskedPrompt {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  const prompt = prompts[number - 1];
  if (prompt) return { ...prompt, number };
  if (prompts.length === 0) {
    throw new TeamError("request-unknown", "There is no prompt of yours to go back to");
  }
  throw new TeamError("request-unknown", `There is no prompt ${oneLine(text, 60)}`, {
    hint: `Give a number from 1, the newest, to ${prompts.length}. /rewind lists them.`,
  });
}

function wrongRewind(argument: string): TeamError {
  return new TeamError("usage-wrong", `Not understood: /rewind ${oneLine(argument, 60)}`, {
    hint: "/rewind 2 shows what would happen. /rewind 2 yes does it; behind yes there can be files, conversation or overwrite.",
  });
}

function listLines(prompts: readonly Checkpoint[]): string[] {
  if (prompts.length === 0) return ["There is no prompt of yours to go back to."];
  const width = String(Math.min(prompts.length, maxListed)).length;
  const rows = prompts.slice(0, maxListed).map(({ at, text }, index) => {
    const number = String(index + 1).padStart(width);
    return `  ${number}  ${localTime(new Date(at))}  ${oneLine(text, 70)}`;
  });
  const more = prompts.length - rows.length;
  return [
    ...rows,
    ...(more > 0 ? [`  … ${more} older ones, with higher numbers`] : []),
    "/rewind <number> shows what going back to before a prompt would do, and changes nothing.",
  ];
}

function previewLines(preview: RewindPreview, number: number, talk: Talk): string[] {
  const { checkpoint, members, cannot } = preview;
  const named = (effect: "goes-back" | "ends") =>
    members.filter((each) => each.effect === effect).map(({ member }) => member);
  const [back, ends] = [named("goes-back"), named("ends")];
  const files = preview.files.filter(({ action }) => action !== "leave");
  const hasConflicts = conflictsIn(preview).length > 0;
  const call = `/rewind ${number} yes`;
  return [
    `Back to before: ${quoted(checkpoint)}, of ${localTime(new Date(checkpoint.at))}`,
    ...(back.length > 0 ? [`Forget what came since: ${back.join(", ")}`] : []),
    ...(ends.length > 0 ? [`End, because they were spawned since: ${ends.join(", ")}`] : []),
    files.length > 0 ? "Files that go back:" : "No file goes back.",
    ...files.map(({ path, action, problem }) => {
      const what = `  ${action === "remove" ? "remove " : "restore"}  ${shortPath(path, talk)}`;
      return problem ? `${what}: only with overwrite, because ${oneLine(problem)}` : what;
    }),
    ...(cannot.length > 0 ? ["What is not taken back:"] : []),
    ...cannot.map((each) => `  ${oneLine(each)}`),
    `Nothing has changed yet. Type ${call} to do this.`,
    `${call} files leaves the conversation; ${call} conversation leaves the files.`,
    ...(hasConflicts
      ? [`${call} overwrite also takes back the files that something else has changed.`]
      : []),
  ];
}

function conflictsIn({ files }: RewindPreview) {
  return files.filter(({ action, problem }) => action !== "leave" && problem !== undefined);
}

function quoted({ text }: Checkpoint): string {
  return `“${oneLine(text, 60)}”`;
}

function shortPath(path: string, { workspace }: Talk): string {
  const short = relative(workspace, path);
  return oneLine(short === "" || short === ".." || short.startsWith(`..${sep}`) ? path : short);
}
