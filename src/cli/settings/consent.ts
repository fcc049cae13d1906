import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { TeamError } from "../../errors.ts";
import { ensurePrivateDirectory, readTextIfExists, replaceFile } from "../../lib/files.ts";
import { parseJson } from "../../lib/json.ts";
import type { ProcessInfo } from "../command.ts";
import { stateDirectory } from "./standard-places.ts";

/** What a file is read as. That decides what of it the person is shown. */
const FileKind = z.enum(["settings", "mcp-servers", "role"]);
type FileKind = z.infer<typeof FileKind>;

/** A person's answer about one file of a repository with one content. */
const ConsentRecord = z.object({
  path: z.string(),
  /** Records of settings have none. */
  kind: FileKind.default("settings"),
  sha256: z.string(),
  answer: z.enum(["trusted", "declined"]),
});
type ConsentRecord = z.infer<typeof ConsentRecord>;
export type ConsentAnswer = ConsentRecord["answer"];

/**
 * Which content at which place a person answers for, and read as what. Without the last, a link could turn servers that
 * they trust into settings that nobody has shown them.
 */
export interface FileIdentity {
  readonly kind: FileKind;
  /** The path with all links resolved. */
  readonly realPath: string;
  /** The hash of its bytes. */
  readonly sha256: string;
}

/** The person's answer about exactly this content at this path, if there is one. */
export async function answerOn(
  file: FileIdentity,
  processInfo: ProcessInfo,
): Promise<ConsentAnswer | undefined> {
  const record = await readRecord(recordPath(file, processInfo));
  const isSame =
    record?.path === file.realPath && record.sha256 === file.sha256 && record.kind === file.kind;
  return isSame ? record.answer : undefined;
}

/** Stores the person's answer. It is valid until the file changes. */
export async function recordAnswer(
  file: FileIdentity,
  answer: ConsentAnswer,
  processInfo: ProcessInfo,
): Promise<void> {
  const { realPath: path, sha256, kind } = file;
  const record: ConsentRecord = { path, kind, sha256, answer };
  await ensurePrivateDirectory(consentDirectory(processInfo));
  await replaceFile(recordPath(file, processInfo), `${JSON.stringify(record, null, 2)}\n`);
}

export async function forgetAnswer(file: FileIdentity, processInfo: ProcessInfo): Promise<void> {
  await rm(recordPath(file, processInfo), { force: true });
}

function consentDirectory(processInfo: ProcessInfo): string {
  return join(stateDirectory(processInfo), "trusted");
}

function recordPath({ kind, realPath }: FileIdentity, processInfo: ProcessInfo): string {
  const place = kind === "settings" ? realPath : `${kind} ${realPath}`;
  const name = createHash("sha256").update(place).digest("hex");
  return join(consentDirectory(processInfo), `${name}.json`);
}

/** Undefined for an invalid record: what cannot be read is not consent. */
async function readRecord(path: string): Promise<ConsentRecord | undefined> {
  try {
    const text = await readTextIfExists(path);
    return text === undefined ? undefined : parseJson(text, ConsentRecord, path);
  } catch (error) {
    if (error instanceof TeamError || (error instanceof Error && "errno" in error)) {
      return undefined;
    }
    throw error;
  }
}
