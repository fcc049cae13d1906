import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import { secretsNamedBy } from "../../src/permissions/home-secrets.ts";
import { Programs } from "../../src/processes/programs.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import {
  type SandboxedMember,
  type SandboxOptions,
  TeamSandbox,
} from "../../src/team/team-sandbox.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { openShell } from "../processes/shell-fixture.ts";
import { noSandbox } from "../support/no-sandbox.ts";

interface SandboxedTeam {
  /** The workspace, below the home directory (default: `work`). */
  at?: string;
  options?: (home: string) => SandboxOptions;
  /** The directories in which programs are looked for. */
  path?: string;
  member?: (home: string) => Partial<SandboxedMember>;
  keyFile?: (home: string) => string;
  environment?: (home: string) => Record<string, string>;
  checkouts?: (home: string) => string;
  /** Makes what is there before the first command. */
  prepare?(workspace: string, home: string): Promise<void>;
  /** The path of the home directory, as the environment says it. */
  homeLink?(home: string): Promise<string>;
}

/** A member's shell in the sandbox of a team, for a person whose home directory has secrets. */
async function openTeam(team: SandboxedTeam = {}) {
  const directory = await temporaryDirectory();
  const home = join(directory.path, "home");
  const workspace = join(home, team.at ?? "work");
  await put(join(home, ".ssh/id"), "the secret");
  await put(join(home, ".local/state/troupe/keys/other"), "the secret");
  await mkdir(join(workspace, ".team"), { recursive: true });
  await team.prepare?.(workspace, home);
  const warnings: string[] = [];
  const sandbox = new TeamSandbox({
    options: { mode: "required", ...team.options?.(home) },
    place: {
      directory: join(workspace, ".team"),
      keyPlace: {
        keyFile: team.keyFile?.(home),
        stateHome: undefined,
        home: (await team.homeLink?.(home)) ?? home,
      },
      clock: systemClock,
      processes: systemProcesses,
      onWarning: (message) => warnings.push(message),
    },
    programs: new Programs({ path: team.path ?? process.env.PATH, workspace }),
    teamId: async () => "the-team",
    checkouts: team.checkouts?.(home),
    credentials: secretsNamedBy(team.environment?.(home) ?? {}),
  });
  const alice = MemberName.parse("alice");
  const shell = await openShell({
    cwd: workspace,
    sandbox: () => sandbox.of(alice, { workspace, ...team.member?.(home) }),
  });
  return {
    ...{ home, workspace, warnings, shell, sandbox },
    run: (command: string) => shell.run(command),
    async [Symbol.asyncDispose]() {
      await shell[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

describe.skipIf(noSandbox)("what is hidden stays hidden", () => {
  const places: readonly [string, SandboxedTeam][] = [
    ["the workspace is the home directory", { at: "." }],
    ["a directory that may be written contains it", { options: (home) => ({ write: [home] }) }],
    ["the workspace is in a hidden directory", { at: ".ssh/work" }],
    ["the workspace has an odd name", { at: 'a b\n\tc\\d"(' }],
    [
      "the home directory is a link",
      {
        async homeLink(home) {
          await symlink(home, `${home}-link`);
          return `${home}-link`;
        },
      },
    ],
  ];

  test.each(places)("where %s", async (_, team) => {
    await using fixture = await openTeam(team);
    const { run, home } = fixture;

    const { output } = await run(
      `echo in > inside; cat inside; cat ${home}/.ssh/id ${home}/.local/state/troupe/keys/*; cat ${home}-link/.ssh/id; true`,
    );

    expect(output).toMatch(/^in\n/);
    expect(output).not.toMatch(/the secret/);
  });

  test("credentials where variables say that they are", async () => {
    const files = ["one/kube", "two/kube", "cfg/gh/hosts", "gpg/key"];
    await using fixture = await openTeam({
      environment: (home) => ({
        KUBECONFIG: `${home}/one/kube:${home}/two/kube`,
        XDG_CONFIG_HOME: `${home}/cfg`,
        GNUPGHOME: `${home}/gpg`,
      }),
      async prepare(_, home) {
        for (const file of files) await put(join(home, file), "the secret\n");
        await put(join(home, "cfg/other"), "open\n");
      },
    });

    const { output } = await fixture.run(
      `cd ${fixture.home}; cat ${files.join(" ")}; cat cfg/other`,
    );

    expect(output).not.toMatch(/the secret/);
    expect(output).toMatch(/^open$/m);
  });

  test("the checkouts of other members, where the person has put them", async () => {
    await using fixture = await openTeam({
      checkouts: (home) => join(home, "rooms"),
      member: (home) => ({ workspace: join(home, "rooms/alice") }),
      async prepare(_, home) {
        await put(join(home, "rooms/alice/own"), "mine\n");
        await put(join(home, "rooms/bob/own"), "the secret\n");
      },
    });

    const { output } = await fixture.run(
      `cat ${fixture.home}/rooms/*/own; touch ${fixture.home}/rooms/alice/new`,
    );

    expect(output).toBe("mine\n");
  });

  test("the team's key where the person has put it", async () => {
    await using fixture = await openTeam({
      keyFile: (home) => join(home, "keys/own"),
      prepare: (_, home) => put(join(home, "keys/own"), "the secret"),
    });

    const { output } = await fixture.run(`cat ${fixture.home}/keys/own; echo read`);

    expect(output).toMatch(/^cat: .*\nread\n$/);
  });
});

describe.skipIf(noSandbox)("files that make other programs run code", () => {
  test("a repository that a .git file names stays as it is", async () => {
    await using fixture = await openTeam({
      async prepare(workspace) {
        execFileSync("git", ["init", "-q", "--separate-git-dir", "bare"], { cwd: workspace });
      },
    });
    const before = await readFile(join(fixture.workspace, "bare/config"), "utf8");

    const { exitCode } = await fixture.run("echo '[core]' >> bare/config");

    expect(exitCode).not.toBe(0);
    expect(await readFile(join(fixture.workspace, "bare/config"), "utf8")).toBe(before);
  });

  test("a .git that leads elsewhere keeps no command from running, and the person hears when it is replaced", async () => {
    await using fixture = await openTeam({
      async prepare(workspace, home) {
        execFileSync("git", ["init", "-q"], { cwd: workspace });
        await rename(join(workspace, ".git"), join(home, "elsewhere"));
        await symlink(join(home, "elsewhere"), join(workspace, ".git"));
      },
    });

    expect(await fixture.run("git rev-parse --is-inside-work-tree")).toMatchObject({
      output: "true\n",
      appeared: [],
    });
    expect(fixture.warnings).toEqual([]);
    const { appeared } = await fixture.run("rm .git; mkdir -p .git/hooks");
    expect(appeared).toEqual([join(fixture.workspace, ".git")]);
    expect(fixture.warnings).toEqual([
      `A command of 'alice' has made or replaced files that can make other programs run code: ${appeared}`,
    ]);
  });
});

describe.skipIf(noSandbox)("a command that moves directories around", () => {
  const hidden: SandboxedTeam = {
    options: (home) => ({ denyRead: [join(home, "work/a/b/secrets")] }),
    prepare: (workspace) => put(join(workspace, "a/b/secrets/key"), "the secret\n"),
  };

  test("finds no more of what is hidden", async () => {
    await using fixture = await openTeam(hidden);

    await fixture.run("mv a c; mv a/b a/c; mv a/b/secrets other");

    const { output } = await fixture.run(
      "cat */b/secrets/key a/*/secrets/key other/key; touch a/b/new; ls a/b",
    );
    expect(output).not.toMatch(/the secret/);
    expect(output).toMatch(/^new\nsecrets$/m);
  });

  test("is reported where another file that makes programs run code is in its place then", async () => {
    await using fixture = await openTeam({
      prepare: (workspace) => put(join(workspace, "pkg/.npmrc"), "old\n"),
    });

    const moved = await fixture.run("mv pkg node_modules; mkdir pkg; echo new > pkg/.npmrc");
    const kept = await fixture.run("touch pkg/other; cat pkg/.npmrc");

    expect(moved.appeared).toEqual([join(fixture.workspace, "pkg/.npmrc")]);
    expect(kept).toMatchObject({ output: "new\n", appeared: [] });
  });

  test("does not replace the repository of a submodule, however deep", async () => {
    const place = "a/b/c/d/e";
    await using fixture = await openTeam({
      async prepare(workspace) {
        await put(join(workspace, ".gitmodules"), `[submodule "x"]\n\tpath = ${place}\n`);
        await put(join(workspace, place, ".git"), "gitdir: ../../../../../.git/modules/x\n");
      },
    });

    const { exitCode } = await fixture.run(`echo 'gitdir: /other' > ${place}/.git`);
    const { appeared } = await fixture.run(`mv a z; mkdir -p ${place}/.git`);

    expect(exitCode).not.toBe(0);
    expect(appeared).toEqual([join(fixture.workspace, place, ".git")]);
  });

  test("does not make itself another directory to write in, by a link", async () => {
    await using fixture = await openTeam({
      options: (home) => ({ write: [join(home, "work/build"), join(home, "cache")] }),
      prepare: (_, home) => put(join(home, "cache/kept"), ""),
    });
    await fixture.run("ln -s .. build");

    const { output } = await fixture.run(
      "touch ../new && echo changed; touch build/new && echo changed; touch ../cache/new && echo made",
    );

    expect(output).not.toMatch(/^changed$/m);
    expect(output).toMatch(/^made$/m);
  });
});

/**
 * Replaces `pkg` by a link at the moment in which bubblewrap starts. Another command could do so, by chance; it would then be
 * the secret that is mounted as a protected directory of the workspace.
 */
const replacing = `#!/bin/bash
case "$*" in *attack*) rm -rf pkg/.vscode; ln -s ../../.ssh pkg/.vscode;; esac
exec /usr/bin/bwrap "$@"`;
/** Starts the program without looking at anything. */
const careless = `#!/bin/bash
until [[ $1 == -- ]]; do shift; done
echo checked >&5
exec "\${@:2}"`;

describe.skipIf(noSandbox)("where a directory is replaced while the sandbox is set up", () => {
  async function attacked(programs: Readonly<Record<string, string>>) {
    await using elsewhere = await temporaryDirectory();
    await using fixture = await openTeam({
      path: `${elsewhere.path}:${process.env.PATH}`,
      member: () => ({ readable: [elsewhere.path] }),
      async prepare(workspace) {
        await put(join(workspace, "pkg/.vscode/kept"), "");
        for (const [name, script] of Object.entries(programs)) {
          await writeFile(join(elsewhere.path, name), script, { mode: 0o755 });
        }
      },
    });
    return await fixture.run("cat ../.ssh/id pkg/.vscode/id # attack");
  }

  test("the command does not run", async () => {
    const { ending, output, exitCode } = await attacked({ bwrap: replacing });

    expect(ending).toBe("unconfined");
    expect(exitCode).toBeNull();
    expect(output).toMatch(/pkg\/\.vscode was replaced at this moment$/m);
    expect(output).not.toMatch(/the secret/);
  });

  test("control: without the check, it reads what is hidden", async () => {
    const { output } = await attacked({ bwrap: replacing, bash: careless });

    expect(output).toMatch(/^the secret/);
  });
});

describe.skipIf(noSandbox)("for root", () => {
  test.runIf(process.getuid?.() === 0)("commands read no passwords of the system", async () => {
    await using fixture = await openTeam();

    const { output } = await fixture.run("cat /etc/shadow; ls /etc/ssl/private; echo read");

    expect(output).toMatch(/^read$/m);
    expect(output).not.toMatch(/^root:/m);
  });
});

test.skipIf(noSandbox)(
  "commands run when their temporary files were removed meanwhile",
  async () => {
    await using fixture = await openTeam();
    await fixture.run("touch /tmp/kept");

    await rm(join(fixture.home, ".local/state/troupe/tmp"), { recursive: true });

    expect(await fixture.run("[ ! -e /tmp/kept ] && echo ran")).toMatchObject({
      exitCode: 0,
      output: "ran\n",
    });
  },
);

test.skipIf(noSandbox)(
  "a command that was killed with its sandbox is not said never to have run",
  async () => {
    await using fixture = await openTeam();
    const { signal } = new AbortController();
    let tell = () => {};
    const hasStarted = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const running = await fixture.shell.runner.start({
      ...{ name: "call-1", command: "echo started; sleep 1000", timeoutMs: undefined, signal },
      onOutput: () => tell(),
    });
    if (running.type !== "running") throw new Error(running.problem);
    await hasStarted;

    process.kill(running.pid, "SIGKILL");

    expect(await running.ended).toMatchObject({
      ending: "exited",
      exitCode: null,
      signal: "SIGKILL",
    });
  },
);

test.skipIf(noSandbox)(
  "P36 temporary files are never made where a link leads: nothing runs then",
  async () => {
    const prepare = async (_: string, home: string) => {
      await put(join(home, "mine/the-team/alice/notes"), "mine");
      await symlink(join(home, "mine"), join(home, ".local/state/troupe/tmp"));
    };
    await using fixture = await openTeam({ prepare });

    const refused = await fixture.run("touch ran").catch((error: Error) => error.message);

    expect(refused).toMatch(/tmp is a symbolic link/);
    expect(existsSync(join(fixture.workspace, "ran"))).toBe(false);
    expect(await readFile(join(fixture.home, "mine/the-team/alice/notes"), "utf8")).toBe("mine");
  },
);

describe.skipIf(noSandbox)("what a member can read wherever it is", () => {
  test("in a hidden directory, without what is hidden in it, and never changed", async () => {
    await using fixture = await openTeam({
      options: (home) => ({ denyRead: [join(home, "hidden"), join(home, "hidden/git/private")] }),
      member: (home) => ({ readable: [join(home, "hidden/git")] }),
      async prepare(_, home) {
        await put(join(home, "hidden/git/HEAD"), "the head\n");
        await put(join(home, "hidden/git/private/key"), "the secret\n");
        await put(join(home, "hidden/other"), "the secret\n");
      },
    });
    const { run, home } = fixture;

    const { output } = await run(
      `cat ${home}/hidden/git/HEAD ${home}/hidden/git/private/key ${home}/hidden/other; echo x > ${home}/hidden/git/HEAD && echo changed`,
    );

    expect(output).toMatch(/^the head\n/);
    expect(output).not.toMatch(/the secret|^changed/m);
  });

  test("the team directory, also where the member works elsewhere", async () => {
    await using elsewhere = await temporaryDirectory();
    await using fixture = await openTeam({
      member: () => ({ workspace: elsewhere.path }),
      options: (home) => ({ denyRead: [join(home, "work")] }),
      prepare: (workspace) => put(join(workspace, ".team/outputs/long.txt"), "long\n"),
    });
    const { run, workspace } = fixture;

    const { output } = await run(
      `cat ${workspace}/.team/outputs/long.txt; touch ${workspace}/.team/new && echo changed; touch inside && echo inside`,
    );

    expect(output).toMatch(/^long\n/);
    expect(output).toMatch(/^inside$/m);
    expect(output).not.toMatch(/^changed$/m);
  });
});

test.skipIf(noSandbox)(
  "Troupe itself and its Node stay as they are, wherever commands can write",
  async () => {
    const itself = process.cwd();
    await using fixture = await openTeam({ options: () => ({ write: [itself] }) });

    const { output } = await fixture.run(
      `touch ${itself}/package.json ${itself}/src/new ${process.execPath} && echo changed; mv ${itself}/src ${itself}/src2 && echo changed; cat ${itself}/package.json | head -2`,
    );

    expect(output).not.toMatch(/^changed$/m);
    expect(output).toMatch(/"name": "troupe"/);
  },
);

test.skipIf(noSandbox)(
  "where the repository is the member's own, it can commit, and nothing is reported",
  async () => {
    const prepare = async (workspace: string) => {
      execFileSync("git", ["init", "-q"], { cwd: workspace });
    };
    const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && echo made";
    await using own = await openTeam({ member: () => ({ ownsGit: true }), prepare });
    await using shared = await openTeam({ prepare });

    expect(await own.run(`mkdir .vscode; ${commit}`)).toMatchObject({
      output: "made\n",
      appeared: [],
    });
    expect((await own.run("touch .team/new")).exitCode).not.toBe(0);
    expect((await shared.run(commit)).output).not.toMatch(/^made$/m);
  },
);

describe.skipIf(noSandbox)("a member's own sandbox", () => {
  test("is stricter than the team's, and never weaker", async () => {
    await using strict = await openTeam({
      options: () => ({ mode: "off" }),
      member: () => ({ mode: "required" }),
    });
    await using weak = await openTeam({ member: () => ({ mode: "off" }) });
    await using none = await openTeam({ options: () => ({ mode: "off" }) });

    for (const { run } of [strict, weak]) {
      expect((await run("touch ../outside && echo made")).output).not.toMatch(/^made$/m);
    }
    expect((await none.run("touch ../outside && echo made")).output).toMatch(/^made$/m);
  });
});

test("where a member requires a sandbox that is missing, none of its commands runs, and the others warn once", async () => {
  await using fixture = await openTeam({
    options: () => ({ mode: "auto" }),
    path: "/nowhere",
    member: () => ({ mode: "required" }),
  });

  const refused = await fixture.run("touch ran").catch((error: Error) => error.message);

  expect(refused).toMatch(/bubblewrap is not installed.* Nothing ran\./);
  expect(existsSync(join(fixture.workspace, "ran"))).toBe(false);
  expect(fixture.warnings).toEqual([]);
  for (const _ of [1, 2]) expect(await fixture.sandbox.isInForce()).toBe(false);
  expect(fixture.warnings).toEqual([expect.stringMatching(/run as you/)]);
  await expect(fixture.sandbox.isInForce("required")).rejects.toMatchObject({
    code: "sandbox-missing",
  });
});
