import { fileContent } from "./file-content.ts";
import { failed, type Play, type Stage, type Told, told } from "./play.ts";
import { shortly } from "./words.ts";
import type { Work } from "./work.ts";

/** Does several things, one after the other, until one fails. */
export function* performAll(stage: Stage, work: readonly Work[]): Play<Told> {
  const texts: string[] = [];
  for (const each of work) {
    const { text, hasFailed } = yield* performWork(stage, each);
    texts.push(text);
    if (hasFailed) return { text: texts.join(" "), hasFailed };
  }
  return told(texts.join(" "));
}

function* performWork(stage: Stage, work: Work): Play<Told> {
  switch (work.type) {
    case "create-file":
      return yield* createFile(stage, work);
    case "check-file":
      return yield* checkFile(stage, work.path);
    case "list-files":
      return yield* look(stage, {
        what: "The files here",
        call: "glob",
        input: { pattern: "**/*" },
      });
    case "count-files":
      return yield* look(stage, {
        what: "Entries in this directory",
        call: "bash",
        input: { command: "ls | wc -l" },
      });
    case "search":
      return yield* look(stage, {
        what: `Places that say ${JSON.stringify(work.text)}`,
        call: "grep",
        input: { pattern: escapePattern(work.text) },
      });
    case "run":
      return yield* look(stage, {
        what: `\`${work.command}\` said`,
        call: "bash",
        input: { command: work.command },
      });
    case "send":
      return yield* send(stage, work);
    case "plan":
    case "wait":
      return told("I wait.");
  }
}

/** A file that is there is read before it is replaced: nobody may write over what it has not seen. */
function* createFile(stage: Stage, work: Extract<Work, { type: "create-file" }>): Play<Told> {
  const { path, about, text } = work;
  const content = text === undefined ? fileContent(path, about) : `${text}\n`;
  const found = yield* stage.call("glob", { pattern: path });
  if (!found.is_error && found.output.split("\n").includes(path)) {
    const known = yield* stage.call("read_file", { path });
    if (known.is_error) return failed(`I could not read ${path}`, known);
    if (known.output.includes(content.trim()))
      return told(`${path} is there already, as it should be.`);
  }
  const written = yield* stage.call("write_file", { path, content });
  if (written.is_error) return failed(`I could not write ${path}`, written);
  const lines = content.trimEnd().split("\n").length;
  return told(`I wrote ${path}, ${lines} ${lines === 1 ? "line" : "lines"}.`);
}

function* checkFile(stage: Stage, path: string): Play<Told> {
  const found = yield* stage.call("glob", { pattern: path });
  if (found.is_error) return failed(`I could not look for ${path}`, found);
  if (!found.output.split("\n").includes(path)) return told(`${path} does not exist.`);
  const content = yield* stage.call("read_file", { path });
  if (content.is_error) return failed(`${path} exists, and I could not read it`, content);
  return told(`${path} exists. Its contents:\n${content.output.trimEnd()}`);
}

function* look(
  stage: Stage,
  { what, call, input }: { what: string; call: string; input: Readonly<Record<string, string>> },
): Play<Told> {
  const result = yield* stage.call(call, input);
  if (result.is_error) return failed(`${call} failed`, result);
  return told(`${what}: ${shortly(result.output)}`);
}

function* send(stage: Stage, { to, text }: Extract<Work, { type: "send" }>): Play<Told> {
  const content = text ?? greeting(stage, to);
  const sent = yield* stage.call("send_message", { to, content });
  if (sent.is_error) return failed(`I could not write to ${to}`, sent);
  return told(`I wrote to ${to}: "${shortly(content, 200)}"`);
}

function greeting({ self }: Stage, to: string): string {
  const who = self.type === "lead" ? "your lead" : `${self.name} (${self.role})`;
  return `Hello ${to}, this is ${who}. I begin now.`;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
