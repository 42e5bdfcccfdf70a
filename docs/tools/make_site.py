"""Build the documentation site: ``python docs/tools/make_site.py`` (or ``make site``) writes ``build/site``.

The pages are those of ``docs/``, which also read well as they are in a checkout. This script only prepares them: it
writes the reference of the public functions and results from the package itself, turns the formulas of the measures
into MathML, which browsers show without any script, and separates the languages: English pages stand at the root,
Chinese ones under ``zh/``. Zensical then builds the site; any warning of it, and any dead link, fails the build.
Nothing is fetched: the site works without a network.
"""

from __future__ import annotations

import html
import importlib
import inspect
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote

from latex2mathml.converter import convert

import rankmeter
from rankmeter.measures import REGISTRY
from rankmeter.measures.prose import prose_file
from rankmeter.wings import is_there, table, wing_of

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BUILD = ROOT / "build"
REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"]
LANGUAGES = {"en": "English", "zh": "中文"}

SECTIONS: dict[str, tuple[str, list[str]]] = {
    "Start": ("开始", ["index.md", "tutorial.md"]),
    "For you": ("按身份", [f"for/{who}.md" for who in ("search", "rag", "recommender", "analyst", "student")]),
    "How to": ("操作指南", ["how-to/*.md"]),
    "Worked examples": ("手算示例", ["examples/*.md"]),
    "Reference": (
        "参考",
        [
            "reference/measures.md",
            "reference/measures/*.md",
            "reference/conventions.md",
            "reference/api.md",
            "reference/api-*.md",
            "dialects.md",
            "sources.md",
        ],
    ),
    "Statistics": ("统计", ["statistics.md", "online.md"]),
    "Decisions": ("设计取舍", ["decisions/*.md"]),
    "Project": ("项目", ["design.md", "performance.md", "contributing.md", "security.md", "changelog.md"]),
    "Wings": ("各部分的结构", ["wings/*.md", "wings/*/*.md"]),
}
"""The parts of the site with their Chinese names; a pattern stands for the pages that match it, README first."""

OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md"}
"""Pages that stand in the root of the repository, where people look for them."""

API: dict[str, tuple[str, str, list[str]]] = {
    "reference/api.md": ("Functions and results", "函数与结果", ["rankmeter"]),
    "reference/api-online.md": ("Functions and results: what users did", "函数与结果：线上", ["rankmeter.online"]),
    "reference/api-others.md": (
        "In tests, in training, under other names",
        "测试、训练与其他工具的接口",
        [
            "rankmeter.testing", "rankmeter.torch", "rankmeter.compat.pytrec_eval", "rankmeter.compat.ir_measures",
            "rankmeter.compat.sentence_transformers", "rankmeter.compat.rank_eval", "rankmeter.compat.trackers",
            "rankmeter.demo",
        ],
    ),
}  # fmt: skip
"""The pages of the reference that are written from the package, with the modules whose public names each describes."""

INNER = ("arithmetic", "inputs", "late", "measures", "placing", "report", "showing", "wording")
"""Rooms whose classes are described only where they have a public name: nobody gets one to look at."""

ENGLISH = "> 本页只有英文版。\n\n"

LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
ROLE = re.compile(r":(?:func|class|meth|mod|attr|data|exc):<code[^>]*>(?P<path>~?[\w.]+)(?:\(\))?</code>")
CODE = re.compile(r"(?<=<code>)[^<]*(?=</code>)")
BLOCK = re.compile(r"(?P<before><pre[^>]*>(?:<span></span>)?)<code>(?P<code>.*?)</code>", re.DOTALL)
FORMULA = re.compile(r"^## (?P<name>\w+)\n(?P<before>.*?)```text\n(?P<formula>.*?)```\n", re.MULTILINE | re.DOTALL)


def main() -> int:
    """Prepare both languages and build each."""
    shutil.rmtree(BUILD / "site", ignore_errors=True)
    for language in LANGUAGES:
        made = build(language, pages_in(language), BUILD / f"site-{language}")
        if made is None:
            return 1
        made.rename(BUILD / "site" / ("zh" if language == "zh" else ""))
    without_roles(BUILD / "site")
    without_counts(BUILD / "site")
    with_breaks(BUILD / "site")
    with_twins(BUILD / "site")
    with_copies(BUILD / "site")
    if dead := list(dead_links(BUILD / "site")):
        print("dead links:", *dead, sep="\n  ")
        return 1
    print(f"the site is in {BUILD / 'site'}; to look at it: python -m http.server -d {BUILD / 'site'}")
    return 0


def build(language: str, pages: dict[str, str], source: Path, *, strict: bool = True) -> Path | None:
    """Build the site of one language in a folder, and say where it is; None where Zensical warns, if ``strict``."""
    shutil.rmtree(source, ignore_errors=True)
    for name, text in pages.items():
        page = source / "docs" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(with_math(name, linked(text, name, pages, language), language), encoding="utf-8")
    for folder in ("images", "reference/schema"):
        shutil.copytree(DOCS / folder, source / "docs" / folder)
    shutil.copy(DOCS / "site.css", source / "docs")
    config = source / "zensical.toml"
    config.write_text(configuration(language, pages), encoding="utf-8")
    command = [Path(sys.executable).with_name("zensical"), "build", *["--strict"] * strict, "--clean", "-f", config]
    if subprocess.run(command, check=False, cwd=source).returncode:
        return None
    definitions_first(source / "site", language)
    return source / "site"


def pages_in(language: str) -> dict[str, str]:
    """The text of every page by its name; in Chinese the English page where no other is there."""
    suffix = f".{language}.md"
    pages: dict[str, str] = {}
    for path in sorted(DOCS.rglob("*.md")):
        name = str(path.relative_to(DOCS))
        if not name.endswith(".zh.md"):
            translated = path.with_name(path.name.removesuffix(".md") + suffix)
            text = joined((translated if translated.exists() else path).read_text(encoding="utf-8"))
            pages[name] = text if language == "en" or translated.exists() else in_english(text)
    for outside, name in OUTSIDE.items():
        if (ROOT / outside).exists():
            text = (ROOT / outside).read_text(encoding="utf-8")
            pages[name] = text if language == "en" else in_english(text)
    return pages | api_pages(language)


def in_english(text: str) -> str:
    """A page for Chinese readers that only English has, which is said under its heading."""
    heading, _, rest = text.partition("\n\n")
    return f"{heading}\n\n{ENGLISH}{rest}"


def joined(text: str) -> str:
    """Lines of a Chinese paragraph without the blank that a browser would put between them; examples as they are."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    chinese = "[\u3001-\u303f\u4e00-\u9fff\uff00-\uffef]"
    parts[::2] = [re.sub(rf"(?<={chinese})\n *(?={chinese})", "", part) for part in parts[::2]]
    return "".join(parts)


def linked(text: str, name: str, pages: dict[str, str], language: str) -> str:
    """Turn links into those of the site: to the other language, to pages of the root, and to the repository's files."""

    def replaced(link: re.Match[str]) -> str:
        target, _, anchor = link["target"].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return link[0]
        anchor = f"#{anchor}" if anchor else ""
        base = DOCS if name not in OUTSIDE.values() else ROOT
        path = Path(os.path.normpath((base / name).parent / target)) if base == DOCS else ROOT / target
        return f"[{link['text']}]({address(path, name, pages, language)}{anchor})"

    return LINK.sub(replaced, text)


def address(path: Path, name: str, pages: dict[str, str], language: str) -> str:
    """Where the site, or the repository, has a file that a page links to."""
    here = Path(name).parent
    if path.is_relative_to(DOCS):
        inside = str(path.relative_to(DOCS))
        other = "zh" if inside.endswith(".zh.md") else "en"
        page = inside.removesuffix(".zh.md") + ".md" if other == "zh" else inside
        if page in pages:
            has_twin = (DOCS / page.replace(".md", ".zh.md")).exists()
            if other == language or not has_twin:
                return os.path.relpath(page, here)
            up = os.path.relpath(".", here)
            return f"{up}/{'zh/' if other == 'zh' else '../'}{html_of(page)}"
        if path.suffix != ".md":
            return os.path.relpath(inside, here)
    if path.name in OUTSIDE:
        return os.path.relpath(OUTSIDE[path.name], here)
    return f"{REPOSITORY}/blob/main/{path.relative_to(ROOT)}"


def html_of(page: str) -> str:
    """The file that a page becomes; a folder's README is its front page."""
    return page.removesuffix(".md").replace("README", "index") + ".html"


def with_math(name: str, text: str, language: str) -> str:
    """The reference of measures with its formulas as MathML, the plain text folded under them."""
    if not name.startswith("reference/measures/"):
        return text

    def shown(section: re.Match[str]) -> str:
        latex = tomllib.loads(prose_file(section["name"]).read_text(encoding="utf-8")).get("latex")
        if latex is None:
            return section[0]
        math = f"<div class='formula'>{convert(latex, display='block')}</div>"  # a phone is narrower than some
        label = {"en": "As plain text", "zh": "纯文本"}[language]
        folded = f"<details><summary>{label}</summary><pre>{section['formula']}</pre></details>"
        return f"## {section['name']}\n{section['before']}{math}\n{folded}\n"

    return FORMULA.sub(shown, text)


def api_pages(language: str) -> dict[str, str]:
    """The reference of every public function, of the results that they give, and of what results consist of."""
    homes = {kind.__name__: kind for module in modules() for kind in vars(module).values()
             if isinstance(kind, type) and kind.__module__ == module.__name__}  # fmt: skip
    pages: dict[str, str] = {}
    described: set[Any] = set()
    for page, (english, chinese, names) in API.items():
        there = [name for name in names if name not in table.MODULES or is_there(wing_of(table.MODULES[name]))]
        things = [thing for name in there for thing in public(importlib.import_module(name))]
        functions = [thing for thing in things if inspect.isfunction(thing)]
        results = [kind for kind in things if isinstance(kind, type) and not is_error(kind)]
        results += [kind for function in functions for kind in given(function, homes)]
        kinds = consisting_of(results, homes)
        errors = [thing for thing in things if is_error(thing)]
        titles = {"en": ("Functions", "Results and values", "Errors"), "zh": ("函数", "结果与值", "错误")}[language]
        parts = [f"# {english}" if language == "en" else f"# {chinese}\n\n{ENGLISH.rstrip()}"]
        for title, listed in zip(titles, (functions, kinds, errors), strict=True):
            new = [thing for thing in dict.fromkeys(listed) if thing not in described]
            described.update(new)
            parts += [f"## {title}"] * bool(new) + [f"::: {path_of(thing)}" for thing in new]
        pages[page] = "\n\n".join(parts) + "\n"
    return pages


def modules() -> Iterator[ModuleType]:
    """Every module of rankmeter that can be imported here: some need a library that ``make site`` does not install."""
    for found in pkgutil.walk_packages(rankmeter.__path__, "rankmeter."):
        if "cuda_" in found.name or found.name.endswith("__main__"):
            continue
        try:
            yield importlib.import_module(found.name)
        except ImportError as error:
            if (error.name or "").startswith("rankmeter"):  # a mistake of ours
                raise


def public(module: ModuleType) -> list[Any]:
    """What a module offers under its names, without the measures, which have a reference of their own."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]
    gone = {name for name, home in table.NAMES.items() if not is_there(wing_of(home))}
    things = [getattr(module, name) for name in names if not name.startswith("_") and name not in gone]
    return [thing for thing in things if not (isinstance(thing, type) and hasattr(thing, "tie_rules"))]


def is_error(thing: Any) -> bool:
    """Whether this is an exception or a warning."""
    return isinstance(thing, type) and issubclass(thing, Exception)


def path_of(thing: Any) -> str:
    """The dotted name of the place where something is defined."""
    return f"{thing.__module__}.{thing.__qualname__}"


def given(function: Any, homes: dict[str, type]) -> list[type]:
    """The classes of rankmeter that the type of what a function gives back names; a class has its name alone."""
    said = str(getattr(function, "__annotations__", {}).get("return", ""))
    return [homes[name] for name in re.findall(r"\w+", said) if name in homes]


def consisting_of(kinds: list[type], homes: dict[str, type]) -> list[type]:
    """Classes and, after them, those that their fields, properties and methods give, as far as people look at them."""
    found = dict.fromkeys(kinds)
    waiting = list(found)
    while waiting:
        kind = waiting.pop(0)
        for part in (part for base in kind.__mro__ for part in parts_of(base, homes)):
            room = part.__module__.split(".")[1]
            if part not in found and room not in INNER and not part.__name__.startswith("_") and not is_error(part):
                found[part] = None
                waiting.append(part)
    return list(found)


def parts_of(kind: type, homes: dict[str, type]) -> Iterator[type]:
    """What the public fields, properties and methods of a class give, without those that it inherits."""
    if not kind.__module__.startswith("rankmeter."):
        return
    for name, said in inspect.get_annotations(kind).items():
        if not name.startswith("_"):
            yield from (homes[word] for word in re.findall(r"\w+", str(said)) if word in homes)
    for name, member in vars(kind).items():
        inside = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(inside):
            yield from given(inside, homes)


def configuration(language: str, pages: dict[str, str]) -> str:
    """Zensical's configuration; JSON strings and lists are TOML's, too."""
    nav = []
    listed: set[str] = set()
    for section, (chinese, patterns) in SECTIONS.items():
        names = [name for pattern in patterns for name in matching(pattern, pages) if name not in listed]
        listed.update(names)
        if names:
            title = chinese if language == "zh" else section
            parts = ordered(names, pages) if section == "How to" else map(json.dumps, names)
            nav.append(f"{{ {json.dumps(title, ensure_ascii=False)} = [{', '.join(parts)}] }}")
    if lost := set(pages) - listed:
        raise SystemExit(f"these pages stand nowhere in the site: {', '.join(sorted(lost))}")
    alternate = "\n".join(
        f'[[project.extra.alternate]]\nname = "{word}"\nlang = "{code}"\nlink = "{front_page(language, code)}"'
        for code, word in LANGUAGES.items()
    )
    dark, light = {"en": ("Dark", "Light"), "zh": ("深色", "浅色")}[language]
    return f"""[project]
site_name = "rankmeter"
site_description = "Measures rankings and recommendations, and says which definition every number has"
repo_url = "{REPOSITORY}"
site_dir = "site"
docs_dir = "docs"
use_directory_urls = false
nav = [{", ".join(nav)}]
extra_css = ["site.css"]

[project.theme]
language = "{language}"
font = false
features = [
  "content.code.copy", "navigation.indexes", "navigation.top", "navigation.footer", "search.highlight", "toc.follow",
]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "{dark}"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "{light}"

{alternate}

[project.plugins.mkdocstrings.handlers.python]
paths = [{json.dumps(str(ROOT / "src"))}]

[project.plugins.mkdocstrings.handlers.python.options]
docstring_style = "numpy"
heading_level = 3
show_root_heading = true
show_root_full_path = false
show_source = false
merge_init_into_class = true
separate_signature = true
show_signature_annotations = true
filters = ["!^_", "^__getitem__$"]
extensions = ["unpack_typeddict"]
docstring_options = {{ warnings = false }}  # a test sees to parameters; unpacked ones are not known to the parser

[project.markdown_extensions]
admonition = {{}}
attr_list = {{}}
md_in_html = {{}}
tables = {{}}
toc.permalink = true
toc.slugify = {{ object = "pymdownx.slugs.slugify", kwds = {{ case = "lower" }} }}
pymdownx.details = {{}}
pymdownx.highlight.pygments_lang_class = true
pymdownx.inlinehilite = {{}}
pymdownx.superfences = {{}}
"""


def ordered(names: list[str], pages: dict[str, str]) -> Iterator[str]:
    """The pages of a section below the headings of its front page, in the order in which that lists them."""
    front, *others = names
    folder = str(Path(front).parent)
    yield json.dumps(front)
    for heading, _, rows in (part.partition("\n") for part in re.split(r"^## ", pages[front], flags=re.MULTILINE)[1:]):
        listed = [f"{folder}/{name}.md" for name in re.findall(r"\]\(([\w-]+)(?:\.zh)?\.md\)", heading + rows)]
        others = [name for name in others if name not in listed]
        there = [name for name in listed if name in pages]
        if there:
            yield f"{{ {json.dumps(heading.strip(), ensure_ascii=False)} = {json.dumps(there)} }}"
    if others:
        raise SystemExit(f"these pages are not listed in {front}: {', '.join(others)}")


class Addresses(HTMLParser):
    """The addresses that a page links to, and those that it has inside."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            if (name, tag) in {("href", "a"), ("src", "img")} and value:
                self.targets.append(value)


def dead_links(site: Path) -> Iterator[str]:
    """Links of the finished site, from both languages, that lead nowhere."""
    pages = {
        path: Addresses(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if path.name != "404.html"
    }
    for path, page in pages.items():
        for target in page.targets:
            file, _, anchor = target.partition("#")
            if "://" in target or target.startswith(("mailto:", "data:", "/")):
                continue
            goal = Path(os.path.normpath(path.parent / unquote(file))) if file else path
            if goal.is_dir():
                goal /= "index.html"
            if not goal.exists() or (anchor and goal in pages and unquote(anchor) not in pages[goal].anchors):
                yield f"{path.relative_to(site)} -> {target}"


def without_roles(site: Path) -> None:
    """Turn the roles of docstrings, which Markdown does not know, into links to the reference, or into plain names."""
    reference = [site / page.replace(".md", ".html") for page in API]
    anchors = {anchor: page.name for page in reference for anchor in ids_in(page)}
    named = {f"rankmeter.{name}": getattr(rankmeter, name) for name in rankmeter.__all__}
    homes = {name: path_of(thing) for name, thing in named.items() if hasattr(thing, "__qualname__")}

    def shown(role: re.Match[str]) -> str:
        target, name = role["path"].lstrip("~"), role["path"].lstrip("~")
        target = homes.get(target, target)
        if role["path"].startswith("~"):
            name = name.rpartition(".")[2]
        code = f"<code>{name}</code>"
        linked = target in anchors and here.name in anchors.values()
        return f'<a href="{anchors[target]}#{target}">{code}</a>' if linked else code

    for here in [*site.rglob("*.html"), *site.rglob("search*.json")]:
        text = here.read_text(encoding="utf-8")
        if (mended := ROLE.sub(shown, text)) != text:
            here.write_text(mended, encoding="utf-8")
        if left := re.search(r":(?:func|class|meth|mod|attr|data|exc|ref|doc|math):", mended):
            raise SystemExit(f"{here.relative_to(site)} shows a role as it is written: {mended[left.start() :][:80]}")


def definitions_first(site: Path, language: str) -> None:
    """Let the search find what a word means before the tables that only use it.

    The theme ranks a match in a title above one in a text, and equal ones in the order of the index: a measure is given
    its full title, a table of other tools' names loses it, and what is read for meaning stands first.
    """
    path = site / "search.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    elsewhere = {"en": "In other tools", "zh": "其他工具中的"}[language]
    for item in index["items"]:
        page = item["location"].partition("#")[0]
        name = re.sub("<[^>]*>", "", item["title"])
        if page.startswith("reference/measures/") and name in REGISTRY:
            title = tomllib.loads(prose_file(name).read_text(encoding="utf-8"))[language]["title"]
            item["title"] = f"{title} · {name}"
        elif page == "dialects.html" and (measure := re.search(r"[(（](\w+)[)）]$", name)):
            item["title"] = f"{elsewhere} {measure[1]}"
    index["items"].sort(key=lambda item: _standing(item["location"]))
    path.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")


FOUND = ("reference/measures/", "how-to/", "examples/", "tutorial", "for/", "reference/", "")
"""Where the search looks first, by the beginning of an address; the empty one stands for all others."""
FOUND_LAST = ("dialects.html", "changelog.html", "contributing.html", "design.html", "wings/", "reference/api")


def _standing(location: str) -> int:
    if location.startswith(FOUND_LAST):
        return len(FOUND)
    return next(place for place, start in enumerate(FOUND) if location.startswith(start))


def ids_in(page: Path) -> list[str]:
    """The places of a page that can be linked to."""
    return re.findall(r'id="([^"]+)"', page.read_text(encoding="utf-8"))


def with_breaks(site: Path) -> None:
    """Let a definition in a cell of a table, one long word, break behind its commas."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        cells = re.compile(r"(?<=<td>).*?(?=</td>)", re.DOTALL)
        broken = cells.sub(
            lambda cell: CODE.sub(lambda code: re.sub(r"(?<=[,(_])(?=\w)", "<wbr>", code[0]), cell[0]), text
        )
        page.write_text(broken, encoding="utf-8")


def without_counts(site: Path) -> None:
    """Ask GitHub nothing: the theme would fetch stars and releases whenever somebody opens a page."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(' data-md-component="source"', ""), encoding="utf-8")


def with_twins(site: Path) -> None:
    """Let the choice of language lead to the same page in the other language, not to the front page."""
    for page in site.rglob("*.html"):
        name = page.relative_to(site)
        plain = name.relative_to("zh") if name.parts[0] == "zh" else name
        text = page.read_text(encoding="utf-8")
        for language, twin in (("en", site / plain), ("zh", site / "zh" / plain)):
            link = f'href="{os.path.relpath(twin, page.parent)}" hreflang="{language}"'
            text = re.sub(rf'href="[^"]*" hreflang="{language}"', link, text)
        # The blank hides the links from the theme, which would ask for a sitemap beside every page.
        text = text.replace('<link rel="alternate" ', '<link rel="alternate " ')
        page.write_text(text, encoding="utf-8")


def with_copies(site: Path) -> None:
    """Let the button beside an example copy what is typed, without prompts and answers, as the theme allows."""

    def copied(block: re.Match[str]) -> str:
        lines = html.unescape(re.sub(r"<[^>]*>", "", block["code"])).splitlines()
        typed = [line[4:] for line in lines if line.startswith((">>>", "..."))]
        text = html.escape("\n".join(typed)).replace("\n", "&#10;")
        return f'{block["before"]}<code data-copy="{text}">{block["code"]}</code>' if typed else block[0]

    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(BLOCK.sub(copied, text), encoding="utf-8")


def front_page(language: str, other: str) -> str:
    """The address of a language's front page, as seen from that of another."""
    return f"{'./' if language == 'en' else '../'}{'zh/' if other == 'zh' else ''}index.html"


def matching(pattern: str, pages: dict[str, str]) -> list[str]:
    """The pages that a pattern names, a folder's README first."""
    names = sorted(name for name in pages if Path(name).match(pattern) and name.count("/") == pattern.count("/"))
    return sorted(names, key=lambda name: not name.endswith("README.md"))


if __name__ == "__main__":
    sys.exit(main())
