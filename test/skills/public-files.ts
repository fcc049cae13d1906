import { skillFile } from "./skill-files.ts";

/** Skills and commands in the shapes that public collections have, rewritten. */
export const publicFiles: Readonly<Record<string, string>> = {
  // A long description on one line, with a colon in it, unquoted.
  "project/.claude/skills/skill-creator/SKILL.md": skillFile(
    "name: skill-creator\ndescription: Guide for making skills. Use it when users want: a new skill, or to change one.\nlicense: Complete terms in LICENSE.txt",
    "# Skill creator\n\nRun `scripts/init_skill.py <name>`.",
  ),
  // The open format's optional fields.
  "project/.agents/skills/webapp-testing/SKILL.md": skillFile(
    [
      "name: webapp-testing",
      "description: >-",
      "  Toolkit for testing local web applications",
      "  with a browser.",
      "compatibility: Requires python3 and playwright",
      "metadata:",
      "  author: example-org",
      '  version: "1.0"',
      "allowed-tools: Bash(python:*) Read",
      "model: sonnet",
    ].join("\n"),
  ),
  // Knowledge only, for members.
  "home/.claude/skills/brand-guidelines/SKILL.md": skillFile(
    "name: Brand Guidelines\ndescription: Colors and fonts.\nuser-invocable: false\nwhen_to_use: For anything visual",
  ),
  // Context by command lines.
  "project/.claude/commands/commit.md": skillFile(
    [
      "allowed-tools: Bash(git add:*), Bash(git status:*), Bash(git commit:*)",
      "description: Create a git commit",
    ].join("\n"),
    "## Context\n\n- Status: !`git status --short`\n- Branch: !`git branch --show-current`\n\n## Your task\n\nCreate a single commit.",
  ),
  // A hint that YAML takes for a list, and one argument after the other.
  "project/.claude/commands/fix-issue.md": skillFile(
    "argument-hint: [issue-number] [priority]\ndescription: Fix an issue",
    "Fix issue #$1 with priority $2.",
  ),
  // No front matter at all.
  "project/.claude/commands/write-tests.md":
    "# Write tests\n\nPlease write tests for: $ARGUMENTS\n",
  // Windows line ends, and a byte order mark.
  "project/.claude/commands/frontend/component.md":
    "\uFEFF---\r\ndescription: Make a component\r\n---\r\nMake the component $ARGUMENTS.\r\n",
  // A model, and tools as a list.
  "project/.claude/commands/pr-review.md": skillFile(
    'argument-hint: "[pr-number]"\nallowed-tools:\n  - Read\n  - Bash(gh pr:*)\nmodel: claude-3-5-haiku-20241022\ndescription: Review a pull request',
    "Review pull request $1, see @docs/style.md.",
  ),
  // Fields that Troupe lacks.
  "home/own/security-scan.md": skillFile(
    "description: Look for security holes\nmodel: opus\ncontext: fork\nagent: Explore",
    "Look for injection, secrets and weak cryptography in $ARGUMENTS.",
  ),
  "project/.claude/skills/skill-creator/scripts/init_skill.py": "",
};
