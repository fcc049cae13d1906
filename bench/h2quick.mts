import { temporaryDirectory } from "/work/main/src/testing/temporary-directory.ts";
import { measureCrowd } from "/work/main/bench/dashboard/crowd.ts";
import { openWorkbench } from "/work/main/bench/dashboard/workbench.ts";
await using directory = await temporaryDirectory();
const w = await openWorkbench(directory.path);
console.log(JSON.stringify(await measureCrowd(w), null, 1));
