"""mkdocs hooks: make a book in two languages from pages in the whole repository.

README.md and other pages stay in their places in the repository. Every other file or folder to which a page links gets its own
page in the book. Links are written for the repository, and converted to addresses in the book.
"""

import fnmatch
import json
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File, Files

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import pictures_chinese

KATEX = pathlib.Path("/usr/share/javascript/katex")
DOXYGEN = ROOT / "build" / "doxygen"
CHINESE = ROOT / "build" / "pictures_chinese"
PLAY = ROOT / "build" / "play"  # written by ./run web
PLAY_BUTTON = re.compile(r'^<a [^>]*play/(?:check/)?index\.html.*</a>\n\n', re.MULTILINE)
OUTSIDE_DOCS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "RECIPES.md", "SECURITY.md", "exercises/README.md", "exercises/[0-9]*/README.md"]
LINK = re.compile(r"(?<=\]\()([^)\s#:]+)((?:#[^)\s]*)?)(?=\))")
HTML_LINK = re.compile(r'(?<= )((?:src|srcset|href)=")([^"#:]+)(?=")')
SETTINGS = re.compile(r'<script id="__config" type="application/json">(.*?)</script>')  # the theme writes this on each page
CODE = re.compile(r"<code>([^<\n]+)</code>")  # inline code
CODE_AFTER_CHINESE = re.compile(r'(?<=[^\x00-\x7F（“])(?=<span class="whole"><code>)')
IN_DOCS = (".md", ".svg", ".webp")
PICTURE = re.compile(r'(?<=<img )(?=[^>]*src="[^"]*?([\w-]+\.(?:svg|webp))")')
SCREENSHOT = 800  # the width of a .webp picture in the page's pixels
RANGE = re.compile(r"\(-?[\d.]+(?: %)?(?:–| to )-?[\d.]+(?: %)?\)")
EMPTY_HEADER = re.compile(r"<th( [^>]*)?></th>")
SEARCH = '<div class="md-search" data-md-component="search" role="dialog"'  # the theme's markup, which lacks an accessible name
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def is_chinese(config):
    return config["theme"]["language"] == "zh"


def place(path):
    """The language of a repository file, and its path in the book."""
    if path.endswith(".zh-CN.md"):
        return "zh", path.replace(".zh-CN.md", ".md")
    if path.startswith("docs/zh/"):
        return "zh", path.removeprefix("docs/zh/")
    if path.startswith("docs/") and path.endswith(IN_DOCS):
        return "en", path.removeprefix("docs/")
    if any(fnmatch.fnmatch(path, pattern) for pattern in OUTSIDE_DOCS):
        return "en", path
    return "en", f"source/{path}/README.md" if (ROOT / path).is_dir() else f"source/{path}.md"


def address(language, path):
    """The address of a page or a picture, relative to the book's root."""
    path = re.sub(r"(^|/)README\.md$", r"\1index.html", path)
    return ("zh/" if language == "zh" else "") + re.sub(r"\.md$", ".html", path)


def repository_path(file):
    return pathlib.Path(file.abs_src_path).relative_to(ROOT).as_posix()


def target_of(link, path):
    """Returns the file or folder of the repository to which `link` leads from the page at `path`, or None if it does not exist.
    If a Chinese page links to a picture that on_files has written with Chinese labels, returns the path of that picture."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
    if not (ROOT / target).exists():
        return None
    is_translated = place(path)[0] == "zh" and posixpath.basename(target) in pictures_chinese.shown()
    return target.replace("docs/pictures/", "docs/zh/pictures/") if is_translated else target


# ---- Files ----


def file_of(place, source, config):
    """The file `source`, as the page at `place`."""
    file = File(place, str(ROOT), config["site_dir"], use_directory_urls=False)
    file.abs_src_path = str(source)
    return file


def assets():
    """Maps places in the book to sources, for style sheets, scripts and fonts that are not the theme's."""
    site = ROOT / "docs" / "site"
    katex = [KATEX / "katex.min.css", KATEX / "katex.min.js", *(KATEX / "fonts").glob("*.woff2")]
    return {**{f"assets/{name}": site / name for name in ("book.css", "print.css", "math.js", "scroll.js", "values.js")},
            **{f"assets/katex/{path.relative_to(KATEX)}": path for path in katex}}


def sources(pages):
    """Files and folders that get source pages: those to which pages link, and the public headers."""
    shown = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("*/include/gradus/**/*.hpp")}
    for path in pages:
        text = FENCED.sub("", (ROOT / path).read_text())
        shown |= {target_of(match[1], path) for match in LINK.finditer(text)} - {None}
    return {place(path)[1]: ROOT / path for path in shown if place(path)[0] == "en" and place(path)[1].startswith("source/")}


def on_files(files, config):
    theme = [file for file in files if ROOT not in pathlib.Path(file.abs_src_path).parents]
    there = {file.src_uri: pathlib.Path(file.abs_src_path) for file in files
             if file not in theme and file.src_uri.endswith(IN_DOCS)}
    if is_chinese(config):
        there |= {place(path.relative_to(ROOT).as_posix())[1]: path for pattern in OUTSIDE_DOCS
                  for path in ROOT.glob(pattern.replace(".md", ".zh-CN.md"))}
        CHINESE.mkdir(parents=True, exist_ok=True)
        for name in pictures_chinese.shown():
            there[f"pictures/{name}"] = CHINESE / name
            there[f"pictures/{name}"].write_text(pictures_chinese.chinese(name))
    else:
        there = {uri: path for uri, path in there.items() if not uri.startswith("zh/")}
        there |= {path.relative_to(ROOT).as_posix(): path for pattern in OUTSIDE_DOCS for path in ROOT.glob(pattern)}
    config["nav"] = list(listed(config["nav"], sorted(there), config))
    if not is_chinese(config):
        there |= sources([path.relative_to(ROOT).as_posix() for uri, path in there.items() if uri.endswith(".md")])
        there |= {f"{name}/{path.relative_to(folder)}": path for name, folder in (("api", DOXYGEN), ("play", PLAY))
                  for path in folder.rglob("*") if path.is_file()}
    return Files(theme + [file_of(uri, path, config) for uri, path in sorted((there | assets()).items())])


def listed(nav, pages, config):
    """The navigation with patterns replaced by the matching pages. In the Chinese book, English pages become addresses of the English book."""
    for entry in nav:
        title, value = next(iter(entry.items())) if isinstance(entry, dict) else (None, entry)
        if isinstance(value, list):
            if entries := list(listed(value, pages, config)):
                yield {title: entries}
        elif matching := fnmatch.filter(pages, value):
            yield from ({title: page} if title else page for page in matching)
        elif is_chinese(config) and title:
            yield {title: f"elsewhere:{address('en', value)}"}
        elif "*" not in value:
            yield value  # mkdocs reports missing pages


def on_page_read_source(page, config):
    """The text of a source page: the content of a file, or the list of a folder."""
    if not page.file.src_uri.startswith("source/"):
        return None
    source = pathlib.Path(page.file.abs_src_path)
    path = source.relative_to(ROOT).as_posix()
    if source.is_dir():
        names = sorted(entry.name + "/" * entry.is_dir() for entry in source.iterdir() if entry.name[0] not in "._")
        return f"# {path}/\n\n" + "".join(f"- `{name}`\n" for name in names)
    language = {".hpp": "cpp", ".toml": "toml", ".py": "python"}.get(source.suffix, source.suffix[1:] or "sh")
    title = re.sub(r"^\w+/include/", "", path)  # the title of a public header is its name in #include
    return f"# {title}\n\n~~~~~~ {language}\n{source.read_text()}\n~~~~~~\n"


# ---- Wide pictures ----


def wide(match):
    """Marks pictures whose text would be too small on a phone. book.css keeps them wide and makes them scroll."""
    picture = ROOT / "docs" / "pictures" / match[1]
    if picture.suffix == ".webp":
        width = SCREENSHOT
    else:
        width = picture.exists() and int(re.search(r'width="(\d+)', picture.read_text())[1])
    return f'style="--width-to-read: {0.7 * width:.0f}px" ' if width > 600 else ""


# ---- Line breaks ----


def whole(match):
    return f'<span class="whole">{match[0]}</span>'


def on_page_content(html, page, config, files):
    """Controls line breaks. Short code, hyphenated words in longer code, and ranges are unbreakable (book.css). Longer code may
    break after a slash. In Chinese, allows a break between punctuation and code ("，./run"), where browsers forbid a break."""

    def code(match):
        return whole(match) if len(match[1]) <= 32 else f"<code>{re.sub(r'[^ ]+', word, match[1])}</code>"

    def word(match):
        return whole(match) if "-" in match[0] and len(match[0]) <= 36 else match[0].replace("/", "/<wbr>")

    html = EMPTY_HEADER.sub(r"<td\1></td>", html)  # for screen readers: the corner of a table is not a header
    html = CODE_AFTER_CHINESE.sub("<wbr>", CODE.sub(code, html))
    return PICTURE.sub(wide, RANGE.sub(whole, html))


# ---- Links ----


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri == "README.md":
        page.meta["hide"] = ["navigation"]
    if page.file.src_uri.startswith("source/"):
        page.meta["hide"] = ["navigation", "toc"]
        return linked_entries(markdown, page, files) if page.file.name == "index" else markdown
    if not PLAY.exists():
        markdown = PLAY_BUTTON.sub("", markdown)
    elif page.file.src_uri == "README.md":
        markdown = with_play(markdown, config)
    path = repository_path(page.file)
    here = place(path)
    switch = rf"^\[\w+\]\({re.escape(counterpart(path))}\)\n\n"  # the README's language link; the book's switch replaces it
    markdown = re.sub(switch, "", markdown, count=1, flags=re.MULTILINE)

    def link(match):
        target = target_of(match[1], path)
        if target is None:
            built = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1]))
            in_english = is_chinese(config) and built.startswith("docs/api/")  # doxygen's pages are only in the English book
            return f"elsewhere:{built.removeprefix('docs/')}{match[2]}" if in_english else match[0]
        language, there = place(target)
        if language == here[0]:  # mkdocs checks the links between pages of one language
            return posixpath.relpath(there, posixpath.dirname(here[1])) + match[2]
        return f"elsewhere:{address(language, there)}{match[2]}"

    def html_link(match):
        target = target_of(match[2], path)
        return f"{match[1]}elsewhere:{address(*place(target))}" if target else match[0]

    parts = FENCED.split(markdown)
    parts[::2] = [HTML_LINK.sub(html_link, LINK.sub(link, part)) for part in parts[::2]]
    return "".join(parts)


def with_play(markdown, config):
    """Adds a button below the front page's picture. The button opens Play; no part of Play is loaded before."""
    words, page = ("在浏览器里训练它", "../play/index.html?lang=zh") if is_chinese(config) else ("Train it in your browser", "play/index.html")
    button = f'\n\n<a class="md-button md-button--primary" href="{page}">{words}</a>'
    return markdown.replace("</picture>", f"</picture>{button}", 1)


def linked_entries(listing, page, files):
    """The list of a folder, with links to the entries that have pages."""
    here, folder = page.file.src_uri, repository_path(page.file)

    def link(match):
        there = place(f"{folder}/{match[1].rstrip('/')}")[1]
        way = posixpath.relpath(there, posixpath.dirname(here))
        return f"[{match[0]}]({way})" if files.get_file_from_path(there) else match[0]

    return re.sub(r"(?<=^- )`(.+)`$", link, listing, flags=re.MULTILINE)


def named_search(output, config):
    return output.replace(SEARCH, f'{SEARCH} aria-label="{"搜索" if is_chinese(config) else "Search"}"', 1)


def on_post_template(output_content, template_name, config):
    """Gives the search of 404.html an accessible name."""
    return named_search(output_content, config)


def on_post_page(output, page, config):
    """Gives the search an accessible name. Resolves links that mkdocs cannot resolve; they are written as elsewhere:ADDRESS,
    where ADDRESS is in the book."""
    folder = posixpath.dirname(address("zh" if is_chinese(config) else "en", page.file.src_uri))
    output = named_search(output, config)
    if is_chinese(config):
        output = SETTINGS.sub(search_inside, output, count=1)
    return re.sub(r'"elsewhere:([^"#]*)', lambda match: f'"{posixpath.relpath(match[1], folder)}', output)


def search_inside(match):
    """Configures the Chinese search. Chinese has no spaces between words, and the theme would segment it as Japanese. Instead,
    the text between two punctuation marks or spaces counts as one word, and a query matches every word that contains it."""
    settings = json.loads(match[1])
    settings["translations"] |= {"search.config.lang": "en", "search.config.pipeline": "stopWordFilter"}
    # The + requires a word, and a * stands for any characters. The theme appends a * of its own to the query,
    # so the transform drops its last one.
    transform = r'query => query.trim().replace(/\S+/g, word => "+" + word.replace(/^[^\x00-\x7F].*/, "*$&*")).replace(/\*$/, "")'
    return (f"<script>var __search = {{transform: {transform}}}</script>\n"
            f'<script id="__config" type="application/json">{json.dumps(settings)}</script>')


def readable(text):
    """The text of a page for the search: omits display formulas, and writes inline formulas as letters."""
    text = re.sub(r"\\\[.*?\\\]", "…", text, flags=re.DOTALL)
    return re.sub(r"\\\((.*?)\\\)", lambda match: re.sub(r"\\(?:[^a-zA-Z]|(?=[a-zA-Z]))|[{}]", "", match[1]), text, flags=re.DOTALL)


def on_post_build(config):
    """Restricts the search to pages and public headers; other sources are not found. The Chinese search also finds pages that
    exist only in English."""
    index = pathlib.Path(config["site_dir"], "search", "search_index.json")
    found = json.loads(index.read_text())
    found["docs"] = [entry for entry in found["docs"] if re.match(r"(?!source/)|source/\w+/include/", entry["location"])]
    for entry in found["docs"]:
        entry["text"] = readable(entry["text"])
    if is_chinese(config):
        english = json.loads(pathlib.Path(config["site_dir"], "../search/search_index.json").read_text())["docs"]
        here = {entry["location"].partition("#")[0] for entry in found["docs"]}
        found["docs"] += [{**entry, "location": f"../{entry['location']}"} for entry in english
                          if entry["location"].partition("#")[0] not in here]
    index.write_text(json.dumps(found, ensure_ascii=False))


# ---- The other language ----


def counterpart(path):
    """The path that the page has in the other language, even if no such file exists."""
    if path.endswith(".zh-CN.md"):
        return path.replace(".zh-CN.md", ".md")
    if path.startswith("docs/"):
        return path.replace("docs/zh/", "docs/", 1) if path.startswith("docs/zh/") else path.replace("docs/", "docs/zh/", 1)
    return path.removesuffix(".md") + ".zh-CN.md"


def on_page_context(context, page, config, nav):
    """Sets the links of the language switch: to the same page in the other language or, if there is none, to the front page in
    that language."""
    here = repository_path(page.file)
    front = "README.md" if is_chinese(config) else "README.zh-CN.md"
    there = next((path for path in (counterpart(here), front) if (ROOT / path).is_file()), None)
    english, chinese = (there, here) if is_chinese(config) else (here, there)
    config["extra"]["alternate"] = there and [
        {"name": name, "lang": lang, "link": f"elsewhere:{address(*place(path))}"}
        for name, lang, path in (("English", "en", english), ("中文", "zh", chinese))]
    return context
