import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { markedCommand } from "../../src/processes/marked-command.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

// With a socket as its input, bash takes itself for the shell of a remote login, and reads what a person has set up for one.
test("a program whose input is a socket starts without the person's settings of the shell", async () => {
  await using home = await temporaryDirectory();
  await writeFile(join(home.path, ".bashrc"), "echo noise\n");
  const { program, argv, environment } = markedCommand({
    ...{ shell: "/bin/bash", argv: ["/bin/echo", "said"], name: "echo", marker: "1" },
    environment: { HOME: home.path, PATH: "/usr/bin:/bin" },
  });

  const child = spawn(program, argv, { env: environment, stdio: ["pipe", "pipe", "inherit"] });

  expect(await text(child.stdout)).toBe("said\n");
});
