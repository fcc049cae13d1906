import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { judgeLine, type Project, project } from "./judge-lines.ts";

const run = promisify(execFile);

/** What the lines of this file are judged with, and run in. */
function environmentOf({ outside }: Project) {
  return { PATH: "/usr/bin:/bin", HOME: outside };
}

async function bash(workspace: Project, line: string): Promise<string> {
  const options = { cwd: workspace.root, env: environmentOf(workspace) };
  return (await run("bash", ["-c", line], options)).stdout;
}

async function decisionOn(workspace: Project, line: string): Promise<string> {
  const permissions = workspace.permissions({ environment: environmentOf(workspace) });
  return (await judgeLine(permissions, line)).decision;
}

test.each([
  "echo ../outside/*",
  "echo links/*/s*",
  "echo $HOME/*",
  'echo "$HOME"/*',
  "echo ~/*",
  "echo ~/s?cret.txt",
  "x='../outside/*'; echo $x",
  "x=../outside; echo $x/s*",
  "x=..; y=*; echo $x/outside/$y",
  `x="../outside/s*"; y="$x"; printf '%s\\n' $y`,
  "echo $(echo '../outside/*')",
  `x="$(echo '../outside/*')"; echo $x`,
  "x=a; if true; then x='../outside/*'; fi; echo $x",
  "true && x='../outside/*'; echo $x",
  "for x in a '../outside/*'; do :; done; echo $x",
  `for f in links/out/*; do echo "$f"; done`,
  `b=(links/out/*); echo "\${b[@]}"`,
  `b=('../outside/*'); echo \${b[0]}`,
  "read x <<< '../outside/*'; echo $x",
  "printf -v x '../outside/*'; echo $x",
  `x='../outside/*y'; echo \${x%y}`,
  "set -- '../outside/*'; echo $1",
  "cd src && echo $PWD/../../outside/*",
  "echo $(cat pattern)",
  "while read -r x; do echo $x; done < pattern",
  "for f in odd/*/*; do echo $f; done",
])("%j lists names outside the workspace, and needs approval", async (line) => {
  await using workspace = await project();
  await writeFile(join(workspace.root, "pattern"), "../outside/*\n");
  // A name that is a pattern itself, and leads through a link beside it.
  await mkdir(join(workspace.root, "odd/*"), { recursive: true });
  await writeFile(join(workspace.root, "odd/*/s*"), "");
  await bash(workspace, "ln -s ../../outside odd/link");

  expect(await bash(workspace, line), "the control").toContain("secret.txt");
  expect(await decisionOn(workspace, line)).toBe("ask");
});

test.each([
  "for f in ../outside/*; do :; done",
  "for f in links/*/nothing*; do :; done",
  "b=(links/out/*)",
  "echo links/*/nothing*",
  "test -e ../outside/nothing*",
  "x=$UNSET; x+='../outside/*'; : $x",
])("%j looks outside the workspace without showing anything, and needs approval", async (line) => {
  await using workspace = await project();

  expect(await decisionOn(workspace, line)).toBe("ask");
});

test.each([
  "x=src; ls $x/*",
  "x='src/*.ts'; ls $x",
  "x=*.md; echo $x",
  "x='*'; echo \"$x\"",
  `x='../outside/*'; echo "$x"`,
  "echo $HOME $PATH $PWD $? $# $UNSET",
  "echo $RANDOM $SECONDS $UID $$ $BASH_VERSION",
  "echo ~",
  `x="two words"; echo $x`,
  "x=a; if true; then x=b; fi; echo $x",
  "for f in src/*.ts; do echo $f; done",
  `f=src/a.ts; echo "\${f%.ts}.js" \${#f}`,
  "cd src && echo $PWD",
  "n=$(ls | wc -l); echo $n",
  "x=$(date +%F); echo $x $(git rev-parse --short HEAD)",
  "b=(src/*.ts a b)",
  "find . -name '*.ts' | xargs echo",
  "[[ x == ../outside/* ]]",
  "case x in ../outside/*) ;; esac",
])("%j looks nowhere else, and is free", async (line) => {
  await using workspace = await project();

  expect(await decisionOn(workspace, line)).toBe("allow");
});

test("a workspace whose path looks like a pattern needs quotes", async () => {
  await using workspace = await project();
  const environment = { ...environmentOf(workspace), PWD: join(workspace.root, "../pro*") };
  const permissions = workspace.permissions({ environment });

  expect(await judgeLine(permissions, "echo $PWD")).toMatchObject({ decision: "ask" });
  expect(await judgeLine(permissions, 'echo "$PWD"')).toMatchObject({ decision: "allow" });
});
