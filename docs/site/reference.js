// The reference is light or dark as the reader has chosen for the book, which keeps the choice under "/" (extra.scope of mkdocs.yml),
// wherever the site lies; else as the system.
const choice = JSON.parse(localStorage.getItem("/.__palette"));
if (choice) document.documentElement.classList.add(choice.color.scheme === "slate" ? "dark-mode" : "light-mode");
