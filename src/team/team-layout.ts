import { type FilePath, within } from "../lib/file-path.ts";

/** The paths of a team's files. docs/storage.md describes each file. */
export interface TeamLayout<Path extends FilePath = FilePath> {
  directory: Path;
  inbox: Path;
  transcripts: Path;
  tasks: Path;
  requests: Path;
  landings: Path;
  /** Records of checkouts; the checkouts themselves are elsewhere. */
  checkouts: Path;
  /** Records of background jobs. */
  background: Path;
  crons: Path;
  /** Teams that were set aside. */
  archive: Path;
  /** Says which archived team is being brought back, while that is under way. */
  restore: Path;
  fence: Path;
  /** What files had in them before the team's tools changed them. */
  checkpoints: Path;
  /** Output of tools and mail that is too long to be shown whole. */
  outputs: Path;
  /** Images of messages. */
  images: Path;
  events: Path;
  usage: Path;
  gitignore: Path;
}

export function teamLayout(directory: string): TeamLayout<string>;
export function teamLayout(directory: FilePath): TeamLayout;
export function teamLayout(directory: FilePath): TeamLayout {
  return {
    directory,
    inbox: within(directory, "inbox"),
    transcripts: within(directory, "transcripts"),
    tasks: within(directory, "tasks"),
    requests: within(directory, "requests"),
    landings: within(directory, "landings"),
    checkouts: within(directory, "checkouts"),
    background: within(directory, "background"),
    crons: within(directory, "crons"),
    archive: within(directory, "archive"),
    restore: within(directory, "restore.json"),
    fence: within(directory, "fence"),
    checkpoints: within(directory, "checkpoints"),
    outputs: within(directory, "outputs"),
    images: within(directory, "images"),
    events: within(directory, "events.jsonl"),
    usage: within(directory, "usage.jsonl"),
    gitignore: within(directory, ".gitignore"),
  };
}
