const fetching =
  /\b(npx|pnpx|bunx|npm (?:install|i|add|exec|x|create|init)|pnpm (?:install|add|exec|dlx|create)|yarn (?:add|dlx|create)|bun (?:install|add|x|create))((?:[ \t]+(?!#)[^\s`"'|&;,()]+)*)/g;

/**
 * The packages that command lines in a text fetch from a registry by their name. What a lockfile
 * pins, a directory, a tarball and `npx --no` are not fetched by name.
 */
export function fetchedPackages(text: string): string[] {
  const filledIn = text.replaceAll(/<[^<>\n]*>/g, "<>");
  return [...filledIn.matchAll(fetching)].flatMap(([, command = "", rest = ""]) => {
    const words = rest.split(/\s+/).filter(Boolean);
    if (words.includes("--no") || words.includes("--offline")) return [];
    const names = words.filter((word) => !word.startsWith("-")).filter(isName);
    const runsOne = /^(npx|pnpx|bunx)$|(exec|x|dlx|create|init)$/.test(command);
    return (runsOne ? names.slice(0, 1) : names).map(withoutVersion);
  });
}

/** Neither a path, nor an address, nor something for the reader to fill in. */
function isName(word: string): boolean {
  return !/^[./~$<]|:|\.tgz$/.test(word);
}

function withoutVersion(word: string): string {
  return word.replace(/(?<=.)@.*$/, "");
}
