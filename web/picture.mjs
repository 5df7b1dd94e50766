#!/usr/bin/env node
// Takes the pictures of Play for docs/play.md, in English and in Chinese: docs/pictures and docs/zh/pictures, play*.webp.
// Needs ./run web and chromium.

import path from "node:path";

import { screenshot } from "./screenshot.mjs";
import { browser, defaults, root, serve, toHash } from "./tests/support.mjs";

const settings = toHash({ ...defaults(), steps: 400 }, "3 1 4 1 5 9 2 6");
const server = await serve(), chromium = await browser();

/** Puts the numbers of docs/play.md at the elements that the selectors find: left of a section, in the empty corner of a heatmap. */
const badges = (numbers) => {
  document.querySelectorAll(".badge").forEach((badge) => badge.remove());
  for (const [number, selector] of Object.entries(numbers)) {
    const badge = document.createElement("div"), element = document.querySelector(selector);
    const { left, top } = element.getBoundingClientRect(), beside = element.tagName === "svg" ? 0 : 15;
    badge.className = "badge";
    badge.textContent = number;
    Object.assign(badge.style, {
      position: "absolute", left: `${left + scrollX - beside}px`, top: `${top + scrollY}px`, width: "24px", borderRadius: "12px",
      background: "#1d2327", color: "#fff", font: "bold 15px/24px sans-serif", textAlign: "center" });
    document.body.append(badge);
  }
};

/** Writes the page from the top of the element `first` to the bottom of `last`, as wide as the element `columns`. */
async function picture(tab, file, numbers, columns, first, last) {
  await tab.evaluate(badges, numbers);
  const box = (selector) => tab.locator(selector).boundingBox();
  const [wide, top, bottom] = [await box(columns), await box(first), await box(last)];
  await screenshot(tab, file, { x: wide.x - 16, y: top.y, width: wide.width + 22, height: bottom.y + bottom.height - top.y + 6 });
}

for (const [language, folder] of [["en", "docs/pictures"], ["zh", "docs/zh/pictures"]]) {
  const tab = await chromium.newPage({ viewport: { width: 920, height: 1600 }, colorScheme: "light", deviceScaleFactor: 1.5 });
  await tab.goto(`${server.address}?lang=${language}${settings}`);
  await tab.click("#start:enabled");
  await tab.waitForSelector("#start:disabled", { timeout: 600000 });
  await picture(tab, path.join(root, folder, "play.webp"),
                { 1: ".pair > section:nth-of-type(1)", 2: ".pair > section:nth-of-type(2)", 3: ".pictures > section",
                  6: "fieldset:nth-of-type(3) details", 7: ".settings" }, ".columns", "#controls", "fieldset:nth-of-type(3) details");
  await tab.setViewportSize({ width: 1120, height: 1600 });
  await tab.click("#models [data-t='2'][data-j='5']");
  await tab.waitForSelector(".inside:not([hidden])");
  await picture(tab, path.join(root, folder, "play_inside.webp"), { 4: "#models .heatmap svg", 5: ".inside" },
                ".pictures", "#models", ".inside");
  await tab.close();
}
await chromium.close();
await server.close();
