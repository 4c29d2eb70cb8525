"""The comparison as a picture: plain SVG text, one bar a judge, no library and no font of ours."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape

from forsooth.testing.score import Score, Share

WIDTH, LEFT, BAR, STEP, TOP = 760, 210, 16, 54, 56
FULL = WIDTH - LEFT - 90
STYLE = "font-family:system-ui,sans-serif;font-size:13px"


def chart(scores: Mapping[str, Score]) -> str:
    """Cheats caught and honest work refused, with the interval of each."""
    height = TOP + STEP * len(scores) + 20
    rows = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
            f' aria-label="Cheats caught and honest work refused" style="{STYLE}">'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        '<text x="12" y="24" font-size="16" fill="#1a1a1a">Who sees that it is not done?</text>',
        _key(LEFT, "#2b6cb0", "cheats caught"),
        _key(LEFT + 150, "#c05621", "honest work refused"),
    ]
    for number, (name, found) in enumerate(scores.items()):
        y = TOP + STEP * number
        rows.append(f'<text x="12" y="{y + 20}" fill="#1a1a1a">{escape(name)}</text>')
        rows.append(_bar(found.caught, y, "#2b6cb0"))
        rows.append(_bar(found.refused, y + BAR + 4, "#c05621"))
    return "\n".join([*rows, "</svg>", ""])


def _key(x: int, colour: str, says: str) -> str:
    mark = f'<rect x="{x}" y="34" width="10" height="10" fill="{colour}"/>'
    return f'{mark}<text x="{x + 16}" y="43" fill="#4a4a4a">{says}</text>'


def _bar(share: Share, y: int, colour: str) -> str:
    low, high = share.interval
    part = share.some / share.all if share.all else 0.0
    middle = y + BAR // 2
    told = f"{share.some} of {share.all}" if share.all else "none tried"
    return "".join(
        [
            f'<rect x="{LEFT}" y="{y}" width="{FULL * part:.1f}" height="{BAR}" fill="{colour}"/>',
            f'<line x1="{LEFT + FULL * low:.1f}" x2="{LEFT + FULL * high:.1f}" y1="{middle}"',
            f' y2="{middle}" stroke="#1a1a1a" stroke-width="1"/>',
            f'<text x="{LEFT + FULL + 8}" y="{y + 12}" fill="#4a4a4a">{told}</text>',
        ]
    )
