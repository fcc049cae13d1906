import { join, relative } from "node:path";
import type { Directory } from "../../workspace/directory.ts";
import type { SearchArea } from "../../workspace/workspace.ts";
import { failure, success, type ToolOutput } from "../tool.ts";
import { answer } from "./answer.ts";
import type { SearchAccess } from "./guarded-change.ts";
import { outputRoom } from "./output-room.ts";
import type { RipgrepEnd } from "./ripgrep.ts";

const maxCounted = 10_000;

export interface Search<Item> {
  path: string;
  /** The path of an item's file, from the searched directory on. */
  fileOf(item: Item): string;
  textOf(item: Item, shownPath: string): string;
  /** `onItem` gets the items in order, and returns false when it needs no more. */
  find(area: SearchArea, onItem: (item: Item) => boolean): Promise<RipgrepEnd>;
  /** The items that really exist: see confirm.ts. */
  confirm(directory: Directory, items: readonly Item[]): Promise<readonly Item[]>;
}

/**
 * Searches below a path. Files that a deny rule covers are left out, and so are results beyond the
 * output limit.
 */
export function search<Item>(
  { workspace, mayRead }: SearchAccess,
  { path, fileOf, textOf, find, confirm }: Search<Item>,
): Promise<ToolOutput> {
  return answer(path, async () => {
    const area = await workspace.openSearch(path);
    if (!area) return failure(`Error: ${path} does not exist.`);
    await using directory = area.directory;

    const pathOf = (item: Item) => join(directory.path, fileOf(item));
    const show = (item: Item) => textOf(item, relative(workspace.cwd, pathOf(item)));
    const found: Item[] = [];
    let room = outputRoom;
    let left = 0;
    let isAnyClosed = false;
    const end = await find(area, (item) => {
      if (!mayRead(workspace.placeAt(pathOf(item)))) {
        isAnyClosed = true;
        return true;
      }
      room -= show(item).length + 1;
      if (room >= 0) found.push(item);
      else left++;
      return left <= maxCounted;
    });
    if (end.type === "aborted") return failure("Error: The search was stopped.");
    if (end.type === "failed") return failure(`Error: ${end.message}`);
    const shown = (await confirm(directory, found)).map(show);
    if (left > 0) shown.push(`... (${left > maxCounted ? `more than ${maxCounted}` : left} more)`);
    if (shown.length === 0) shown.push("No matches");
    if (isAnyClosed) shown.push("(files that a deny rule closes are left out)");
    return success(shown.join("\n"));
  });
}
