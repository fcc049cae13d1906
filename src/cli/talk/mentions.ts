import type { Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { hasErrno, TeamError } from "../../errors.ts";
import { closing } from "../../lib/closing.ts";
import { contains } from "../../lib/contains.ts";
import { decodeText, kindOf } from "../../tools/files/content.ts";

/** A text with the files that it mentions. */
export interface WithMentions {
  /** The text, followed by the content of each mentioned file. */
  content: string;
  /** The paths of the mentioned images. */
  images: string[];
  /** What was attached, in words for the person. */
  attached: string[];
}

/** Leaves room in a message, which has at most 256 KiB, for the text and other files. */
const maxFileBytes = 100 * 1024;
const maxListed = 500;

/** `@path`, `@"a path"`, each perhaps with `:10` or `:10-20`, after a space or at the start. */
const mention = /(?<![^\s(])@(?:"([^"\n]+)"(:\d+(?:-\d+)?)?|(\S+))/g;

/**
 * Attaches every file or directory of the workspace that a text mentions as `@path`. What is not the
 * path of one stays text: it may be a name, a package or an address. `pasted` are the paths of images,
 * from anywhere, that the person has pasted.
 */
export async function attachMentions(
  text: string,
  workspace: string,
  pasted: readonly string[] = [],
): Promise<WithMentions> {
  const words = [...text.matchAll(mention)].map(([, quoted, range = "", plain]) =>
    quoted === undefined ? (plain ?? "") : `${quoted}${range}`,
  );
  const blocks = new Map<string, Attachment>();
  for (const word of words) {
    const attachment = await attach(word, workspace);
    if (attachment) blocks.set(attachment.label, attachment);
  }
  for (const each of await attachPasted([...new Set(pasted)], workspace))
    blocks.set(each.label, each);
  const attachments = [...blocks.values()];
  return {
    content: [text, ...attachments.flatMap(({ block = [] }) => block)].join("\n\n"),
    images: attachments.flatMap(({ image = [] }) => image),
    attached: attachments.map(({ label, size }) => `${label} (${size})`),
  };
}

/** The text as it was typed, without the files that `attachMentions` has put behind it. */
export function withoutAttachments(content: string): string {
  const isWhole = /<\/(?:file|directory)>$/.test(content);
  const begun = /\n\n<(?:file|directory) path="[^"\n]*"(?: lines="\d+-\d+")?>\n/.exec(content);
  const typed = begun ? content.slice(0, begun.index) : content;
  return isWhole && typed.includes("@") ? typed : content;
}

/** True if a word after `@` is the path of something in the workspace. */
export async function isMention(word: string, workspace: string): Promise<boolean> {
  return (await findTarget(word, workspace)) !== undefined;
}

interface Attachment {
  label: string;
  size: string;
  /** Its content, as text. */
  block?: string;
  /** The place of an image. */
  image?: string;
}

interface MentionedPath {
  /** From the workspace on. */
  path: string;
  place: string;
  stats: Stats;
  range: MentionedLines | undefined;
}

interface MentionedLines {
  from: number;
  to: number;
}

async function attach(word: string, workspace: string): Promise<Attachment | undefined> {
  const target = await findTarget(word, workspace);
  if (!target) return undefined;
  return target.stats.isDirectory() ? attachDirectory(target) : attachFile(target);
}

async function attachPasted(places: readonly string[], workspace: string): Promise<Attachment[]> {
  if (places.length === 0) return [];
  const { readImageFile } = await import("../../team/prompt-images.ts");
  const root = await realpath(workspace);
  const attached = places.map(async (image) => {
    const { type, content } = await readImageFile(image);
    const label = contains(root, image) ? relative(root, image) : image;
    return { label, size: sizeOfImage(type, content.length), image };
  });
  return Promise.all(attached);
}

/** The word as it is, without the punctuation after it, or without a range of lines. */
async function findTarget(word: string, workspace: string): Promise<MentionedPath | undefined> {
  const bare = word.replace(/[.,;:!?)\]}'"]+$/, "");
  const [, base = bare, first, last] = /^(.+?)(?:#L|:)(\d+)(?:-L?(\d+))?$/.exec(bare) ?? [];
  const from = Number(first);
  const range = first === undefined ? undefined : { from, to: last ? Number(last) : from };
  return (
    (await look(word, workspace)) ??
    (await look(bare, workspace)) ??
    (range && (await look(base, workspace, range)))
  );
}

async function look(
  path: string,
  workspace: string,
  range?: MentionedLines,
): Promise<MentionedPath | undefined> {
  if (path === "" || path.includes("\0")) return undefined;
  try {
    const root = await realpath(workspace);
    const place = await realpath(isAbsolute(path) ? path : join(root, path));
    const isInside = contains(root, place);
    const stats = await stat(place);
    if (!isInside || !(stats.isFile() || stats.isDirectory())) return undefined;
    return { path: relative(root, place) || ".", place, stats, range };
  } catch (error) {
    const isNoPath = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"].some((code) =>
      hasErrno(error, code),
    );
    if (isNoPath) return undefined;
    throw error;
  }
}

async function attachDirectory({ path, place }: MentionedPath): Promise<Attachment> {
  const entries = await readdir(place, { withFileTypes: true });
  const names = entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted();
  const left = names.length - maxListed;
  const lines = [...names.slice(0, maxListed), ...(left > 0 ? [`… ${left} more`] : [])];
  const block = `<directory path="${path}">\n${lines.join("\n")}\n</directory>`;
  return { label: `${path}/`, size: counted(names.length, "entry", "entries"), block };
}

async function attachFile({ path, place, range, stats }: MentionedPath): Promise<Attachment> {
  const bytes = await readUpTo(place, range ? maxReadBytes : maxFileBytes + 1);
  const kind = kindOf(bytes);
  if (kind.type === "image" && !range) {
    return { label: path, size: sizeOfImage(kind.mediaType, stats.size), image: place };
  }
  const text = kind.type === "text" ? decodeText(bytes) : undefined;
  if (text === undefined) throw unusable(`${path} is not a text file`, "Name it without the @.");
  const lines = text.split("\n");
  const last = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  if (range && (range.from < 1 || range.from > last || range.to < range.from)) {
    throw unusable(`${path} has no lines ${spelled(range)}`, `It has ${last} lines.`);
  }
  const to = Math.min(range?.to ?? last, last);
  const from = range?.from ?? 1;
  const shown = range ? lines.slice(from - 1, to).join("\n") : text.replace(/\n$/, "");
  if (Buffer.byteLength(shown) > maxFileBytes) {
    const hint = `Name some of its lines, as in @${path}:1-200.`;
    throw unusable(`${path} is larger than ${maxFileBytes / 1024} KiB`, hint);
  }
  const where = range ? ` lines="${from}-${to}"` : "";
  return {
    label: range ? `${path}:${spelled({ from, to })}` : path,
    size: counted(to - from + 1, "line", "lines"),
    block: `<file path="${path}"${where}>\n${shown}\n</file>`,
  };
}

/** A range of lines may be far into a file. */
const maxReadBytes = 16 * 1024 * 1024;

async function readUpTo(path: string, limit: number): Promise<Buffer> {
  const file = await open(path, "r");
  await using _ = closing(file);
  const chunks: Buffer[] = [];
  for await (const chunk of file.createReadStream({ end: limit - 1, autoClose: false })) {
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

function sizeOfImage(mediaType: string, bytes: number): string {
  return `${mediaType}, ${Math.ceil(bytes / 1000)} kB`;
}

function spelled({ from, to }: MentionedLines): string {
  return from === to ? String(from) : `${from}-${to}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function unusable(message: string, hint: string): TeamError {
  return new TeamError("usage-wrong", message, { hint });
}
