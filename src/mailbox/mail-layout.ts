import { type FilePath, within } from "../lib/file-path.ts";
import type { MemberName } from "../protocol/ids.ts";

/** The files of one member's mail. */
export interface MailLayout {
  /** The directory that all live logs share, and that is watched. */
  inbox: FilePath;
  /** The live log, by its name in `inbox`. */
  fileName: string;
  live: FilePath;
  /**
   * The reader's own files are in a separate directory, so that they do not wake the watch on
   * `inbox`.
   */
  directory: FilePath;
  cursor: FilePath;
  quarantine: FilePath;
  returned: FilePath;
}

export function mailLayout(inbox: FilePath, owner: MemberName): MailLayout {
  const fileName = `${owner}.jsonl`;
  const directory = within(inbox, `.${owner}`);
  return {
    inbox,
    fileName,
    live: within(inbox, fileName),
    directory,
    cursor: within(directory, "cursor"),
    quarantine: within(directory, "quarantine.jsonl"),
    returned: within(directory, "returned.jsonl"),
  };
}
