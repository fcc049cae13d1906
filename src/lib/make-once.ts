/**
 * The result of `make` for `key`, made once and shared by all callers. A failure is forgotten, so
 * that the next call tries again.
 */
export function makeOnce<Key, Value>(
  values: Map<Key, Promise<Value>>,
  key: Key,
  make: () => Promise<Value>,
): Promise<Value> {
  const known = values.get(key);
  if (known) return known;
  const made = make();
  values.set(key, made);
  made.catch(() => values.delete(key));
  return made;
}
