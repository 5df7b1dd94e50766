// The reference is light or dark as the reader has chosen for the book, which keeps the choice under its path; else as the system.
const choice = JSON.parse(localStorage.getItem(new URL("..", location).pathname + ".__palette"));
if (choice) document.documentElement.classList.add(choice.color.scheme === "slate" ? "dark-mode" : "light-mode");
