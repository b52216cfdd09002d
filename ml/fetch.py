"""Fetches the permitted data into a cache: `fetch.py [measure]`.

Only what sources.tsv lists, in the versions that it names. `measure` adds the sets that are for measuring only.
POSTHOUSE_ML_CACHE names the cache; POSTHOUSE_ML_GIT a folder with git copies, `owner+name/repo`, that replace GitHub.
"""
import csv
import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile
import zipfile

CACHE = pathlib.Path(os.environ.get("POSTHOUSE_ML_CACHE", pathlib.Path.home() / ".cache/posthouse-ml"))
HERE = pathlib.Path(__file__).parent


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options).stdout


def archive(row, target):
    """Downloads a package of PyPI or npm and checks its hash."""
    target.mkdir(parents=True, exist_ok=True)
    if row["kind"] == "pypi":
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", target]
        run(*pip, f"{row['source']}=={row['version']}")
    else:
        run("npm", "pack", f"{row['source']}@{row['version']}", cwd=target)
    (path,) = [p for p in target.iterdir() if p.suffix in (".whl", ".tgz")]
    if hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
        raise SystemExit(f"{path.name} has another hash than sources.tsv")
    prefixes = tuple(row["files"].split())
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as file:
            file.extractall(target, [n for n in file.namelist() if n.startswith(prefixes)])
    else:
        with tarfile.open(path) as file:
            file.extractall(target, [m for m in file.getmembers() if m.name.startswith(prefixes)], filter="data")
    path.unlink()


def repository(row, target):
    """Takes files of one commit of a GitHub repository."""
    mirror = os.environ.get("POSTHOUSE_ML_GIT")
    git = pathlib.Path(mirror or CACHE / "git") / row["source"].replace("/", "+") / "repo"
    if not mirror and not git.exists():
        run("git", "clone", "-q", "--bare", "--filter=blob:none", f"https://github.com/{row['source']}", git)
    git = git / ".git" if (git / ".git").exists() else git
    show = lambda *words: run("git", f"--git-dir={git}", *words)
    for prefix in row["files"].split():
        for name in show("ls-tree", "-r", "--name-only", row["version"], prefix).decode().splitlines():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(show("show", f"{row['version']}:{name}"))


def main():
    wanted = {"train", "measure"} if "measure" in sys.argv else {"train"}
    for row in csv.DictReader(open(HERE / "sources.tsv", encoding="utf8"), delimiter="\t"):
        target = CACHE / row["name"]
        if row["use"] not in wanted or target.exists():
            continue
        print(f"{row['name']}: {row['source']} {row['version']} ({row['licence']})")
        (repository if row["kind"] == "github" else archive)(row, target)


if __name__ == "__main__":
    main()
