import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import promises, { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Heartbeat, LeadRecord } from "../../src/fence/lead-record.ts";
import { MailCursor } from "../../src/mailbox/mail-cursor.ts";
import { SideRecord } from "../../src/mailbox/side-log.ts";
import { CheckoutRecord } from "../../src/protocol/checkout.ts";
import { CronEntry } from "../../src/protocol/cron.ts";
import { AgentEvent } from "../../src/protocol/events.ts";
import { DroppedChanges, FileChangeRecord } from "../../src/protocol/file-change.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { JobRecord } from "../../src/protocol/job.ts";
import { Landing, LandingCheck } from "../../src/protocol/landing.ts";
import { Message } from "../../src/protocol/message.ts";
import { RequestDecision, RequestType, TeamRequest } from "../../src/protocol/request.ts";
import { Task } from "../../src/protocol/task.ts";
import { MemberRecord, RuleChange, TeamPermissions, TeamRecord } from "../../src/protocol/team.ts";
import { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { UsageLine, UsageTotal } from "../../src/protocol/usage.ts";
import { RestoreRecord } from "../../src/team/restore-team.ts";
import { mailNewestFirst } from "../../src/team/view/read-pages.ts";
import { patchFs } from "../../src/testing/patched-fs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { liveLongLife } from "../support/long-life.ts";
import { type MarkdownTable, markdownTables } from "../support/markdown-tables.ts";
import { enlist, member, openStore, viewTeam } from "../support/team.ts";

const page = readFileSync("docs/storage.md", "utf8");
const tables = markdownTables(page);

describe("the paths", () => {
  const documented = tablesHeaded("Path")
    .flatMap(({ rows }) => rows)
    .flatMap(([cell = ""]) => codeIn(cell));

  test("are exactly those that a store creates", async () => {
    await using directory = await temporaryDirectory();
    using temporary = rememberTemporaries();
    await liveLongLife(directory.path);
    const made = [...temporary.paths, ...(await pathsIn(directory.path))].map((path) =>
      path
        .replace(directory.path, "")
        .replace(/^\/state/, "/$XDG_STATE_HOME")
        .slice(1),
    );

    expect(compare(made, documented)).toEqual({ missing: [], needless: [] });
  });

  test("control: a file without a row and a row without a file are both found", () => {
    const made = [".team/config.json", ".team/tasks/x.json", ".team/stray"];
    const rows = [".team/config.json", ".team/tasks/<id>.json"];

    expect(compare(made, rows)).toEqual({
      missing: [".team/tasks/x.json", ".team/stray"],
      needless: [".team/tasks/<id>.json"],
    });
  });
});

describe("the fields", () => {
  const records = {
    TeamRecord,
    MemberRecord,
    TeamPermissions,
    RuleChange,
    RestoreRecord,
    FileChangeRecord,
    DroppedChanges,
    MailCursor,
    SideRecord,
    Task,
    TeamRequest: TeamRequest.options[0].extend({ type: RequestType }),
    RequestDecision,
    Landing,
    LandingCheck,
    CheckoutRecord,
    JobRecord,
    CronEntry,
    Heartbeat,
  };
  const objects = new Map<string, Shape>(
    Object.entries({ ...records, UsageTotal }).map(([name, { shape }]) => [name, shape]),
  );
  const unions = new Map<string, readonly { shape: Shape }[]>(
    Object.entries({ Message, TranscriptEntry, LeadRecord, AgentEvent, UsageLine }).map(
      ([name, { options }]) => [name, options],
    ),
  );

  test.each([...objects])("of %s are those of its schema", (name, shape) => {
    const [table] = tablesHeaded(`Field of \`${name}\``);

    const described = table?.rows.map(([field = "", type = ""]) => {
      return `${codeIn(field)[0]}${type.includes("optional") ? "?" : ""}`;
    });

    expect(described).toEqual(fieldsOf(shape));
  });

  test("of a request's subject are those of its type", () => {
    const [table] = tablesHeaded("Type of request");

    const described = table?.rows.map(([type = "", fields = ""]) => [
      ...codeIn(type),
      ...[...fields.matchAll(/(?:^|, )`([^`]+)`/g)].map(([, field]) => field),
    ]);

    expect(described).toEqual(
      TeamRequest.options.map(({ shape }) => [shape.type.value, ...fieldsOf(shape.subject.shape)]),
    );
  });

  test.each([...unions])("of %s are those of each of its types", (name, options) => {
    const [table] = tablesHeaded(`Type of \`${name}\``);
    const isShared = (field: string) => options.every(({ shape }) => field in shape);

    const described = table?.rows.map(([type = "", fields = ""]) => {
      return [codeIn(type)[0], ...[...fields.matchAll(/(?:^|, )`([^`]+)`/g)].map(([, it]) => it)];
    });

    expect(described).toEqual(
      options.map(({ shape }) => [
        z.instanceof(z.ZodLiteral).parse(shape.type).value,
        ...fieldsOf(shape).filter((field) => !isShared(field.replace("?", ""))),
      ]),
    );
  });

  test("are described only for formats that are compared here", () => {
    const described = tables.flatMap(({ header: [first = ""] }) => {
      return /^(?:Field|Type) of `(\w+)`$/.exec(first)?.[1] ?? [];
    });

    expect(described.sort()).toEqual([...objects.keys(), ...unions.keys()].sort());
  });
});

test("every example is from a stored team of this format", () => {
  const stored = filesIn(join("test", "fixtures", "store-format-1")).map((path) =>
    readFileSync(path, "utf8"),
  );
  const examples = blocksOf("json");

  expect(examples.length).toBeGreaterThan(0);
  expect(examples.filter((example) => !stored.some((text) => text.includes(example)))).toEqual([]);
});

test("the lines written by hand are handled as the page says", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const [commands = ""] = blocksOf("sh");
  await promisify(execFile)("sh", ["-c", commands], { cwd: directory.path });
  const alice = MemberName.parse("alice");
  const setAside: string[] = [];
  const { reader } = await store.openMember(alice, {
    onSetAside: ({ text }) => setAside.push(text),
  });

  const delivered = (await reader.unread()).map(({ message }) => message);

  const fates: string[] = [];
  for await (const { state } of mailNewestFirst(viewTeam(directory.path), alice)) {
    fates.unshift(state === "queued" ? "delivered" : state);
  }
  expect(fates).toEqual([...commands.matchAll(/# (.+)$/gm)].map(([, fate]) => fate));
  expect(new Set(delivered.map(({ type, from }) => `${type} ${from}`))).toEqual(
    new Set(["message outside"]),
  );
  expect(setAside).toHaveLength(fates.length - delivered.length);
});

test("every source file that the page names exists", () => {
  const named = codeIn(page).filter((code) => /^(src|test)\//.test(code));

  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

type Shape = Readonly<Record<string, unknown>>;

/** The names of all fields but `type`, with a `?` behind those that may be missing. */
function fieldsOf(shape: Shape): string[] {
  return Object.entries(shape)
    .filter(([name, schema]) => !(name === "type" && schema instanceof z.ZodLiteral))
    .map(([name, schema]) => `${name}${schema instanceof z.ZodOptional ? "?" : ""}`);
}

function tablesHeaded(first: string): MarkdownTable[] {
  return tables.filter(({ header }) => header[0] === first);
}

function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code ?? []);
}

function blocksOf(language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm");
  return [...page.matchAll(pattern)].flatMap(([, block]) => block ?? []);
}

function compare(made: readonly string[], documented: readonly string[]) {
  // A temporary file must be beside one that is described itself.
  const all = [...made, ...made.map((path) => path.replace(/\.[^.]+\.tmp$/, ""))];
  const patterns = documented.map((path) => ({ path, pattern: patternOf(path) }));
  return {
    missing: [...new Set(all.filter((path) => !patterns.some((row) => row.pattern.test(path))))],
    needless: patterns
      .filter(({ pattern }) => !all.some((path) => pattern.test(path)))
      .map(({ path }) => path),
  };
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const placeholders = new Map([
  ["<name>", "[a-z][a-z0-9_-]*"],
  ["<call>", "[A-Za-z0-9_-]+"],
  ["<id>", `(?:[1-9]\\d*|${uuid})`],
  ["<job>", "[0-9a-f]{8}"],
  ["<cron>", "[0-9a-f]{8}"],
  ["<version>", "[1-9]\\d*"],
  ["<time>", "\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d\\.\\d{3}Z"],
  ["<uuid>", uuid],
  ["<sha256>", "[0-9a-f]{64}"],
  ["<team_id>", uuid],
  ["<file>", ".+"],
  ["NNNNNN", "\\d{6,}"],
]);

/** What a path with placeholders stands for. */
function patternOf(path: string): RegExp {
  const parts = path.split(/(<\w+>|NNNNNN)/).map((part) => {
    return placeholders.get(part) ?? part.replace(/[.$]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`);
}

/** All paths below `root`, directories with a `/` at their end. */
async function pathsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => `${join(entry.parentPath, entry.name)}${entry.isDirectory() ? "/" : ""}`)
    .filter((path) => path !== join(root, "state/"));
}

function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Notes each file that is renamed or linked, and so has had another name for a moment. */
function rememberTemporaries(): Disposable & { paths: readonly string[] } {
  const paths: string[] = [];
  const { link, rename } = promises;
  const patch = patchFs(promises, {
    link: (from, to) => {
      paths.push(knownPath(from));
      return link(from, to);
    },
    rename: (from, to) => {
      // A directory that is archived is no temporary one.
      if (!knownPath(to).includes("/archive/")) paths.push(knownPath(from));
      return rename(from, to);
    },
  });
  return { paths, [Symbol.dispose]: () => patch[Symbol.dispose]() };
}

/** The path that a person knows of a file in a directory that is held open. */
function knownPath(path: unknown): string {
  const location = String(path);
  return join(realpathSync(dirname(location)), basename(location));
}
