/** The colors of members, each with the names that other programs have for what comes nearest to it. */
const names: Readonly<Record<string, readonly string[]>> = {
  cyan: ["teal", "turquoise", "aqua", "accent", "info"],
  magenta: ["purple", "pink", "violet", "indigo", "fuchsia", "secondary"],
  yellow: ["orange", "gold", "amber", "brown", "warning"],
  green: ["lime", "emerald", "success", "olive"],
  blue: ["navy", "azure", "primary"],
  red: ["crimson", "maroon", "coral", "error"],
  white: ["silver"],
  gray: ["grey", "slate", "black"],
};

const values: Readonly<Record<string, readonly [number, number, number]>> = {
  cyan: [0, 190, 190],
  magenta: [190, 0, 190],
  yellow: [200, 180, 0],
  green: [0, 180, 0],
  blue: [40, 80, 230],
  red: [210, 0, 0],
  white: [235, 235, 235],
  gray: [110, 110, 110],
};

/** The names of colors that a role may have, for an error. */
export const colorWords = `${Object.keys(names).join(", ")}, another common name, or #rrggbb`;

/** The color of a member that comes nearest to one by name or as `#rrggbb`; undefined for what is none. */
export function memberColor(text: string): string | undefined {
  const word = text.trim().toLowerCase();
  const known = Object.keys(names).find((name) => name === word || names[name]?.includes(word));
  if (known !== undefined) return known;
  const [, red, green, blue] = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(word) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  const given = [red, green, blue].map((part) => Number.parseInt(part, 16));
  const distance = (name: string) =>
    (values[name] ?? []).reduce((sum, value, at) => sum + (value - (given[at] ?? 0)) ** 2, 0);
  return Object.keys(values).sort((a, b) => distance(a) - distance(b))[0];
}
