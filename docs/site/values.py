"""mkdocs hook: inlines the pictures of the library `plot` that have tooltips. In the page, values.js shows the value of the
part under the pointer, or of the part that the arrow keys selected. The colours follow the page's light or dark setting."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import pictures_chinese

PICTURES = pictures_chinese.PICTURES
LARGEST = 90_000  # bytes; larger pictures stay separate files, which keeps pages small
IMAGE = re.compile(r'<picture>.*?</picture>|<img (style="[^"]*" )?alt="([^"]*)" src="[^"]*?([\w-]+\.svg)" ?/?>', re.DOTALL)
DARK = "@media(prefers-color-scheme:dark){"
HINTS = {"en": "Point at a part of the picture, or select it and use the arrow keys, to read its value.",
         "zh": "把指针移到图上，或选中图片后按方向键，可以读出数值。"}


def has_values(text):
    return ' class="gp"' in text and "<title>" in text and len(text) <= LARGEST


def inlined(text, alternative, style, hint):
    """The picture `text` as an inline part of a page."""
    text = re.sub(r'aria-label="[^"]*"', lambda _: f'aria-label="{alternative}" tabindex="0"', text, count=1)
    text = text.replace("<svg ", f"<svg {style}", 1).replace(DARK, '[data-md-color-scheme="slate"]{', 1)
    return f'<span class="values">{text.strip()}<output>{hint}</output></span>'


def on_post_page(output, page, config):
    language = config["theme"]["language"]
    hint = HINTS[language]

    def image(match):
        picture = PICTURES / (match[3] or "")
        is_translated = language == "zh" and match[3] in pictures_chinese.shown()
        text = pictures_chinese.chinese(match[3]) if is_translated else picture.read_text() if picture.is_file() else ""
        return inlined(text, match[2], match[1] or "", hint) if has_values(text) else match[0]

    return IMAGE.sub(image, output)
