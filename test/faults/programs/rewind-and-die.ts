import { FaultyFileSystem } from "../../support/faulty-file-system.ts";
import { ObedientTeam } from "../../support/obedient-team.ts";

/** Takes a team back to a prompt, and is killed at a change of the disk. */
const [directory = "", id = "", options = "{}", at = "1"] = process.argv.slice(2);
const die = () => process.kill(process.pid, "SIGKILL");
using faulty = await FaultyFileSystem.install();
// A part of a dead process may fail at any time.
process.on("uncaughtException", (thrown) => {
  if (!String(thrown).includes("The process is dead")) throw thrown;
  die();
});
const { error, hit } = await faulty.run(
  { type: "crash", at: Number(at), writtenShare: 0.5 },
  async () => {
    // What is dead can no longer change the disk; so it does no harm that it ends a moment later.
    setInterval(() => {
      try {
        faulty.assertAlive();
      } catch {
        die();
      }
    }, 1);
    const team = await new ObedientTeam(directory).open();
    await team.quiet();
    await team.rewind(id, JSON.parse(options));
    await team.close();
  },
);
if (hit) die();
if (error) throw error;
process.exit(0);
