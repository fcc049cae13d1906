import { expect, test } from "vitest";
import { StatusReport } from "../../../src/team/members/status-report.ts";

function openReport() {
  const shown: string[] = [];
  const report = new StatusReport((status, detail) => {
    shown.push(detail === undefined ? status : `${status}: ${detail}`);
  });
  return { report, shown };
}

test("a status is reported when it or its detail changes, and again once the roster has another", () => {
  const { report, shown } = openReport();

  for (const detail of [undefined, undefined, "waiting", "waiting", undefined]) {
    report.show("working", detail);
  }
  report.show("idle", undefined);
  report.forget();
  report.show("idle", undefined);

  expect(shown).toEqual(["working", "working: waiting", "working", "idle", "idle"]);
});

test("while another model answers, that is said wherever there is nothing else to say", () => {
  const { report, shown } = openReport();

  report.changeModel("a/one", "b/two");
  report.showWorking("waiting");
  report.showWorking();
  report.changeModel("b/two", "c/three");
  report.changeModel("c/three", "a/one");

  expect(shown).toEqual([
    "working: b/two answers instead of a/one",
    "working: waiting",
    "working: b/two answers instead of a/one",
    "working: c/three answers instead of a/one",
    "working",
  ]);
});

test("after other models were set, a change between those before is not shown, and one of theirs is", () => {
  const { report, shown } = openReport();
  report.changeModel("a/one", "b/two");

  report.setModels("c/three,d/four");
  report.changeModel("b/two", "a/one");
  report.showWorking();
  report.changeModel("c/three", "d/four");

  expect(shown).toEqual([
    "working: b/two answers instead of a/one",
    "working",
    "working: d/four answers instead of c/three",
  ]);
});
