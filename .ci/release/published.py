#!/usr/bin/env python3
"""Looks at a folder that a release was deployed to.

Usage: published.py FOLDER VERSION LIST. Each artifact that LIST names, and no other, must be there: its pom, and for a jar the jar, its
sources and its Javadoc, each with a signature, and a software bill of materials. A pom must need no parent, must say what repositories ask for, and must
name a version for each dependency.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

POM = "{http://maven.apache.org/POM/4.0.0}"


def problems(folder, version, wanted):
    base = folder / "dev" / "sharding"
    there = {path.name for path in base.iterdir() if path.is_dir()}
    for name in sorted(there - wanted.keys()):
        yield f"{name} is published, and should not be"
    for name, kind in wanted.items():
        if name not in there:
            yield f"{name} is not published"
            continue
        files = {path.name for path in (base / name / version).iterdir()}
        stem = f"{name}-{version}"
        needed = [f"{stem}.pom"]
        if kind == "jar":
            needed += [f"{stem}.jar", f"{stem}-sources.jar", f"{stem}-javadoc.jar", f"{stem}-cyclonedx.json"]
        for file in needed:
            for one in (file, file + ".asc"):
                if one not in files:
                    yield f"{one} is missing"
        if f"{stem}.pom" in files:
            yield from (f"{stem}.pom {what}" for what in of_pom(base / name / version / f"{stem}.pom", kind))


def of_pom(path, kind):
    text = path.read_text()
    pom = xml.fromstring(text)
    if pom.find(POM + "parent") is not None:
        yield "needs a parent"
    for element in ("name", "description", "url", "licenses", "developers", "scm"):
        if pom.find(POM + element) is None:
            yield f"has no {element}"
    if "SNAPSHOT" in text:
        yield "names a SNAPSHOT"
    for dependency in pom.findall(f"{POM}dependencies/{POM}dependency"):
        name, found = dependency.findtext(POM + "artifactId"), dependency.findtext(POM + "version")
        if not found or re.search(r"\$\{", found):
            yield f"has no version for {name}"
        if dependency.findtext(POM + "scope") == "test":
            yield f"publishes the test dependency {name}"


def main(folder, version, listed):
    wanted = dict(line.split() for line in pathlib.Path(listed).read_text().splitlines() if line and not line.startswith("#"))
    found = list(problems(pathlib.Path(folder), version, wanted))
    print("\n".join(found), file=sys.stderr)
    print(f"{len(wanted)} artifacts", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
