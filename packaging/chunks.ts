import { resolve } from "node:path";
import type { Rolldown } from "tsdown";

type ModuleGraph = Pick<Rolldown.PluginContext, "getModuleInfo">;

/**
 * Puts everything that a chunk's roots import statically into that chunk, unless a chunk before it
 * has it already. Left to itself the bundler makes a file of whatever several commands share, and
 * each file takes its time to find, read and link.
 */
export function chunksOf(
  chunks: Readonly<Record<string, readonly string[]>>,
): Rolldown.CodeSplittingOptions {
  let known: ReadonlyMap<string, string> | undefined;
  const chunkOf = (id: string, graph: ModuleGraph) => {
    known ??= assign(chunks, graph);
    return known.get(id);
  };
  // One group each: the order of groups says who gets a module that several of them need.
  const groups = Object.keys(chunks).map((chunk) => ({
    name: (id: string, graph: ModuleGraph) => (chunkOf(id, graph) === chunk ? chunk : null),
  }));
  return { groups };
}

function assign(
  chunks: Readonly<Record<string, readonly string[]>>,
  graph: ModuleGraph,
): ReadonlyMap<string, string> {
  const assigned = new Map<string, string>();
  for (const [chunk, roots] of Object.entries(chunks)) {
    const left = roots.map((root) => resolve(root));
    for (const root of left) if (!graph.getModuleInfo(root)) throw new Error(`No module ${root}`);
    const seen = new Set<string>();
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      if (seen.has(id) || assigned.has(id)) continue;
      seen.add(id);
      left.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
    }
    // An entry is a file of its own, whatever else needs it.
    for (const id of seen) if (!graph.getModuleInfo(id)?.isEntry) assigned.set(id, chunk);
  }
  return assigned;
}
