/** Leaves `count` numbered messages of the person: `mail-sender.ts <root> <to> <label> <count>`. */
import { viewTeam } from "../../../support/team.ts";

const [root = "", to = "", label = "", count = "0"] = process.argv.slice(2);
const team = viewTeam(root);
for (let number = 0; number < Number(count); number++) await team.send(to, `${label}-${number}`);
