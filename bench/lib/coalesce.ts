/**
 * Makes a function that runs `look`, one run at a time. However often it is called during a run,
 * one more follows. It resolves when the run that its call led to has ended.
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
