#!/usr/bin/env python3
"""Writes the software bill of materials of the binary: CycloneDX 1.5 in JSON, with every crate that is linked or used to build it.

    scripts/sbom.py [FILE]           writes the SBOM (default target/sbom/posthouse.cdx.json)
    scripts/sbom.py --check BINARY   checks that the SBOM names every crate whose sources a built binary mentions

The crates and features are those that cargo resolves for the release targets; checksums come from Cargo.lock. Crates that are
only used to build (build scripts, macros) have the scope "excluded". The same lock file gives the same SBOM.
"""

import json
import re
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "target/sbom/posthouse.cdx.json"
PACKAGE = "posthouse"
TARGETS = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]
# A panic message or a source location in the binary contains the path of the crate's sources.
SOURCE = re.compile(rb"registry/src/[^/\x00]+/([A-Za-z0-9_-]+?)-(\d+\.\d+\.\d+[0-9A-Za-z.+-]*)/")


def cargo(*arguments):
    done = subprocess.run(["cargo", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout


def tree(edges):
    """Returns the names and versions of the crates that the binary reaches by these edges."""
    found = set()
    for target in TARGETS:
        lines = cargo("tree", "--locked", "--package", PACKAGE, "--target", target, "--edges", edges,
                      "--prefix", "none", "--format", "{p}").splitlines()
        for line in filter(None, lines):
            name, version = line.split()[:2]
            found.add((name, version.removeprefix("v")))
    return found


def sbom():
    linked, used = tree("normal,no-proc-macro"), tree("normal,build")
    lock = {(one["name"], one["version"]): one for one in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]}
    missing = (linked | used) - set(lock)
    if missing:
        sys.exit(f"sbom: crates that Cargo.lock doesn't have: {sorted(missing)}")
    metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1"))
    about = {(one["name"], one["version"]): one for one in metadata["packages"]}
    references = {key: f"pkg:cargo/{key[0]}@{key[1]}" for key in lock}
    by_id = {one["id"]: (one["name"], one["version"]) for one in metadata["packages"]}
    needs = {by_id[node["id"]]: [by_id[other["pkg"]] for other in node["deps"]] for node in metadata["resolve"]["nodes"]}
    main = next(key for key in lock if key[0] == PACKAGE)
    reached = linked | used
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(sorted(map(list, reached))))}",
        "version": 1,
        "metadata": {"component": {
            "type": "application", "bom-ref": references[main], "name": "posthouse", "version": main[1],
            "purl": references[main], "licenses": [{"expression": about[main]["license"]}],
        }},
        "components": [component(about[key], references[key], lock[key], key in linked)
                       for key in sorted(reached) if key != main],
        "dependencies": [{"ref": references[key], "dependsOn": sorted(references[other] for other in set(needs[key]) & reached)}
                         for key in sorted(reached)],
    }


def component(about, reference, locked, is_linked):
    found = {"type": "library", "bom-ref": reference, "name": about["name"], "version": about["version"], "purl": reference,
             "scope": "required" if is_linked else "excluded"}
    if about["license"]:
        found["licenses"] = [{"expression": about["license"].replace("/", " OR ")}]
    if locked.get("checksum"):
        found["hashes"] = [{"alg": "SHA-256", "content": locked["checksum"]}]
    if about["repository"]:
        found["externalReferences"] = [{"type": "vcs", "url": about["repository"]}]
    return found


def check(made, binary):
    """Compares the linked crates with the paths of sources in a binary, which the linker put there."""
    linked = {(one["name"], one["version"]) for one in made["components"] if one["scope"] == "required"}
    seen = {(name.decode(), version.decode()) for name, version in SOURCE.findall(Path(binary).read_bytes())}
    if len(seen) < 20:
        sys.exit(f"sbom: {binary} mentions the sources of only {len(seen)} crates; build it without --remap-path-prefix")
    if seen - linked:
        sys.exit(f"sbom: crates in {binary} that the SBOM doesn't name: {sorted(seen - linked)}")
    print(f"sbom: names all {len(seen)} crates whose sources {binary} mentions")


def main():
    made = sbom()
    if sys.argv[1:2] == ["--check"]:
        return check(made, sys.argv[2])
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(made, indent=1) + "\n")
    linked = sum(one["scope"] == "required" for one in made["components"])
    print(f"{file}: {linked} crates in the binary, {len(made['components']) - linked} to build it")


main()
