import { join } from "node:path";

/** Where everything of a team lies. docs/storage.md describes each file. */
export interface TeamLayout {
  directory: string;
  inbox: string;
  transcripts: string;
  tasks: string;
  requests: string;
  /** Records of background jobs. */
  background: string;
  crons: string;
  /** Teams that were set aside. */
  archive: string;
  fence: string;
  /** Output of tools and mail that is too long to be shown whole. */
  outputs: string;
  events: string;
  usage: string;
  gitignore: string;
}

export function teamLayout(directory: string): TeamLayout {
  return {
    directory,
    inbox: join(directory, "inbox"),
    transcripts: join(directory, "transcripts"),
    tasks: join(directory, "tasks"),
    requests: join(directory, "requests"),
    background: join(directory, "background"),
    crons: join(directory, "crons"),
    archive: join(directory, "archive"),
    fence: join(directory, "fence"),
    outputs: join(directory, "outputs"),
    events: join(directory, "events.jsonl"),
    usage: join(directory, "usage.jsonl"),
    gitignore: join(directory, ".gitignore"),
  };
}
