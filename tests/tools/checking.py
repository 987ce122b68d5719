# SPDX-License-Identifier: GPL-2.0-or-later
"""What checks of the tree share: files are read, and what is wrong is printed and counted."""
import os

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
failures = []


def check(good, words):
    if not good:
        failures.append(words)
        print(f"FAILED: {words}")


def write(folder, path, text):
    """Makes a file below the folder, and the folders between; returns its path."""
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def read(path):
    """A file of the tree; "" for one that is not there, which is wrong."""
    path = os.path.join(TOP, path)
    if not os.path.exists(path):
        check(False, f"there is no {path}")
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()
