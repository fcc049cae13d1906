import { chmod, lstat, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { goBack, keptStates, previewGoingBack } from "../../src/checkouts/go-back.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { alice, CheckoutBench } from "../support/checkouts.ts";
import { pictureOf } from "../support/landings.ts";
import { gitIn, writeFiles } from "../support/repository.ts";

const states = (bench: CheckoutBench) => bench.checkouts.during(alice, keptStates);
const look = (bench: CheckoutBench, number: number) =>
  bench.checkouts.during(alice, (ready) => previewGoingBack(ready, number));
const back = (bench: CheckoutBench, number: number) =>
  bench.checkouts.during(alice, (ready) => goBack(ready, number));

/** The files of a checkout, without its repository. */
async function filesIn(path: string) {
  const files = Object.entries(await pictureOf(path)).filter(([name]) => !/^\.git\//.test(name));
  // Without the time.
  return Object.fromEntries(files.map(([name, text]) => [name, text.replace(/ [\d.]+$/, "")]));
}

test("P27 a checkout goes back to any state that was kept, and forward again; nothing of it is lost", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, {
    ...{ "a.txt": "a\n", "gone.txt": "g\n", "run.sh": "#!/bin/sh\n" },
  });
  const { path } = (await bench.make()).checkout;
  const pictures = [await filesIn(path)];
  await writeFiles(path, { "a.txt": "one\n", "new/one.txt": "1\n" });
  await rm(join(path, "gone.txt"));
  await bench.checkouts.keep(alice);
  pictures.push(await filesIn(path));
  await gitIn(path, "add", "-A");
  await gitIn(path, "commit", "-q", "-m", "alice's own");
  await writeFiles(path, { "a.txt": "two\n", "with space\n.txt": "2\n" });
  await chmod(join(path, "run.sh"), 0o755);
  await symlink("a.txt", join(path, "link"));
  await bench.checkouts.keep(alice);
  pictures.push(await filesIn(path));
  await writeFiles(path, { "a.txt": "not kept yet\n", "untracked.txt": "u\n" });
  pictures.push(await filesIn(path));
  const head = await gitIn(path, "rev-parse", "HEAD");
  const person = await filesIn(bench.root);

  expect((await states(bench)).map(({ number }) => number)).toEqual([2, 1, 0]);
  const { before } = await back(bench, 0);
  expect(await filesIn(path)).toEqual(pictures[0]);
  expect(before.number).toBe(3);
  for (const number of [3, 1, 2, 0, 3]) {
    await back(bench, number);
    expect(await filesIn(path)).toEqual(pictures[number]);
  }

  // Its own commits stay, and so do the person's files.
  expect(await gitIn(path, "rev-parse", "HEAD")).toBe(head);
  expect(await gitIn(path, "fsck", "--no-dangling")).toBe("");
  expect(await filesIn(bench.root)).toEqual(person);
});

test("a look names what would change, and changes nothing", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, { "a.txt": "a\n", "gone.txt": "g\n" });
  const { path } = (await bench.make()).checkout;
  await writeFiles(path, { "a.txt": "changed\n", "new.txt": "n\n" });
  await rm(join(path, "gone.txt"));
  const picture = await filesIn(path);
  const refs = await gitIn(bench.root, "for-each-ref");

  const preview = await look(bench, 0);

  expect(preview).toMatchObject({
    state: { number: 0 },
    files: [
      { path: "a.txt", action: "restore" },
      { path: "gone.txt", action: "restore" },
      { path: "new.txt", action: "remove" },
    ],
    inTheWay: [],
  });
  expect(await filesIn(path)).toEqual(picture);
  expect(await gitIn(bench.root, "for-each-ref")).toBe(refs);
});

test("an ignored file, which nothing keeps, is not overwritten: nothing is done then", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, { "a.txt": "a\n", "b.log": "b\n" });
  const { path } = (await bench.make()).checkout;
  await writeFiles(path, { ".gitignore": "*.log\n", "a.txt": "changed\n" });
  await rm(join(path, "b.log"));
  await bench.checkouts.keep(alice);
  await writeFile(join(path, "b.log"), "precious\n");

  expect(await look(bench, 0)).toMatchObject({ inTheWay: ["b.log"] });
  await expect(back(bench, 0)).rejects.toMatchObject({
    code: "checkout-failed",
    message: "Ignored files are in the way: b.log",
  });

  expect(await readFile(join(path, "b.log"), "utf8")).toBe("precious\n");
  expect(await readFile(join(path, "a.txt"), "utf8")).toBe("changed\n");
});

test("ignored files in a directory that would become a file are in the way", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, { "a.txt": "a\n", out: "a file\n" });
  const { path } = (await bench.make()).checkout;
  await rm(join(path, "out"));
  await writeFiles(path, { ".gitignore": "*.log\n", "out/b.txt": "b\n", "out/deep/c.log": "c\n" });

  expect(await look(bench, 0)).toMatchObject({ inTheWay: ["out/deep/c.log"] });
  await rm(join(path, "out", "deep"), { recursive: true });
  await back(bench, 0);

  expect(await readFile(join(path, "out"), "utf8")).toBe("a file\n");
});

test("a directory that has become a link to elsewhere is not written through", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path, { "sub/a.txt": "a\n" });
  const { path } = (await bench.make()).checkout;
  const elsewhere = join(directory.path, "elsewhere");
  await writeFiles(elsewhere, { "a.txt": "the person's\n" });
  await rm(join(path, "sub"), { recursive: true });
  await symlink(elsewhere, join(path, "sub"));

  await back(bench, 0);

  expect(await readFile(join(elsewhere, "a.txt"), "utf8")).toBe("the person's\n");
  expect((await lstat(join(path, "sub"))).isDirectory()).toBe(true);
  expect(await readFile(join(path, "sub", "a.txt"), "utf8")).toBe("a\n");
});

test("a state that there is not, and a member without a checkout, are errors with a hint", async () => {
  await using directory = await temporaryDirectory();
  const bench = await CheckoutBench.make(directory.path);
  await expect(back(bench, 1)).rejects.toMatchObject({
    code: "checkout-failed",
    message: "'alice' has no checkout",
  });
  await bench.make();

  await expect(back(bench, 7)).rejects.toMatchObject({
    code: "request-unknown",
    hint: "Its states: 0.",
  });

  await bench.checkouts.retire(alice);
  await expect(states(bench)).rejects.toMatchObject({ message: "'alice' has no checkout" });
});
