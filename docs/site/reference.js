// Applies the book's light or dark setting, stored under "/" (extra.scope of mkdocs.yml); without one, the system's applies.
const choice = JSON.parse(localStorage.getItem("/.__palette"));
if (choice) document.documentElement.classList.add(choice.color.scheme === "slate" ? "dark-mode" : "light-mode");
