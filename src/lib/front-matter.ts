import type { Document, Node, Pair } from "yaml";

/** The fields at the head of a text file, and the text below them. */
export interface FrontMatter {
  /** Without front matter, it has no fields. Plain values; no field can be taken for a method. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Why a file's front matter cannot be used, to be shown behind the file's name. */
export interface BrokenFrontMatter {
  readonly problem: string;
}

/** More is no description of anything. */
const maxBytes = 64 * 1024;

/**
 * Reads YAML between two lines `---` at the beginning of a text, and what follows. The text may be
 * anybody's: YAML is read by its core schema, without anchors, aliases, merge keys and tags, and a
 * name can be given only once.
 *
 * A value on one line that is no valid YAML, because it has a colon in it, say, is taken as the text that
 * it is: many such files are written by hand, and other programs read them this way.
 */
export async function parseFrontMatter(text: string): Promise<FrontMatter | BrokenFrontMatter> {
  const parts = split(text.replace(/^\uFEFF/, ""));
  if (!parts) return { problem: 'its front matter has no end: a line "---" is missing' };
  const { yaml, body } = parts;
  if (yaml === "") return { fields: {}, body };
  if (Buffer.byteLength(yaml) > maxBytes) {
    return { problem: `its front matter has more than ${maxBytes} bytes` };
  }
  // Most starts read no such file.
  const parse = fieldParser(await import("yaml"));
  const strict = parse(yaml);
  const isWrittenLoosely = "problem" in strict && !strict.isYaml;
  const parsed = isWrittenLoosely ? parse(withQuotedTexts(yaml)) : strict;
  return "problem" in parsed ? { problem: parsed.problem } : { fields: parsed.fields, body };
}

interface Parts {
  readonly yaml: string;
  readonly body: string;
}

/** Undefined if the front matter begins, but does not end. */
function split(text: string): Parts | undefined {
  const [opening] = /^---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (opening === undefined) return { yaml: "", body: text };
  const rest = text.slice(opening.length);
  const end = /^---[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (!end) return undefined;
  return { yaml: rest.slice(0, end.index), body: rest.slice(end.index + end[0].length) };
}

/** What is YAML can be refused nevertheless. */
type ParsedFields =
  | Pick<FrontMatter, "fields">
  | (BrokenFrontMatter & { readonly isYaml: boolean });

function fieldParser({ isMap, isScalar, Lexer, parseDocument, visit }: typeof import("yaml")) {
  return (yaml: string): ParsedFields => {
    if (isDeep(yaml)) return refused("is nested too deeply");
    // Its first line in the file is `---`, so that the numbers of lines in errors are the file's.
    const document = parseDocument(`\n${yaml}`, {
      schema: "core",
      // No other tags, such as `!!binary`.
      resolveKnownTags: false,
      // By a comparison of each key with each other; `problemIn` needs one look at each.
      uniqueKeys: false,
      logLevel: "silent",
    });
    const [error] = document.errors;
    if (error) return { ...refused(`is not valid YAML: ${firstLine(error)}`), isYaml: false };
    const problem = problemIn(document);
    if (problem !== undefined) return refused(problem);
    const { contents } = document;
    if (contents === null || (isScalar(contents) && contents.value === null)) return { fields: {} };
    if (!isMap(contents)) return refused('has no fields: write each as "name: value"');
    return { fields: document.toJS({ maxAliasCount: 0 }) };
  };

  /**
   * Found before it is parsed, which is recursive: at the end of the stack, V8 may end the process
   * instead of throwing an error.
   */
  function isDeep(yaml: string): boolean {
    if (deepLine.test(yaml)) return true;
    let depth = 0;
    for (const token of new Lexer().lex(yaml)) {
      if (token === "[" || token === "{") depth += 1;
      else if (token === "]" || token === "}") depth -= 1;
      if (depth > maxFlowDepth) return true;
    }
    return false;
  }

  /** What of YAML is in it that is not accepted; found before any value is made of it. */
  function problemIn(document: Document): string | undefined {
    let problem: string | undefined;
    const stop = (found: string) => {
      problem = found;
      return visit.BREAK;
    };
    visit(document, {
      Alias: () => stop("has an alias (*), which is not accepted"),
      Node: (_, { anchor, tag }: Node & { anchor?: string }) => {
        if (anchor !== undefined) return stop("has an anchor (&), which is not accepted");
        return tag === undefined ? undefined : stop("has a tag (!), which is not accepted");
      },
      Map: (_, { items }) => {
        const names = new Set<string>();
        for (const pair of items) {
          const name = nameOf(pair);
          if (name === undefined) return stop("has a name that is not a word");
          if (forbiddenNames.has(name))
            return stop(`has "${name}" as a name, which is not accepted`);
          if (names.has(name)) return stop(`has "${name}" more than once`);
          names.add(name);
        }
        return undefined;
      },
    });
    return problem;
  }

  function nameOf({ key }: Pair): string | undefined {
    if (!isScalar(key) || key.value === null || key.value === "") return undefined;
    return String(key.value);
  }
}

/** Lists and maps in brackets. */
const maxFlowDepth = 32;

/** Of lists and maps without brackets, each begins to the right of the one that it is in. */
const deepLine = /^(?:[ \t]|[-?:](?=[ \t\r]|$)){129}/m;

/** A merge key, and the name by which a copy of the fields would get another prototype. */
const forbiddenNames: ReadonlySet<string> = new Set(["<<", "__proto__"]);

/**
 * Puts values that stand unquoted behind a name into quotes: those with a colon, those of several words of which the first
 * is in brackets (`[file] [line]`), and those that begin with a sign that YAML keeps for itself.
 */
function withQuotedTexts(yaml: string): string {
  const value = [
    "[^\\s\"'[\\]{}|>&*!#%@`,].*?:(?:[ \\t].*?)?",
    "\\[[^\\]\\n]*\\][ \\t]*[^\\s,#].*?",
    "[@`%].*?",
  ].join("|");
  const line = new RegExp(`^([A-Za-z][\\w-]*:[ \\t]+)(${value})[ \\t]*(\\r?)$`, "gm");
  return yaml.replace(
    line,
    (_, name: string, text: string, end: string) => `${name}${JSON.stringify(text)}${end}`,
  );
}

function refused(problem: string) {
  return { problem: `its front matter ${problem}`, isYaml: true };
}

function firstLine({ message }: Error): string {
  const [line = ""] = message.split("\n");
  return line.replace(/:$/, "");
}
