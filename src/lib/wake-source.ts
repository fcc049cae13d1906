/** Tells of changes to files of one directory. A wake may be superfluous, never missing. */
export interface WakeSource {
  /** Calls `wake` when `fileName` may have changed, until the returned function is called. */
  subscribe(fileName: string, wake: () => void): () => void;
}
