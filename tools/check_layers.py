#!/usr/bin/env python3
"""Checks that no room includes a higher one: the table below is the house plan of docs/architecture.md.

Prints each include that breaks it and exits with 1, or prints a count and exits with 0.
"""
import pathlib
import re
import sys

# Room -> (level, rooms that its files may include besides itself). Level 0 is the lowest.
ROOMS = {
    "base": (0, []),
    "tensor": (1, ["base"]),
    "parallel": (1, ["base"]),
    "text": (1, ["base"]),
    "kernels": (2, ["base", "tensor", "parallel"]),
    "checkpoint": (2, ["base", "tensor", "parallel"]),
    "picture": (3, ["base", "tensor", "parallel", "kernels", "checkpoint"]),
    "model": (3, ["base", "tensor", "parallel", "kernels", "checkpoint"]),
    "engine": (4, ["base", "tensor", "parallel", "kernels", "checkpoint", "text", "picture", "model"]),
    "api": (5, ["base", "tensor", "parallel", "text", "picture", "engine"]),
    "hub": (5, ["base", "tensor", "parallel", "checkpoint"]),
    "server": (6, ["base", "tensor", "parallel", "text", "picture", "engine", "api", "hub"]),
    "page": (7, ["server"]),
    "cli": (8, None),  # everything
}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def faults_of(path: pathlib.Path, src: pathlib.Path) -> list[str]:
    """Returns a line for each include of `path` that its room may not have."""
    room = path.relative_to(src).parts[0]
    if room not in ROOMS:
        return [f"{path}: room '{room}' is not in the table"]
    allowed = ROOMS[room][1]
    faults = []
    for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
        other = target.split("/")[0]
        if other not in ROOMS:  # a library in quotes (gtest, hwy)
            if (src / target).exists():
                faults.append(f"{path}: includes {target}, whose room is not in the table")
            continue
        if other != room and allowed is not None and other not in allowed:
            faults.append(f"{path}: room '{room}' may not include {target}")
    return faults


def table_faults() -> list[str]:
    """Returns a line for each entry of the table itself that points upwards."""
    return [
        f"table: '{room}' may include '{other}', which is not lower"
        for room, (level, allowed) in ROOMS.items()
        for other in allowed or []
        if ROOMS[other][0] > level or (ROOMS[other][0] == level and room in (ROOMS[other][1] or []))
    ]


def main() -> int:
    src = pathlib.Path(__file__).resolve().parent.parent / "src"
    files = sorted(p for p in src.rglob("*") if p.suffix in (".h", ".cc"))
    faults = table_faults() + [fault for path in files for fault in faults_of(path, src)]
    print("\n".join(faults) if faults else f"layers: {len(files)} files keep the house plan")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
