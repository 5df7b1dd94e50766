// Replaces a page by the whole book, for docs/site/pdf.py. math.js draws the formulas afterwards. Links within the book lead to
// its chapters. Links to pages outside it, such as source files, become text.
async function onePage(title, subtitle) {
  const links = [...document.querySelectorAll(".md-nav--primary :is(a.md-nav__link, .md-nav__link > a)[href]")].filter((link) => !link.hash);
  const root = new URL(document.querySelector(".md-header .md-logo").href);
  const folder = new URL(".", root).pathname;
  const isIn = (address) => address.pathname.startsWith(folder) && !/\/(api|zh)\//.test(address.pathname.slice(folder.length - 1));
  const addresses = [...new Set([root.href, ...links.map((link) => link.href)])].map((address) => new URL(address)).filter(isIn);
  const leftOut = /(CHANGELOG|CONTRIBUTING|RECIPES|SECURITY|api)\.html$/;
  const pages = addresses.filter((address) => !leftOut.test(address.pathname));
  const nameOf = (address) => address.pathname.slice(folder.length).replace(/\W+/g, "-");
  const titleOf = (link) => link.closest(".md-nav").querySelector(":scope > .md-nav__title").textContent.trim();
  const partOf = (link) => (link.matches(".md-nav__link") ? titleOf(link) : link.textContent.trim());  // else: the page of a section itself
  const parts = new Map(links.map((link) => [link.href, partOf(link)]));
  const names = new Map(pages.map((address) => [address.pathname, nameOf(address)]));

  const book = document.createElement("article");
  book.className = "md-content__inner md-typeset";
  const contents = document.createElement("ul");
  contents.className = "book-contents";
  const chapters = [];
  let part = title;
  for (const address of pages) {
    const text = await (await fetch(address)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const chapter = page.querySelector("article.md-content__inner");
    const name = names.get(address.pathname);
    for (const element of chapter.querySelectorAll(".headerlink, .md-source-file, .md-content__button, script, h1 ~ h1")) element.remove();
    for (const element of chapter.querySelectorAll("[id]")) element.id = `${name}--${element.id}`;
    for (const link of chapter.querySelectorAll("a[href]")) {
      const target = new URL(link.getAttribute("href"), address);
      if (target.origin !== address.origin) continue;
      if (!names.has(target.pathname)) link.replaceWith(...link.childNodes);
      else link.setAttribute("href", `#${names.get(target.pathname)}${target.hash ? `--${decodeURIComponent(target.hash.slice(1))}` : ""}`);
    }
    for (const image of chapter.querySelectorAll("img[src]")) image.src = new URL(image.getAttribute("src"), address).href;
    for (const source of chapter.querySelectorAll("source[srcset]")) source.srcset = new URL(source.getAttribute("srcset"), address).href;
    for (const details of chapter.querySelectorAll("details")) details.open = true;
    const section = document.createElement("section");
    section.className = "book-page md-typeset";
    section.id = name;
    section.append(...chapter.childNodes);
    chapters.push(section);
    if (parts.has(address.href) && parts.get(address.href) !== part) {
      part = parts.get(address.href);
      contents.append(Object.assign(document.createElement("li"), { className: "book-part", textContent: part }));
    }
    const heading = section.querySelector("h1");
    const entry = document.createElement("li");
    entry.innerHTML = `<a href="#${name}"></a><span class="book-number"></span>`;
    entry.firstChild.textContent = heading.textContent;
    contents.append(entry);
  }
  const cover = document.createElement("section");
  cover.className = "book-cover";
  cover.innerHTML = "<p></p><p></p>";
  cover.firstChild.style.fontSize = "40pt";
  cover.firstChild.textContent = title;
  cover.lastChild.textContent = subtitle;
  const list = document.createElement("section");
  list.className = "book-page";
  list.append(contents);
  book.append(cover, list, ...chapters);
  document.body.replaceChildren(book);
  document.body.className = "";
  document.title = title;
  return pages.map((address) => address.pathname.slice(folder.length));
}
