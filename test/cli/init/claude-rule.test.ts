import { expect, test } from "vitest";
import { translateRule } from "../../../src/cli/init/claude-rule.ts";

const base = { workspace: "/home/ada/shop", home: "/home/ada", isElsewhere: false };

test.each([
  ["allow", "Bash(npm run test:*)", "bash(npm run test:*)"],
  ["allow", "Bash(npm run test *)", "bash(npm run test:*)"],
  ["allow", "Bash(npm run lint)", "bash(npm run lint)"],
  ["allow", "Bash(npm run test:unit)", "bash(npm run test:unit)"],
  ["allow", "Bash(git diff *)", "bash(git diff:*)"],
  ["allow", "Bash(ls*)", "bash(ls:*)"],
  ["allow", "Bash", "bash"],
  ["allow", "Bash(*)", "bash"],
  ["deny", "Bash(:*)", "bash"],
  ["deny", "Bash(curl:*)", "bash(curl:*)"],
  ["deny", "Bash(git push --force *)", "bash(git push --force:*)"],
  ["ask", "Bash(git push:*)", "bash(git push:*)"],
  ["deny", "Read(~/.ssh/**)", "read_file(/home/ada/.ssh/**)"],
  ["deny", "Read(//etc/**)", "read_file(/etc/**)"],
  ["deny", "Read(./.env)", "read_file(.env)"],
  ["deny", "Read(.env)", "read_file(**/.env)"],
  ["deny", "Read(*.pem)", "read_file(**/*.pem)"],
  ["deny", "Read(secrets/)", "read_file(**/secrets/)"],
  ["deny", "Read(./secrets/**)", "read_file(secrets/**)"],
  ["deny", "Read(**/*.key)", "read_file(**/*.key)"],
  ["deny", "Read(**)", "read_file(**)"],
  ["deny", "Read(~/shop/secret.txt)", "read_file(secret.txt)"],
  ["deny", "Read(//home/**)", "read_file(/home/**)"],
  ["allow", "Read(README.md)", "read_file(README.md)"],
  ["allow", "Edit(/src/**)", "edit_file(src/**)"],
  ["allow", "Edit(docs/*.md)", "edit_file(docs/*.md)"],
  ["allow", "Edit", "edit_file"],
  ["allow", "MultiEdit", "edit_file"],
  ["allow", "Write(dist/**)", "write_file(dist/**)"],
  ["allow", "Edit(//home/ada/shop/src/**)", "edit_file(src/**)"],
  ["allow", "WebFetch", "web_fetch"],
  ["allow", "WebFetch(domain:docs.example.com)", "web_fetch(docs.example.com)"],
  ["deny", "WebFetch(domain:*.Example.com)", "web_fetch(*.example.com)"],
  ["allow", "mcp__github__get_issue", "mcp__github__get_issue"],
  ["deny", "mcp__github__*", "mcp__github__*"],
  ["deny", "mcp__github", "mcp__github"],
  ["deny", "Skill", "skill"],
  ["ask", "TaskCreate", "create_task"],
  ["allow", "BashOutput", "check_background"],
] as const)("%s %s becomes %s", (decision, text, rule) => {
  expect(translateRule(decision, text, base)).toEqual({ rule });
});

test.each([
  ["allow", "Bash(* --version)", "only at the end"],
  ["deny", "Bash(git push * --force)", "only at the end"],
  ["allow", 'Bash(echo "a b")', "quotes"],
  ["deny", "Bash(curl * | sh)", "only at the end"],
  ["allow", "Bash(npm test && npm run lint)", "operators"],
  ["allow", "Bash(CI=1 npm test)", "without variables"],
  ["allow", "Bash(cat ~/notes)", "signs of the shell"],
  ["allow", "Read(~/.ssh/**)", "outside the workspace"],
  ["allow", "Edit(//etc/**)", "outside the workspace"],
  ["allow", "Edit(//home/**)", "outside the workspace"],
  ["allow", "Edit(../other/**)", '".."'],
  ["deny", "Read(**/*.{pem,key})", "only *, ** and ?"],
  ["deny", "Read(id_[rd]sa)", "only *, ** and ?"],
  ["allow", "Edit(src**)", "means more"],
  ["allow", "WebFetch(domain:npm)", "hosts"],
  ["deny", "WebFetch(https://example.com)", "hosts"],
  ["deny", "Skill(deploy)", "disable-model-invocation"],
  ["deny", "Grep", "write read_file"],
  ["deny", "Agent(Explore)", "spawn_teammate"],
  ["deny", "PowerShell(Remove-Item:*)", "not a tool that Troupe knows"],
  ["allow", "mcp__github__get_issue(1)", "no pattern"],
  ["deny", "Bash(", "not a rule"],
  ["deny", "", "not a rule"],
  ["deny", "Bash()", "empty"],
  ["allow", "__proto__", "not a tool"],
] as const)("%s %s is left out, and the reason says why", (decision, text, reason) => {
  const translation = translateRule(decision, text, base);

  expect(translation).toEqual({ reason: expect.stringContaining(reason) });
});

test.each([
  ["allow", "Grep"],
  ["allow", "Skill(deploy *)"],
  ["allow", "Task"],
  ["deny", "WebSearch"],
  ["deny", "NotebookEdit"],
] as const)("%s %s is not needed", (decision, text) => {
  expect(translateRule(decision, text, base)).toMatchObject({ isNeedless: true });
});

test("a rule that denies by the beginning of a word has a gap, and one that allows is narrower", () => {
  expect(translateRule("deny", "Bash(rm*)", base)).toEqual({
    rule: "bash(rm:*)",
    gap: expect.stringContaining("rm… in one word"),
  });
});

test("a path from the root of a file that is for all repositories is not taken for the workspace", () => {
  const elsewhere = { ...base, isElsewhere: true };

  expect(translateRule("deny", "Edit(/src/**)", elsewhere)).toHaveProperty("reason");
  expect(translateRule("deny", "Edit(src/**)", elsewhere)).toEqual({ rule: "edit_file(src/**)" });
});
