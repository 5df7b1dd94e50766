import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes the part `clip` of a page, { x, y, width, height }, to a WebP file. */
export async function screenshot(tab, file, clip) {
  const chrome = await tab.context().newCDPSession(tab);
  const { data } = await chrome.send("Page.captureScreenshot", {
    format: "webp", quality: 80, clip: { ...clip, scale: 1 }, captureBeyondViewport: true });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, Buffer.from(data, "base64"));
}
