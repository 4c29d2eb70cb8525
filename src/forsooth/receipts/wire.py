"""The SSH wire form (RFC 4251): strings and numbers with their length before them.

Reading is strict: nothing is cut short, nothing is left over, no number has two spellings.
"""

from __future__ import annotations


class Torn(ValueError):
    """Bytes that end too soon, go on too long, or write a number oddly."""


class Wire:
    """Bytes read from the front."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, count: int) -> bytes:
        """That many bytes."""
        end = self._at + count
        if end > len(self._data):
            raise Torn("the bytes end too soon")
        found, self._at = self._data[self._at : end], end
        return found

    def number(self) -> int:
        """A number of four bytes."""
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        """A string with its length before it."""
        return self.take(self.number())

    def text(self) -> str:
        """A string that is plain ASCII."""
        try:
            return self.string().decode("ascii")
        except UnicodeDecodeError:
            raise Torn("text that is not ASCII") from None

    def mpint(self) -> int:
        """A positive number in as few bytes as it takes."""
        data = self.string()
        if not data or data != mpint(int.from_bytes(data, "big"))[4:]:
            raise Torn("a number that is not written the one way")
        return int.from_bytes(data, "big")

    def end(self) -> None:
        """Nothing may follow."""
        if self._at != len(self._data):
            raise Torn("something follows the end")


def string(data: bytes) -> bytes:
    """Bytes with their length before them."""
    return len(data).to_bytes(4, "big") + data


def mpint(value: int) -> bytes:
    """A positive number as a string, with a zero before it where it would look negative."""
    return string(value.to_bytes(value.bit_length() // 8 + 1, "big") if value else b"")
