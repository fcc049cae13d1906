import { readFileSync } from "node:fs";
import type { Command } from "../../src/cli/command.ts";

/** The commands that the program has, in its order: those that `src/cli/main.ts` loads. */
export async function registeredCommands(): Promise<Command[]> {
  const main = readFileSync("src/cli/main.ts", "utf8");
  const found = [...main.matchAll(/import\("\.\/commands\/([\w-]+)\.ts"\)\)\.(\w+)/g)];
  if (found.length === 0) throw new Error("src/cli/main.ts loads its commands in another way");
  return Promise.all(
    found.map(async ([, file, name = ""]): Promise<Command> => {
      const module: Record<string, Command> = await import(`../../src/cli/commands/${file}.ts`);
      return module[name] ?? missing(name);
    }),
  );
}

function missing(name: string): never {
  throw new Error(`There is no command ${name}`);
}
