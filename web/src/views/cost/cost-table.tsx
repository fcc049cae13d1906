import type { Page } from "../../state/page.ts";
import { amountText } from "./amount-text.ts";
import type { Measure, Total } from "./spend.ts";

interface TableProps {
  page: Page;
  totals: readonly Total[];
  measure: Measure;
  nameColor(name: string): string;
  /** The colours of the chart. */
  barColor(name: string): string;
}

/** The usage of each member, with bars to compare. */
export function CostTable({ page, totals, measure, nameColor, barColor }: TableProps) {
  const most = Math.max(...totals.map((total) => total[measure]), 0);
  const sum = (key: "cost" | "tokens" | "unpricedCalls") =>
    totals.reduce((all, total) => all + total[key], 0);
  return (
    <table class="cost-table">
      <Headings />
      <tbody>
        {totals.map((total) => (
          <tr key={total.name}>
            <th scope="row">
              <button
                type="button"
                style={{ color: nameColor(total.name) }}
                onClick={() => page.go({ view: "member", name: total.name })}
              >
                {total.name}
              </button>
            </th>
            <td class="cost-bar-cell">
              <Bar part={most > 0 ? total[measure] / most : 0} color={barColor(total.name)} />
            </td>
            <Figures cost={total.cost} tokens={total.tokens} unpricedCalls={total.unpricedCalls} />
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Total</th>
          <td class="cost-bar-cell" />
          <Figures cost={sum("cost")} tokens={sum("tokens")} unpricedCalls={sum("unpricedCalls")} />
        </tr>
      </tfoot>
    </table>
  );
}

function Headings() {
  return (
    <thead>
      <tr>
        <th scope="col">Member</th>
        <th scope="col" class="cost-bar-cell">
          <span class="hidden">Share</span>
        </th>
        <th scope="col">Cost</th>
        <th scope="col">Tokens</th>
        <th scope="col">Unknown price</th>
      </tr>
    </thead>
  );
}

function Bar({ part, color }: { part: number; color: string }) {
  return (
    <span class="cost-bar" aria-hidden="true">
      <span style={{ width: `${part * 100}%`, background: color }} />
    </span>
  );
}

function Figures({ cost, tokens, unpricedCalls }: Omit<Total, "name">) {
  const isUnknown = cost === 0 && unpricedCalls > 0;
  return (
    <>
      <td>{isUnknown ? "no price" : amountText(cost, "cost")}</td>
      <td>{tokens.toLocaleString("en")}</td>
      <td>
        {unpricedCalls === 0 ? "–" : `${unpricedCalls} ${unpricedCalls === 1 ? "call" : "calls"}`}
      </td>
    </>
  );
}
