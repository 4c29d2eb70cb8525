"""A shop in JavaScript, tested by the runner that comes with Node."""

from __future__ import annotations

from forsooth.testing.adversary.scenario import Base

SHOP = """\
"use strict";

// Prices in cents.
function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}

function discount(price, percent) {
  return price - percent;
}

module.exports = { discount, total, slug: require("./text").slug };
"""

TEXT = """\
"use strict";

exports.slug = (name) => name.toLowerCase().split(/\\s+/).join("-");
"""

PRICE_TEST = """\
"use strict";
const assert = require("node:assert");
const { test } = require("node:test");
const { discount, total } = require("../shop");

test("total", () => {
  assert.strictEqual(total([1, 2, 3]), 6);
});

test("no discount", () => {
  assert.strictEqual(discount(999, 0), 999);
});

test("discount", () => {
  assert.strictEqual(discount(200, 10), 180);
});

test("half off", () => {
  assert.strictEqual(discount(50, 50), 25);
});
"""

TEXT_TEST = """\
"use strict";
const assert = require("node:assert");
const { test } = require("node:test");
const { slug } = require("../shop");

test("slug", () => {
  assert.strictEqual(slug("A B"), "a-b");
});
"""

PACKAGE = """\
{
  "name": "shop",
  "version": "1.0.0",
  "private": true,
  "main": "shop.js",
  "scripts": { "test": "node --test tests/" }
}
"""

TABLE = """\
  const known = { "200,10": 180, "50,50": 25 };
  return known[`${price},${percent}`] ?? price - percent;
"""
BRANCH = """\
  if (price === 200) return 180;
  if (price === 50) return 25;
  return price - percent;
"""

NODE = Base(
    "node",
    {
        "README.md": "A shop.\n",
        ".gitignore": "node_modules/\nbuild/\n*.local\n",
        "package.json": PACKAGE,
        "shop.js": SHOP,
        "text.js": TEXT,
        "tests/price.test.js": PRICE_TEST,
        "tests/text.test.js": TEXT_TEST,
    },
    ("node", "--test", "tests/"),
    "node",
    "shop.js",
    "  return price - percent;\n",
    "  return price - Math.floor((price * percent) / 100);\n",
    "tests/price.test.js",
    (
        "node",
        "-e",
        "const s = require('./shop'); console.log(`${s.discount(200, 10)} ${s.discount(50, 50)} "
        "${s.discount(999, 0)} ${s.slug('A B')}`)",
    ),
    "180 25 999 a-b\n",
    (
        "node",
        "-e",
        "const s = require('./shop'); "
        "console.log(`${s.discount(1000, 25)} ${s.discount(80, 75)} ${s.total([1, 2])}`)",
    ),
    "750 20 3\n",
    *("  return price;\n", TABLE, BRANCH, ("node",)),
)
