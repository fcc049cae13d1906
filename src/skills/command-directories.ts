/** Where the commands of a repository are, from each of its directories on. Troupe's own come first. */
export const commandDirectories = [".troupe/commands", ".claude/commands"];
