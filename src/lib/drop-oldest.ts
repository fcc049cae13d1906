/** Drops the item that was added first if there are more than `most`. */
export function dropOldest<Key>(items: Set<Key> | Map<Key, unknown>, most: number): void {
  if (items.size <= most) return;
  for (const oldest of items.keys()) {
    items.delete(oldest);
    return;
  }
}
