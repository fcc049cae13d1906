import { MemoryCronBook } from "../../src/crons/cron-book.ts";
import { testCronBook } from "../../src/testing/conformance/cron-book.ts";

testCronBook("MemoryCronBook", async () => ({
  book: new MemoryCronBook(),
  [Symbol.asyncDispose]: async () => {},
}));
