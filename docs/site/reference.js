// Applies the book's light or dark setting, which is stored under "/" (extra.scope of mkdocs.yml). If no setting is
// stored, the system's setting applies.
const choice = JSON.parse(localStorage.getItem("/.__palette"));
if (choice) document.documentElement.classList.add(choice.color.scheme === "slate" ? "dark-mode" : "light-mode");

// Landmarks and names for screen readers, which Doxygen's pages lack.
const roles = { "#top": "banner", "#doc-content": "main", "#side-nav": "navigation", "#main-nav": "navigation", "#nav-path": "contentinfo" };
addEventListener("load", () => {
  for (const [place, role] of Object.entries(roles)) document.querySelector(place)?.setAttribute("role", role);
  document.querySelector("#main-nav")?.setAttribute("aria-label", "Menu");
  document.querySelector("#side-nav")?.setAttribute("aria-label", "Pages");
  const nameSearch = () => document.querySelectorAll("#MSearchField").forEach((field) => field.setAttribute("aria-label", "Search"));
  nameSearch();
  new MutationObserver(nameSearch).observe(document.body, { childList: true, subtree: true });  // the menu moves the field
  const title = document.querySelector(".headertitle .title, #projectname");
  title?.setAttribute("role", "heading");
  title?.setAttribute("aria-level", "1");
  if (!document.querySelector("h2")) {  // in the indexes, h3 follows the title
    for (const letter of document.querySelectorAll("h3")) letter.setAttribute("aria-level", "2");
  }
  for (const block of document.querySelectorAll("pre")) block.tabIndex = 0;  // may scroll on a phone
  for (const icon of document.querySelectorAll("a > .icondoc")) icon.parentElement.setAttribute("aria-label", "Source");
});
