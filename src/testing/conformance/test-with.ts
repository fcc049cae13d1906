import { type TestContext, test } from "vitest";

/** Declares tests that each get a new fixture. */
export function testWith<Fixture extends AsyncDisposable>(open: () => Promise<Fixture>) {
  return (title: string, check: (fixture: Fixture, context: TestContext) => Promise<void>) =>
    test(title, async (context) => {
      await using fixture = await open();
      await check(fixture, context);
    });
}
