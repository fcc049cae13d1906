/** Whether a key that is pressed there is meant to be written. */
export function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input, textarea, select");
}

/** A key with Ctrl, Alt or Meta is the browser's own. */
export function hasModifier({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}
