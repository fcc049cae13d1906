/** Reports changes to files of one directory. A wake may be superfluous, never missing. */
export interface WakeSource {
  /** Calls `wake` when `fileName` may have changed, until the returned function is called. */
  subscribe(fileName: string, wake: () => void): () => void;
}

/** Reports changes to any file of one directory. */
export interface DirectoryChanges {
  /**
   * Calls `changed` with the name of a file that may have changed, or with undefined if the system
   * does not name it, until the returned function is called.
   */
  subscribeAll(changed: (fileName: string | undefined) => void): () => void;
}
