import type { DoneCall } from "./conversation-item.ts";
import {
  done,
  isUnknown,
  maxKills,
  outcomeOf,
  type PlayedScene,
  type SceneStep,
  type Script,
  type StepOutcome,
} from "./script.ts";
import { shortly } from "./sentences.ts";

/** What is below the heading of a section that nobody has written yet. */
const toDo = "To do.";

/** The sections of a Markdown file that are still to be written. */
export function openSections(text: string): string[] {
  return [...text.matchAll(/^## (.+)\n+To do\.$/gm)].flatMap(([, title]) => title ?? []);
}

/** Writes a section where the file has its heading, or else at the end. */
export function writeSection(path: string, title: string): SceneStep {
  return function* (scene) {
    const { name } = scene.self;
    const target = landedOn(scene);
    if (target !== undefined) yield* merge(scene, target);
    const told = `I wrote the section "${title}" of ${path}.`;
    for (let kills = 0; ; kills++) {
      const read = yield* scene.call("read_file", { path });
      if (read.is_error) return outcomeOf(read);
      const section = `## ${title}\n\nWritten by the rehearsal model, as ${name}.`;
      if (read.output.includes(section)) return done(told);
      const written = yield* put(scene, { path, title, section, text: read.output });
      if (!isUnknown(written) || kills === maxKills) return outcomeOf(written, () => told);
    }
  };
}

interface SectionToPut {
  path: string;
  title: string;
  section: string;
  /** What the file has in it. */
  text: string;
}

function put(scene: PlayedScene, { path, title, section, text }: SectionToPut): Script<DoneCall> {
  const open = `## ${title}\n\n${toDo}`;
  if (text.includes(open)) {
    return scene.call("edit_file", { path, old_text: open, new_text: section }, false);
  }
  return scene.call("write_file", { path, content: `${text.trimEnd()}\n\n${section}\n` }, false);
}

/** The branch that others' work has landed on since the checkout was made. */
function landedOn({ mail }: PlayedScene): string | undefined {
  const told = mail.filter(({ kind }) => kind === "landing_notification");
  return told.flatMap(({ text }) => /is on ([\w./-]+) now/.exec(text)?.[1] ?? []).at(-1);
}

/** Commits what the member has, and merges the target. Said again, it changes nothing. */
function merge(scene: PlayedScene, target: string): Script<DoneCall> {
  const commit = `git add -A && git commit -q -m "Work of ${scene.self.name}"`;
  const command = `${commit}; git fetch -q origin && git merge -q origin/${target}`;
  return scene.call("bash", { command });
}

/** What a message of the runtime says of work that cannot be merged. */
export interface Conflict {
  target: string;
  files: string[];
}

export function conflictIn(text: string): Conflict | undefined {
  const [, target, list = ""] =
    /^Your work cannot be merged with ([\w./-]+)\. In conflict:\n((?:- .+\n?)+)/.exec(text) ?? [];
  if (target === undefined) return undefined;
  return { target, files: [...list.matchAll(/^- (.+)$/gm)].flatMap(([, file]) => file ?? []) };
}

/** Merges the target, keeps what both sides have written, and commits. */
export function* solveConflict(
  scene: PlayedScene,
  { target, files }: Conflict,
): Script<StepOutcome> {
  const merged = yield* merge(scene, target);
  const solved: string[] = [];
  for (const path of files) {
    const { output, is_error } = yield* scene.call("read_file", { path });
    if (is_error || !output.includes("<<<<<<<")) continue;
    const content = `${bothSides(output).trimEnd()}\n`;
    const written = yield* scene.call("write_file", { path, content });
    if (written.is_error) return outcomeOf(written);
    solved.push(path);
  }
  if (solved.length === 0 && merged.is_error && !isUnknown(merged)) return outcomeOf(merged);
  const message = `Merge ${target}, and keep both sides`;
  yield* scene.call("bash", { command: `git commit -q -a -m "${message}"` }, true);
  return done(`I have merged ${target}. Both sides are in ${shortly(solved.join(", ")) || "it"}.`);
}

/** A file with conflicts, without their marks. */
function bothSides(text: string): string {
  return text
    .replace(/^\|{7}[^\n]*\n[\s\S]*?(?=^={7}$)/gm, "")
    .replace(/^<{7} .*\n|^>{7} .*(?:\n|$)/gm, "")
    .replace(/^={7}\n/gm, "\n");
}
