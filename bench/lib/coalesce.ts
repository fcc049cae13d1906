/**
 * Returns a function that runs `look`, one run at a time. Any number of calls during a run causes
 * one more run. The call resolves when its run has ended.
 */
export function coalesce(look: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let isNextQueued = false;
  return () => {
    if (!isNextQueued) {
      isNextQueued = true;
      last = last.then(() => {
        isNextQueued = false;
        return look();
      });
    }
    return last;
  };
}
