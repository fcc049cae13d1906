import { setImmediate } from "node:timers/promises";

/** How many files of a directory are open at once. */
const batchSize = 16;
/** After this many results the event loop gets a turn, even if nothing was awaited. */
const turnSize = 1024;

/** `Promise.all` for any number of files: in order, and never too many at once. */
export async function mapInBatches<In, Out>(
  items: readonly In[],
  map: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = [];
  for (let from = 0; from < items.length; from += batchSize) {
    results.push(...(await Promise.all(items.slice(from, from + batchSize).map(map))));
    if (results.length % turnSize === 0) await setImmediate();
  }
  return results;
}
