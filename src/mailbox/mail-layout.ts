import { join } from "node:path";
import type { MemberName } from "../protocol/ids.ts";

/** Where one member's mail lies. */
export interface MailLayout {
  /** The directory that all live logs share, and that is watched. */
  inbox: string;
  /** The live log, by its name in `inbox`. */
  fileName: string;
  live: string;
  /** What only the reader writes lies apart, so that it does not wake the watch on `inbox`. */
  directory: string;
  cursor: string;
  quarantine: string;
  returned: string;
}

export function mailLayout(inbox: string, owner: MemberName): MailLayout {
  const fileName = `${owner}.jsonl`;
  const directory = join(inbox, `.${owner}`);
  return {
    inbox,
    fileName,
    live: join(inbox, fileName),
    directory,
    cursor: join(directory, "cursor"),
    quarantine: join(directory, "quarantine.jsonl"),
    returned: join(directory, "returned.jsonl"),
  };
}
