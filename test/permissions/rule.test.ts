import { expect, test } from "vitest";
import { TeamError } from "../../src/errors.ts";
import {
  coversPlace,
  isMeantBy,
  mayCoverWithin,
  parseRule,
  wordsCovered,
} from "../../src/permissions/rule.ts";
import type { Place } from "../../src/workspace/place.ts";

function inside(relative: string): Place {
  return { real: `/project/${relative}`, isInside: true, relative };
}

test.each([
  ["bash(npm test:*)", "npm test", true],
  ["bash(npm test:*)", "npm test -- --watch", true],
  ["bash(npm test:*)", "npm testify", false],
  ["bash(npm test:*)", "npm run test", false],
  ["bash(git status)", "git status", true],
  ["bash(git status)", "git status -s", false],
  ["background_run(npm run dev)", "npm run dev", true],
  ["bash", "anything at all", true],
  ["write_file", "npm test", false],
])("%s on the command %s: %s", (rule, command, expected) => {
  expect(wordsCovered(parseRule("allow", rule), command.split(" ")) !== undefined).toBe(expected);
});

test.each([
  ["edit_file(src/**)", "src/a/b.ts", true],
  ["edit_file(src/**)", "source/a.ts", false],
  ["write_file(src/*.ts)", "src/a.ts", true],
  ["write_file(src/*.ts)", "src/a/b.ts", false],
  ["edit_file(**/*.md)", "README.md", true],
  ["edit_file(**/*.md)", "docs/a/b.md", true],
  ["edit_file(./src/a?.ts)", "src/ab.ts", true],
  ["edit_file(src/a?.ts)", "src/abc.ts", false],
  ["edit_file(src/a?b.ts)", "src/a/b.ts", false],
  ["edit_file(src/**.ts)", "src/a/b.ts", true],
  ["edit_file(src/**/a.ts)", "src/a.ts", true],
  ["edit_file(src/**/a.ts)", "src/x/y/a.ts", true],
  ["edit_file(src/**/a.ts)", "src/xa.ts", false],
  ["edit_file(build/)", "build/a.js", true],
  ["edit_file(src/(a).ts)", "src/(a).ts", true],
  ["edit_file(src/a.ts)", "src/a_ts", false],
  ["edit_file(build)", "build/deep/file.js", true],
  ["edit_file(/project/src/**)", "src/a.ts", true],
  ["edit_file", "any/file", true],
  ["read_file(.env)", ".env", false],
])("%s on writing %s: %s", (rule, path, expected) => {
  expect(coversPlace(parseRule("allow", rule), "writing", inside(path))).toBe(expected);
});

test("a rule about reading covers reading, and nothing outside the workspace", () => {
  const rule = parseRule("deny", "read_file(**)");

  expect(coversPlace(rule, "reading", inside(".env"))).toBe(true);
  expect(
    coversPlace(rule, "reading", { real: "/etc/x", isInside: false, relative: undefined }),
  ).toBe(false);
});

test.each(["", "bash(", "bash()", "bash(:*)", "Bash(ls)", "send_message(x)", "bash(ls) and more"])(
  "%j is refused with the valid forms in the hint",
  (text) => {
    const read = () => parseRule("allow", text);

    expect(read).toThrow(TeamError);
    expect(read).toThrow(
      expect.objectContaining({
        code: "config-invalid",
        hint: expect.stringContaining("bash(npm test:*)"),
      }),
    );
  },
);

test.each([
  ["bash(git push:*)", "git push origin main", true],
  ["bash(git push:*)", "git -C sub --no-pager push", true],
  ["bash(git push --force:*)", "git push origin --force", true],
  ["bash(git push:*)", "git commit -m push", false],
  ["bash(git push)", "git push origin", false],
  ["bash(npm publish:*)", "npm test publish", false],
])("as a deny rule, %s covers the command %s: %s", (rule, command, expected) => {
  expect(isMeantBy(parseRule("deny", rule), command.split(" "))).toBe(expected);
});

test.each([
  ["read_file(.env)", ".", true],
  ["read_file(.env)", "src", false],
  ["read_file(src/keys/**)", "src", true],
  ["read_file(src/keys/**)", "src/keys/deep", true],
  ["read_file(src/keys/**)", "src/lib", false],
  ["read_file(**/*.pem)", "src", true],
  ["read_file(/project/src/x)", "src", true],
  ["read_file(/other/x)", "src", false],
  ["read_file", "src", true],
  ["edit_file(src/**)", "src", false],
])("as a deny rule, %s may concern something in %s: %s", (rule, folder, expected) => {
  const place = folder === "." ? { real: "/repo", isInside: true, relative: "." } : inside(folder);

  expect(mayCoverWithin(parseRule("deny", rule), place)).toBe(expected);
});
