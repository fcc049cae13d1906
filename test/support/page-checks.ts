import type { Page } from "playwright-core";
import { z } from "zod";

const AxTree = z.object({
  nodes: z.array(
    z.object({
      ignored: z.boolean(),
      role: z.object({ value: z.string() }).optional(),
      name: z.object({ value: z.string() }).optional(),
    }),
  ),
});

const controls = new Set([
  ...["button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "listbox"],
  ...["option", "tab", "menuitem", "DisclosureTriangle", "dialog", "log", "region"],
]);

/** The controls that a screen reader has no word for, as the browser itself tells it. */
export async function namelessControls(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = AxTree.parse(await session.send("Accessibility.getFullAXTree"));
  await session.detach();
  return nodes
    .filter(({ ignored, role }) => !ignored && controls.has(role?.value ?? ""))
    .filter(({ name }) => (name?.value ?? "").trim() === "")
    .map(({ role }) => role?.value ?? "");
}

/** Texts that stand out too little from what is behind them: below 4.5 to 1, or 3 to 1 for large ones. */
export function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${findFaintTexts})()`);
}

/** Counts how much moves by itself, from the first moment of the next page that is opened. */
export async function countShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries()) {
        const moved = sources.map(({ node }) => node?.className || node?.nodeName);
        if (!hadRecentInput) globalThis.shifts.push({ value, moved });
      }
    }).observe({ type: "layout-shift", buffered: true });
  `);
}

const Shifts = z.array(z.object({ value: z.number(), moved: z.array(z.string().nullish()) }));

/** What has moved by itself since the last call. */
export async function takeShifts(page: Page): Promise<z.infer<typeof Shifts>> {
  return Shifts.parse(await page.evaluate("globalThis.shifts.splice(0)"));
}

/** In the page: colours are turned into numbers by painting them. */
const findFaintTexts = `() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const painted = (colors) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255).map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const colors = [];
    for (let at = element; at; at = at.parentElement) colors.unshift(getComputedStyle(at).backgroundColor);
    return ["white", ...colors];
  };
  const texts = [...document.querySelectorAll("body *")].filter((element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "") &&
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !element.closest(":disabled, [aria-disabled=true], .hidden, .unseen, svg, option"));
  return texts.flatMap((element) => {
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const back = behind(element);
    const pair = [luminance(painted([...back, color])), luminance(painted(back))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    const size = parseFloat(fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
    if (ratio >= (isLarge ? 3 : 4.5)) return [];
    return [ratio.toFixed(2) + " " + element.className + " " + element.textContent.slice(0, 40)];
  });
}`;
