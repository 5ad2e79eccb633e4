"""Model files (`*.palm`): everything a trained tool needs, in one safetensors file.

A model is arrays, tables of strings and options; it holds no code, and reading one runs none. The file
is an ordinary safetensors file, whose metadata say what it is:

    format            "palmette"
    format_version    "1"; a higher number means a newer Palmette
    kind              what the model is: "tagger", "dependency parser", ...
    options           a JSON object
    strings           a JSON list of the tables of strings; table t is kept as arrays t.utf8 and t.offsets
    fingerprint       of the training data, or empty
    palmette_version  which wrote it

Loading maps the file into memory: its cost is that of the header and of checking the strings, whatever
the size of the arrays. The pages of an array are read when they are touched, and shared by all processes
that load the same model. A file must therefore not be shortened while it is in use; `save` never does
that, since it writes a new file and renames it.
"""

from __future__ import annotations

import mmap
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from palmette.errors import FormatError
from palmette.formats.files import Source, check_writable, is_standard, write_atomically
from palmette.formats.model.safetensors import Array, Buffer, read_arrays, write_arrays
from palmette.formats.model.strict_json import Json, dump_json, parse_json
from palmette.formats.model.strings import StringTable
from palmette.formats.registry import is_arpa

FORMAT_VERSION = 1

_FORMAT = "palmette"
_DAMAGED = "damaged model: "
_KIND = re.compile(r"[a-z][a-z0-9 -]{0,63}")
_VERSION = re.compile(r"[1-9][0-9]{0,8}")
_FINGERPRINT = re.compile(r"[0-9a-f]{64}|")


def fingerprint(*parts: bytes) -> str:
    """SHA-256 of the training data, in hexadecimal; of several parts, the SHA-256 of theirs in order.

    >>> fingerprint(b"abc")[:16]
    'ba7816bf8f01cfea'
    """
    import hashlib

    digests = [hashlib.sha256(part).hexdigest() for part in parts]
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class ModelFile:
    """The content of a model file.

    kind: what the model is, a noun in small letters ("tagger").
    options: whatever JSON can hold.
    arrays: numbers, at most 8 dimensions; read-only views onto the file when loaded.
    strings: tables of strings, each a list, or a `StringTable` when loaded.
    fingerprint: of the training data, from `fingerprint()`.
    palmette_version, format_version, path: who wrote the file, and how, and where it lies; set by loading.
    """

    kind: str
    options: Mapping[str, Json]
    arrays: Mapping[str, Array]
    strings: Mapping[str, Sequence[str]]
    fingerprint: str = ""
    palmette_version: str = ""
    format_version: int = FORMAT_VERSION
    path: str | None = None

    def save(self, path: Source) -> None:
        """Write the file beside `path` and rename it; the same content gives the same bytes."""
        check_target(path)
        with write_atomically(path) as file:
            self.write(file)

    def write(self, file: BinaryIO) -> None:
        """Write the content to a binary file."""
        if not _KIND.fullmatch(self.kind):
            raise ValueError(f"{self.kind!r} cannot be a kind of model: use small letters, as in 'tagger'")
        if not _FINGERPRINT.fullmatch(self.fingerprint):
            raise ValueError("a fingerprint is 64 hexadecimal digits, as fingerprint() gives them")
        arrays = dict(self.arrays)
        for name, strings in self.strings.items():
            table = strings if isinstance(strings, StringTable) else StringTable.of(strings)
            for part, array in zip(_parts(name), (table.utf8, table.offsets), strict=True):
                if part in arrays:
                    raise ValueError(f"array {part!r} has the name that table {name!r} needs: rename one")
                arrays[part] = array
        metadata = {
            "format": _FORMAT,
            "format_version": str(FORMAT_VERSION),
            "kind": self.kind,
            "options": dump_json(dict(self.options)),
            "strings": dump_json(sorted(self.strings)),
            "fingerprint": self.fingerprint,
            "palmette_version": self.palmette_version or _own_version(),
        }
        write_arrays(file, arrays, metadata)

    @classmethod
    def load(cls, path: Source, kind: str | None = None) -> ModelFile:
        """Map a model file into memory and check it; FormatError if it is not one, or not of that kind."""
        if is_standard(path):
            raise FormatError("a model cannot come from standard input: save it to a file", path="-")
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode):
            what = "a directory" if stat.S_ISDIR(mode) else "not an ordinary file"
            raise FormatError(f"{what}, and a model is an ordinary file", path=str(path))
        if is_arpa(path):
            palm = str(path).removesuffix(".gz").removesuffix(".arpa") + ".palm"
            raise FormatError(
                f"an ARPA file, not a model file: make one with palmette convert {path} {palm}",
                path=str(path),
            )
        with Path(path).open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                raise FormatError("an empty file, not a model", path=str(path))
            buffer = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return cls.from_buffer(buffer, kind, path=str(path))

    @classmethod
    def from_buffer(cls, buffer: Buffer, kind: str | None = None, path: str = "<memory>") -> ModelFile:
        """The model whose file content lies in a buffer; its arrays are views onto it."""
        arrays, metadata = read_arrays(buffer, path)
        _check_format(metadata, path)
        if not _KIND.fullmatch(metadata["kind"]):
            raise FormatError("damaged model: its kind is not a word", path=path)
        if kind is not None and metadata["kind"] != kind:
            raise FormatError(f"holds {with_article(metadata['kind'])}, not {with_article(kind)}", path=path)
        options, names = _options(metadata, path), _names(metadata, path)
        strings = {name: _table(name, arrays, path) for name in names}
        return cls(
            metadata["kind"],
            options,
            arrays,
            strings,
            metadata["fingerprint"],
            metadata["palmette_version"],
            int(metadata["format_version"]),
            path,
        )

    def array(self, name: str, dtype: DTypeLike, shape: Sequence[int | None]) -> Array:
        """The named array, if it is of that type and shape (None is any length); FormatError otherwise."""
        array = self.arrays.get(name)
        if array is None:
            raise self._error(f"this {self.kind} has no array {name!r}")
        if array.dtype != np.dtype(dtype):
            raise self._error(f"array {name!r} holds {array.dtype}, not {np.dtype(dtype)}")
        fits = len(shape) == array.ndim and all(
            want in (None, have) for want, have in zip(shape, array.shape)
        )
        if not fits:
            wanted = " × ".join("any" if n is None else f"{n:,}" for n in shape)
            raise self._error(f"array {name!r} has shape {array.shape}, not {wanted}")
        return array

    def indices(self, name: str, dtype: DTypeLike, shape: Sequence[int | None], limit: int) -> Array:
        """As `array`, and every item lies in 0 ≤ i < limit, so that native code may index with it."""
        array = self.array(name, dtype, shape)
        check_indices(array, limit, name, path=self.path)
        return array

    def boundaries(self, name: str, dtype: DTypeLike, last: int, rows: int | None = None) -> Array:
        """As `array` in one dimension, and it begins with 0, never falls and ends with `last`.

        So it cuts another array of that length into rows: row i is items[b[i]:b[i + 1]].
        """
        array = self.array(name, dtype, [None if rows is None else rows + 1])
        if not len(array) or array[0] != 0 or array[-1] != last or (array[1:] < array[:-1]).any():
            raise self._error(f"array {name!r} does not cut {last:,} items into rows")
        return array

    def table(self, name: str, length: int | None = None) -> Sequence[str]:
        """The named table of strings, if it is there and of that length."""
        strings = self.strings.get(name)
        if strings is None:
            raise self._error(f"this {self.kind} has no table of strings {name!r}")
        if length is not None and len(strings) != length:
            raise self._error(f"table {name!r} has {len(strings):,} strings, not {length:,}")
        return strings

    # Models in models

    def put(self, name: str, part: ModelFile) -> ModelFile:
        """Return the file with another model in it, under a name; `part` takes it out again.

        The options list the parts, each with its name, kind, options and fingerprint; arrays and strings of the
        part are called name/….
        """
        listed = self.options.get("parts", [])
        facts: Json = {
            "name": name,
            "kind": part.kind,
            "options": dict(part.options),
            "fingerprint": part.fingerprint,
        }
        before = f"{name}/"
        return replace(
            self,
            options={**self.options, "parts": [*(listed if isinstance(listed, list) else []), facts]},
            arrays={**self.arrays, **placed_under(before, part.arrays)},
            strings={**self.strings, **placed_under(before, part.strings)},
        )

    def part(self, name: str) -> ModelFile | None:
        """Return the model of that name in this file; None if there is none."""
        return self.parts().get(name)

    def parts(self) -> dict[str, ModelFile]:
        """Return the models in this file by name, in the order of the file; FormatError if it is damaged."""
        listed = self.options.get("parts", [])
        if not isinstance(listed, list):
            raise self.damaged("its parts are not a list")
        return dict(self._part(facts) for facts in listed)

    def _part(self, facts: Json) -> tuple[str, ModelFile]:
        known = facts if isinstance(facts, dict) else {}
        name, kind, options, fingerprint = (
            known.get(key) for key in ("name", "kind", "options", "fingerprint")
        )
        if not (isinstance(name, str) and isinstance(kind, str) and kind):
            raise self.damaged("one of its parts has no name or kind")
        if not isinstance(options, dict) or not isinstance(fingerprint, str):
            raise self.damaged("one of its parts is not described well")
        return name, self.inner(kind, f"{name}/", options, fingerprint)

    def inner(self, kind: str, before: str, options: Mapping[str, Json], fingerprint: str = "") -> ModelFile:
        """Return the model whose arrays and strings begin with a prefix here, with these options."""
        return replace(
            self,
            kind=kind,
            options=options,
            arrays=taken_from(before, self.arrays),
            strings=taken_from(before, self.strings),
            fingerprint=fingerprint,
        )

    # Damage

    def require_kind(self, kind: str) -> None:
        """Raise FormatError unless the model is of that kind."""
        if self.kind != kind:
            raise self._error(f"holds {with_article(self.kind)}, not {with_article(kind)}")

    def damaged(self, what: str) -> FormatError:
        """Return the error that the model is damaged: what is wrong with it."""
        return self._error(_DAMAGED + what)

    @contextmanager
    def restoring(self) -> Iterator[None]:
        """Inside, whatever goes wrong with the content is the error of a damaged model."""
        try:
            yield
        except FormatError as error:
            if error.path is not None:
                raise
            raise self.damaged(error.message.removeprefix(_DAMAGED)) from error
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            what = " ".join(str(error).split()) or type(error).__name__
            raise self.damaged(f"{what} is missing" if isinstance(error, KeyError) else what) from error
        except (MemoryError, OverflowError):
            raise self.damaged("its tables are larger than the memory") from None

    def _error(self, fault: str) -> FormatError:
        return FormatError(fault, path=self.path)


V = TypeVar("V")


def placed_under(before: str, content: Mapping[str, V]) -> dict[str, V]:
    """Return the content with a prefix before every name, so that it can be kept beside other content.

    >>> placed_under("tagger/", {"weights": 1})
    {'tagger/weights': 1}
    """
    return {before + name: value for name, value in content.items()}


def taken_from(before: str, content: Mapping[str, V]) -> dict[str, V]:
    """Return what was placed under a prefix, by its own names.

    >>> taken_from("tagger/", {"tagger/weights": 1, "weights": 2})
    {'weights': 1}
    """
    return {name.removeprefix(before): value for name, value in content.items() if name.startswith(before)}


def check_target(path: Source) -> None:
    """Raise ValueError or OSError if no model could be saved there; better before training than after."""
    if is_standard(path):
        raise ValueError("a model is saved to a file, not to standard output: name one")
    if Path(path).suffix == ".gz":
        raise ValueError(f"{path}: a model is read in place and cannot be gzipped; drop the .gz")
    check_writable(path)


def check_indices(array: Array, limit: int, name: str, *, path: str | None = None) -> None:
    """Raise FormatError unless every item i of an integer array has 0 ≤ i < limit.

    >>> check_indices(np.array([0, 7]), 5, "heads", path="x.palm")
    Traceback (most recent call last):
    ...
    palmette.errors.FormatError: x.palm: array 'heads' points to 7, and there are only 5
    """
    if not array.size:
        return
    if array.dtype.kind not in "iu":
        raise FormatError(f"array {name!r} holds {array.dtype}, not whole numbers", path=path)
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= limit:
        wrong = low if low < 0 else high
        raise FormatError(f"array {name!r} points to {wrong}, and there are only {limit:,}", path=path)


def _check_format(metadata: dict[str, str], path: str) -> None:
    if metadata.get("format") != _FORMAT:
        raise FormatError("a safetensors file, but not a Palmette model", path=path)
    version = metadata.get("format_version", "")
    if not _VERSION.fullmatch(version):
        raise FormatError("damaged model: its format_version is not a number", path=path)
    if int(version) > FORMAT_VERSION:
        raise FormatError(
            f"written by a newer Palmette: format {version}, and this one reads up to {FORMAT_VERSION}; "
            "upgrade with pip install --upgrade palmette",
            path=path,
        )
    for key in ("kind", "options", "strings", "fingerprint", "palmette_version"):
        if key not in metadata:
            raise FormatError(f"damaged model: its metadata lack {key!r}", path=path)
    if not _FINGERPRINT.fullmatch(metadata["fingerprint"]):
        raise FormatError("damaged model: its fingerprint is not 64 hexadecimal digits", path=path)
    if len(metadata["palmette_version"]) > 64 or not metadata["palmette_version"].isprintable():
        raise FormatError("damaged model: its palmette_version is not one", path=path)


def _options(metadata: dict[str, str], path: str) -> dict[str, Json]:
    options = _parsed(metadata, "options", path)
    if not isinstance(options, dict):
        raise FormatError("damaged model: its options are not a JSON object", path=path)
    return options


def _names(metadata: dict[str, str], path: str) -> list[str]:
    names = _parsed(metadata, "strings", path)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError("damaged model: its tables of strings are not a list of names", path=path)
    if len(set(names)) != len(names):
        raise FormatError("damaged model: a table of strings is named twice", path=path)
    return names


def _parsed(metadata: dict[str, str], key: str, path: str) -> Json:
    try:
        return parse_json(metadata[key])
    except ValueError as error:
        raise FormatError(f"damaged model: its {key} cannot be read ({error})", path=path) from error


def _table(name: str, arrays: dict[str, Array], path: str) -> StringTable:
    """The table of that name; its two arrays leave `arrays`."""
    utf8, offsets = (arrays.pop(part, None) for part in _parts(name))
    if utf8 is None or offsets is None:
        raise FormatError(f"damaged model: the table of strings {name[:200]!r} is missing", path=path)
    try:
        return StringTable(utf8, offsets)
    except ValueError as error:
        raise FormatError(f"damaged model: table of strings {name!r}: {error}", path=path) from error


def _parts(name: str) -> tuple[str, str]:
    return f"{name}.utf8", f"{name}.offsets"


def with_article(noun: str) -> str:
    """The noun after "a" or "an", as messages say it."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _own_version() -> str:
    from importlib.metadata import version

    return version("palmette")
