/** Where the skills of a repository are, from each of its directories on. Troupe's own come first. */
export const skillDirectories = [".troupe/skills", ".agents/skills", ".claude/skills"];
