/** Makes a checkout of the repository in the directory that is the one argument, and brings work to it. Prints both errors. */
import { dirname } from "node:path";
import { TeamError } from "../../../src/errors.ts";
import { CheckoutBench } from "../../support/checkouts.ts";
import { bring } from "../../support/landed.ts";

const [root = ""] = process.argv.slice(2);
const bench = new CheckoutBench({ root, directory: dirname(root) }, {});

async function failureOf(act: () => Promise<unknown>) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    const { code, message, hint } = error;
    return { code, message, hint };
  }
}

const make = await failureOf(() => bench.make());
const brought = await failureOf(() => bring(root));
console.log(JSON.stringify({ make, brought }));
