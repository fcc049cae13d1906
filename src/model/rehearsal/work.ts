import {
  call,
  done,
  isUnknown,
  maxKills,
  outcomeOf,
  type PlayedScene,
  type SceneStep,
} from "./script.ts";
import { writeSection } from "./sections.ts";
import {
  asSentence,
  namesIn,
  readText,
  row,
  type SentenceRow,
  type SentenceSlots,
  shortly,
  unquoted,
} from "./sentences.ts";

/** Work that a member can do alone. `title` describes it in a plan. */
export interface Work {
  title: string;
  step: SceneStep;
}

/** The work that a member is asked to do. */
type AskedWork = Work | "plan" | "wait";

/** The work that a text asks for, in order, without sentences that are not understood. */
export function askedIn(text: string): AskedWork[] {
  return readText(workSentences, text).flatMap(({ meaning }) => meaning ?? []);
}

export function workIn(text: string): Work[] {
  return askedIn(text).filter((asked) => typeof asked !== "string");
}

const letter = "(an? |the )?(\\w+ )?(message|note|mail|greeting)s?";
const files = ".*?(files?|directory|folder|workspace|project)\\b.*";

const workSentences: readonly SentenceRow<readonly AskedWork[]>[] = [
  row("(submit|hand in|make|write|propose) (an? |the |your )?(\\w+ )?plan( .*)?", () => ["plan"]),
  row("(wait|stand by|you have no work yet|take tasks)( .*)?", () => ["wait"]),
  row("(run|execute) {quote}", ({ quote = "" }) => {
    const command = unquoted(quote);
    return [look(`Run ${command}`, `\`${command}\` said`, "bash", { command })];
  }),
  row(`(send|write|give) ${letter} to {name}{rest}`, readSend),
  row(`(send|write|give) {name} ${letter}{rest}`, readSend),
  row("(tell|greet|inform|ask) {name}{rest}", readSend),
  row("(write|add) the section {quote} (of|to) {file}", ({ quote = "", file = "" }) => {
    const title = unquoted(quote);
    const path = unquoted(file);
    return [{ title: `Write the section ${title} of ${path}`, step: writeSection(path, title) }];
  }),
  row("(create|write|make|add|draft) .*?{file}{rest}", ({ file = "", rest = "" }) => {
    const [about = "", check] = rest.split(/(?:^|\s)and\s+(?:check|verify|read)\b/i);
    const content = about.trim().replace(/^(?:with|containing|for|about|:)\s+/i, "");
    const written = writeFile(unquoted(file), content);
    return check === undefined ? [written] : [written, checkFile(unquoted(file))];
  }),
  row("(check|verify|see|look|read|show|print|list) .*?{file}.*", ({ file = "" }) => [
    checkFile(unquoted(file)),
  ]),
  row("(search|look|grep|find) .*?for {word}( .*)?", ({ word = "" }) => {
    const sought = unquoted(word);
    const pattern = sought.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    return [look(`Look for ${sought}`, `Places that say "${sought}"`, "grep", { pattern })];
  }),
  row(`count ${files}`, () => [
    look("Count the files", "Entries in this directory", "bash", { command: "ls | wc -l" }, true),
  ]),
  row(`(list|show|look at) ${files}`, () => [
    look("List the files", "The files here", "glob", { pattern: "**/*" }),
  ]),
];

/** Reads something. A command from the person is not run twice unless it surely changes nothing. */
function look(
  title: string,
  what: string,
  ...[name, input, mayRepeat]: Parameters<PlayedScene["call"]>
): Work {
  const told = (output: string) => `${what}: ${shortly(output)}`;
  return { title, step: call(name, input ?? {}, told, mayRepeat) };
}

/** `Send bob a message: "Hello"`, `Tell bob that it works`, `Ask bob to hurry`, `Greet bob`. */
function readSend({ name = "", rest = "" }: SentenceSlots): Work[] | undefined {
  const [to] = namesIn(name);
  if (to === undefined) return undefined;
  const [, quote, text, request] =
    /"([^"]*)"|^\W*(?:saying|that)(?:\s+that)?\s+(.+)|^\s*to\s+(.+)/is.exec(rest) ?? [];
  return [sendMessage(to, quote ?? text ?? (request && `Please ${request}.`))];
}

function sendMessage(to: string, text: string | undefined): Work {
  return {
    title: `Write to ${to}`,
    step(scene) {
      const content = text ?? `Hello ${to}, this is ${scene.self.title}. I am starting now.`;
      const told = `I wrote to ${to}: "${shortly(content, 200)}"`;
      return call("send_message", { to, content }, () => told)(scene);
    },
  };
}

/**
 * An existing file is read before it is replaced: a member may not overwrite a file it has not
 * read.
 */
export function writeFile(path: string, about: string): Work {
  const content = about.includes('"') ? `${unquoted(about)}\n` : fileContent(path, about);
  const count = content.trimEnd().split("\n").length;
  const told = `I wrote ${path}, ${count} ${count === 1 ? "line" : "lines"}.`;
  return {
    title: `Write ${path}`,
    *step(scene) {
      for (let kills = 0; ; kills++) {
        const { output: found } = yield* scene.call("glob", { pattern: path });
        const known = found.split("\n").includes(path)
          ? yield* scene.call("read_file", { path })
          : undefined;
        if (known?.output.includes(content.trim())) {
          return done(kills > 0 ? told : `${path} already exists with this content.`);
        }
        const written = yield* scene.call("write_file", { path, content }, false);
        if (!isUnknown(written) || kills === maxKills) return outcomeOf(written, () => told);
      }
    },
  };
}

export function checkFile(path: string): Work {
  return {
    title: `Check ${path}`,
    *step(scene) {
      const { output: found, is_error } = yield* scene.call("glob", { pattern: path });
      if (!is_error && !found.split("\n").includes(path)) return done(`${path} does not exist.`);
      const told = (output: string) => `${path} exists. Its contents:\n${output.trimEnd()}`;
      return yield* call("read_file", { path }, told)(scene);
    },
  };
}

/** Content for a file that was described in words: a small example in the file's format. */
export function fileContent(path: string, about: string): string {
  const [, baseName = path, kind = ""] = /([^/]*?)(?:\.([^./]*))?$/.exec(path) ?? [];
  const topic = about.replace(/^(?:an?|the|some)\s+/i, "") || baseName;
  const title = topic.charAt(0).toUpperCase() + topic.slice(1);
  switch (kind.toLowerCase()) {
    case "sql":
      return tablesIn(about, baseName).map(createTable).join("\n");
    case "md":
      return `# ${title}\n\n${asSentence(`Written by the rehearsal model: ${topic}`)}\n`;
    case "json":
      return `${JSON.stringify({ about: topic }, null, 2)}\n`;
    default:
      return `${commentMarks[kind.toLowerCase()] ?? ""}${asSentence(topic)}\n`;
  }
}

const commentMarks: Readonly<Record<string, string>> = { js: "// ", ts: "// ", py: "# ", sh: "# " };

/** `a users table and an orders table`. If no table is named, the file's name is used. */
function tablesIn(about: string, baseName: string): string[] {
  const named = [...about.matchAll(/\b([a-z_]\w*)\s+tables?\b/gi)].map(([, name = ""]) => name);
  return named.length > 0 ? named : [baseName.replace(/\W/g, "_")];
}

function createTable(name: string): string {
  const isOfPeople = /user|person|people|customer|member|account|author/i.test(name);
  const columns = [
    "id INTEGER PRIMARY KEY",
    "name TEXT NOT NULL",
    ...(isOfPeople ? ["email TEXT NOT NULL UNIQUE"] : []),
    "created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP",
  ];
  return `CREATE TABLE ${name.toLowerCase()} (\n  ${columns.join(",\n  ")}\n);\n`;
}
