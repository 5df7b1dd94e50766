#!/usr/bin/python3
"""docs/site/pdf.py FOLDER: prints the built book as FOLDER/gradus.pdf, and the Chinese book as FOLDER/zh/gradus.pdf.

Chromium prints all chapters as one page, with bookmarks and links. The book is printed twice: the first print determines the
page numbers in the table of contents.
"""

import base64
import io
import pathlib
import sys

import pypdf

from browser import browser, emulate, served

BOOKS = {"": ("gradus", "A book about attention, in C++"), "zh/": ("gradus", "用 C++ 讲注意力的一本书")}
HERE = pathlib.Path(__file__).resolve().parent
ASSEMBLE = """
const [title, subtitle, math, done] = arguments;
(async () => {
  const pages = await onePage(title, subtitle);
  const script = document.createElement("script");
  const drawn = new Promise((resolve, reject) => Object.assign(script, {onload: resolve, onerror: reject}));
  script.src = math;
  document.body.append(script);
  await drawn;
  await document.fonts.ready;
  await Promise.all([...document.images].map(image => image.decode().catch(() => 0)));
  return {
    pages,
    wrong: [...document.querySelectorAll(".katex-error")].map(formula => formula.title)
      .concat([...document.querySelectorAll(".arithmatex:not(:has(.katex))")].map(formula => `not drawn: ${formula.textContent}`))
      .concat([...document.images].filter(image => !image.naturalWidth).map(image => `no picture ${image.src}`))
      .concat([...document.querySelectorAll("a[href^='#']")].map(link => link.getAttribute("href").slice(1))
        .filter(id => id && !document.getElementById(id)).map(id => `no target ${id}`)),
  };
})().then(done, error => done({wrong: [String(error.stack)]}));
"""
NUMBER = """
document.querySelectorAll(".book-number").forEach((place, at) => { place.textContent = arguments[0][at]; });
"""


def printed(driver):
    done = driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True,
                                                      "generateDocumentOutline": True, "generateTaggedPDF": True})
    return base64.b64decode(done["data"])


def chapters_in(pdf):
    """The page number of each chapter, from the PDF's bookmarks."""
    reader = pypdf.PdfReader(io.BytesIO(pdf))
    return [reader.get_destination_page_number(entry) + 1 for entry in reader.outline if not isinstance(entry, list)]


def print_book(driver, address, language):
    title, subtitle = BOOKS[language]
    driver.get(f"{address}/{language}terms.html")  # any page that has the navigation
    driver.execute_script((HERE / "one_page.js").read_text() + "\nwindow.onePage = onePage;")
    found = driver.execute_async_script(ASSEMBLE, title, subtitle, f"{address}/assets/math.js")
    if found["wrong"]:
        sys.exit("pdf: " + "\n".join(found["wrong"]))
    numbers = chapters_in(printed(driver))
    if len(numbers) != len(found["pages"]):
        sys.exit(f"pdf: the book has {len(found['pages'])} chapters, but the PDF has {len(numbers)} bookmarks; "
                 "each page of the book needs one first-level heading")
    driver.execute_script(NUMBER, numbers)
    pdf = printed(driver)
    if chapters_in(pdf) != numbers:
        sys.exit("pdf: the contents moved the chapters")
    return pdf


def check_sheet(driver, address, language):
    """Checks that the printed cheat sheet fits on one page."""
    driver.get(f"{address}/{language}cheat-sheet.html")
    driver.execute_async_script("document.fonts.ready.then(arguments[arguments.length - 1])")
    pages = len(pypdf.PdfReader(io.BytesIO(printed(driver))).pages)
    if pages != 1:
        sys.exit(f"pdf: {language}cheat-sheet.html takes {pages} pages, and must fit on one; see print.css")


def main(folder):
    with served(folder) as address, browser() as driver:
        emulate(driver, "light")
        for language in BOOKS:
            check_sheet(driver, address, language)
            path = folder / language / "gradus.pdf"
            path.write_bytes(print_book(driver, address, language))
            print(f"The book: {path}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve())
