/**
 * Makes checkouts, keeps and lands work, and brings it to the person, each on a disk that is full and then once more with
 * space. The one argument is a small disk. Prints what came of each as JSON.
 */
import { appendFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TeamError } from "../../../src/errors.ts";
import { alice, CheckoutBench } from "../../support/checkouts.ts";
import { bring } from "../../support/landed.ts";
import { LandingBench, pictureOf } from "../../support/landings.ts";
import { gitIn, writeFiles } from "../../support/repository.ts";

const [disk = ""] = process.argv.slice(2);
const ballast = join(disk, "ballast");

/** Leaves no space for anything. */
function fill(): void {
  for (const size of [1_000_000, 10_000, 1_000]) {
    try {
      for (;;) appendFileSync(ballast, Buffer.alloc(size, 1));
    } catch {
      // There is less space than that.
    }
  }
}

async function whenFull<T>(act: () => Promise<T>): Promise<unknown> {
  fill();
  try {
    return await act();
  } catch (error) {
    return error instanceof TeamError
      ? { code: error.code, message: error.message }
      : { bug: String(error) };
  } finally {
    rmSync(ballast);
  }
}

const content = "x".repeat(20_000);
const bench = await CheckoutBench.make(disk, { "a.txt": content, ".gitignore": ".env\n" });
const { root } = bench;
const tidy = async () => ({
  picture: JSON.stringify(await pictureOf(root)),
  fsck: await gitIn(root, "fsck", "--no-dangling"),
});
const before = await tidy();

const make = await whenFull(() => bench.make());
const left = readdirSync(disk).includes("checkouts") ? readdirSync(bench.directory) : [];
const { checkout } = await bench.make();

await writeFiles(checkout.path, { "a.txt": `${content}alice's\n`, "b.txt": content });
const keep = await whenFull(() => bench.checkouts.keep(alice));
const kept = await bench.checkouts.keep(alice);
if (!kept) throw new Error("Nothing was kept");

const landings = await LandingBench.open(root);
await landings.landings.take({ member: alice, ...kept });
const land = await whenFull(async () => (await landings.run())[0]);
const { warnings } = landings;
const [waiting] = await landings.landings.list();
if (waiting?.reason) await landings.landings.move(waiting, { state: "taken", approved: true });
const [landed] = await landings.run();
const untouched = JSON.stringify(await tidy()) === JSON.stringify(before);

const files = await pictureOf(root);
const brought = await whenFull(() => bring(root));
const stays = JSON.stringify(await pictureOf(root)) === JSON.stringify(files);
const done = await bring(root);
const status = await gitIn(root, "status", "--porcelain");
console.log(
  JSON.stringify({
    ...{ make, left, keep, land, warnings, landed: landed?.state, untouched },
    ...{ brought, stays, done: done.type, status },
  }),
);
