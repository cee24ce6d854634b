"""Makes the pages of docs/ and those at the top of the repository one site.

The pages are written for readers of the repository. Here a link to another page stays in the site, and one to anything else, such as a
sample, goes to the repository. A link to what does not exist fails the build.
"""
import logging
import pathlib
import posixpath
import re

from mkdocs.structure.files import File, InclusionLevel

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOG = logging.getLogger("mkdocs.hooks.links")
PAGES = {"README.md": "index.md"} | {
    name: name.lower() for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md")}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.M | re.S)


def on_files(files, config):
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    for decision in sorted((ROOT / "docs").glob("decisions/[0-9]*.md")):
        files.get_file_from_path(f"decisions/{decision.name}").inclusion = InclusionLevel.NOT_IN_NAV
    return files


def on_page_markdown(markdown, page, config, files):
    sources = {site: source for source, site in PAGES.items()}
    source = sources.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def link(found):
        path, hash_, anchor = found[2].partition("#")
        if re.match(r"[a-z]+:", path) or not path:
            return found[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if not (ROOT / target).exists():
            LOG.warning("%s links to %s, which does not exist", source, target)
        here = posixpath.dirname(page.file.src_uri)
        if target == "docs/decisions":
            target = "docs/decisions/README.md"
        if target in PAGES:
            path = posixpath.relpath(PAGES[target], here or ".")
        elif target.startswith("docs/"):
            path = posixpath.relpath(target.removeprefix("docs/"), here or ".")
        else:
            path = f"{config.repo_url.rstrip('/')}/blob/main/{target}"
        return f"{found[1]}{path}{hash_}{anchor}{found[3]}"

    parts = CODE.split(markdown)
    # A link's text may be code: links are searched in the text with the code masked, and code put back.
    masked, codes = [], []
    for index, part in enumerate(parts):
        if index % 2:
            codes.append(part)
            masked.append(f"\0{len(codes) - 1}\0")
        else:
            masked.append(part)
    text = LINK.sub(link, "".join(masked))
    return re.sub(r"\0(\d+)\0", lambda number: codes[int(number[1])], text)
