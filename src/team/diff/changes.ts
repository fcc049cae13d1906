/** Since when changes are shown. */
export type DiffStart =
  | { type: "commit" | "nothing" }
  | { type: "prompt"; at: string; text: string };

/** A file that may differ. Contents are loaded when they are needed. */
export interface Candidate {
  path: string;
  /** Undefined where there was no file; a reason where its content is not to be had. */
  before: VersionContent;
}

/** The content of a file, or that it is missing, or why it cannot be shown. */
export type VersionContent =
  | { type: "content"; bytes: Buffer }
  | { type: "missing" }
  | { type: "unknown"; reason: string };

/** The candidates, and since when. */
export interface FoundChanges {
  since: DiffStart;
  candidates: Candidate[];
  /** How many files were left out, because there are so many. */
  more: number;
  notes: string[];
}

/** So many files are listed. */
export const maxFiles = 500;
/** A larger file is only named. */
export const maxFileBytes = 1024 * 1024;
