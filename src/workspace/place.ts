/** Where a path leads, once every link in it is followed. */
export interface Place {
  /** The real path. For a missing file: the real path of its nearest parent, and the rest. */
  readonly real: string;
  /** True when it is in the workspace, or is the workspace. */
  readonly isInside: boolean;
  /** The path from the workspace's root, with `/`; `.` is the root. Undefined outside. */
  readonly relative: string | undefined;
  /** True outside, if the member may read there all the same (default: false). */
  readonly isReadable?: boolean;
}
