// The language and the theme of a page, shared by Play and Check.

/** The language that the address names (?lang=zh), otherwise the browser's. */
export const language = (() => {
  const asked = new URLSearchParams(globalThis.location?.search ?? "").get("lang");
  return (asked ?? globalThis.navigator?.language ?? "en").startsWith("zh") ? "zh" : "en";
})();

/** Writes `words` into the elements with data-words. Sets the header's links and the theme. `book` is the book's address. */
export function translate(words, book) {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-words]")) element.textContent = words[element.dataset.words];
  document.title = `${words.title} · gradus`;
  const link = (id, address) => Object.assign(document.getElementById(id), { href: address });
  link("book", `${book}${language === "zh" ? "zh/" : ""}index.html`);
  link("other", `${document.getElementById("other").getAttribute("href")}?lang=${language}`);
  const change = link("language", `?lang=${language === "zh" ? "en" : "zh"}`);
  change.onclick = () => { change.href = change.href.replace(/#.*/, "") + location.hash; };
  const choice = JSON.parse(localStorage.getItem("/.__palette"));  // the book's theme, which docs/site/reference.js reads too
  if (choice) document.documentElement.dataset.theme = choice.color.scheme === "slate" ? "dark" : "light";
}
