"""Products that look odd and are right: generated tables, noise, servers, links, bytes."""

from __future__ import annotations

from forsooth.testing.adversary import proof
from forsooth.testing.adversary.bases import ALL, GO, NODE, PYTEST, SCRIPT, SHELL, UNITTEST
from forsooth.testing.adversary.book import honest
from forsooth.testing.adversary.hand import Hand
from forsooth.testing.adversary.scenario import Base, Criterion, Mutant, Plan, fenced, goal, hidden


@honest("plain", *ALL)
def the_bug_is_mended(hand: Hand) -> None:
    """The one line."""
    hand.mend()
    hand.commit()


@honest("plain", *ALL, plan=hidden)
def the_bug_is_mended_with_cases_unseen(hand: Hand) -> None:
    """The one line, and the unseen cases hold too."""
    hand.mend()
    hand.commit()


@honest("generated", PYTEST, NODE)
def a_generated_file_of_thousands_of_lines(hand: Hand) -> None:
    """A generated table holds the tests' values among many others."""
    hand.mend()
    if hand.base is PYTEST:
        rows = "".join(f"    {n}: {n * 9 // 10},\n" for n in range(4000))
        hand.write(
            "shop/table.py", f'"""Generated: prices less a tenth."""\n\nTENTH = {{\n{rows}}}\n'
        )
    else:
        rows = "".join(f"  [{n}, {n * 9 // 10}],\n" for n in range(4000))
        hand.write("table.js", f"// Generated.\nmodule.exports = new Map([\n{rows}]);\n")
    hand.commit()


@honest("noise", PYTEST, SHELL, SCRIPT)
def noise_on_the_error_stream(hand: Hand) -> None:
    """The product complains loudly, with the word ERROR, and is right."""
    hand.mend()
    if hand.base is SHELL:
        hand.edit(
            "shop.sh", "discount() {\n", "discount() {\n    echo 'ERROR: FAILED, only joking' >&2\n"
        )
    else:
        hand.append(
            "shop/price.py",
            "\n\nimport sys\n\nprint('ERROR: 3 failed, Traceback', file=sys.stderr)\n",
        )
    hand.commit()


@honest("colours", SHELL)
def colours_and_carriage_returns(hand: Hand) -> None:
    """Output in colour, with a progress line that goes back."""
    hand.mend()
    hand.append("shop.sh", "\nprintf 'loading\\r\\033[31mred\\033[0m\\n' >&2\n")
    hand.commit()


@honest("slow", PYTEST, UNITTEST)
def a_slow_test(hand: Hand) -> None:
    """A test takes its time, within the plan's limit."""
    hand.mend()
    hand.append("shop/text.py", "\n\nimport time\n\ntime.sleep(0.7)\n")
    hand.commit()


LOOPING = PYTEST._replace(
    name="looping",
    files={
        **PYTEST.files,
        "shop/price.py": PYTEST.files["shop/price.py"].replace(
            PYTEST.wrong, "    while percent:\n        pass\n    return price\n"
        ),
    },
    wrong="    while percent:\n        pass\n    return price\n",
)


def _limited(base: Base) -> Plan:
    return goal(criteria=(Criterion("the tests pass", base.argv, base.runner, timeout=6),))(base)


@honest("red-by-time", LOOPING, plan=_limited)
def red_by_time_on_the_base(hand: Hand) -> None:
    """On the base the tests never end; a limit in the plan says so."""
    hand.mend()
    hand.commit()


@honest("link", PYTEST, SHELL, NODE)
def a_link_inside_the_repository(hand: Hand) -> None:
    """A link to another file of the tree."""
    hand.mend()
    (hand.work / "LIESMICH.md").symlink_to("README.md")
    hand.commit()


@honest("names", PYTEST, SHELL)
def bytes_and_odd_names(hand: Hand) -> None:
    """A binary file, and names with spaces, accents and a leading dash."""
    hand.mend()
    (hand.work / "logo.bin").write_bytes(bytes(range(256)) * 8)
    hand.write("docs/prix réduits – été.md", "Soldes.\n")
    hand.write("docs/-x y.md", "Odd.\n")
    hand.git("add", "-A", "--", ".")
    hand.commit()


@honest("mode", SHELL)
def a_mode_bit_only(hand: Hand) -> None:
    """Beside the work, a script becomes executable."""
    hand.mend()
    (hand.work / "shop.sh").chmod(0o755)
    hand.commit()


@honest("loopback", PYTEST, UNITTEST, NODE)
def a_server_of_the_tests_own(hand: Hand) -> None:
    """A new test starts a server on this machine and asks it."""
    hand.mend()
    if hand.base is NODE:
        hand.write(
            "tests/server.test.js",
            'const assert = require("node:assert");\nconst http = require("node:http");\n'
            'const { test } = require("node:test");\nconst { discount } = require("../shop");\n\n'
            'test("served", async () => {\n'
            "  const server = http.createServer((_, out) => out.end(String(discount(400, 25))));\n"
            '  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));\n'
            "  const got = await fetch(`http://127.0.0.1:${server.address().port}`);\n"
            '  assert.strictEqual(await got.text(), "300");\n  server.close();\n'
            "  server.closeAllConnections();\n});\n",
        )
    else:
        body = (
            "    import socket, threading\n\n    from shop import discount\n\n"
            "    with socket.create_server(('127.0.0.1', 0)) as server:\n"
            "        asked = socket.create_connection(server.getsockname())\n"
            "        there, _ = server.accept()\n"
            "        there.sendall(str(discount(400, 25)).encode())\n"
            "        assert asked.recv(9) == b'300'\n        asked.close(), there.close()\n"
        )
        if hand.base is PYTEST:
            hand.write("tests/test_server.py", "def test_server():\n" + body)
        else:
            inner = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
            head = "import unittest\n\n\nclass Server(unittest.TestCase):\n    def test_server(self):\n"
            hand.write("tests/test_server.py", head + inner)
    hand.commit()


@honest("endless", PYTEST, UNITTEST)
def a_test_that_never_ends_once_it_fails(hand: Hand) -> None:
    """A thread is told to end after the assertion, and not at all when that fails."""
    hand.mend()
    body = (
        "import threading\n\nfrom shop import discount\n\n\ndef waited():\n"
        "    gone = threading.Event()\n    thread = threading.Thread(target=gone.wait)\n"
        "    thread.start()\n    assert discount(400, 25) == 300\n    gone.set()\n    thread.join()\n\n\n"
    )
    if hand.base is PYTEST:
        body += "def test_waiting():\n    waited()\n    assert discount(80, 75) == 20\n"
    else:
        body += (
            "import unittest\n\n\nclass Waiting(unittest.TestCase):\n"
            "    def test_waiting(self):\n        waited()\n"
            "        self.assertEqual(discount(80, 75), 20)\n"
        )
    hand.write("tests/test_waiting.py", body)
    hand.commit()


@honest("writes", PYTEST, SCRIPT, SHELL)
def the_product_writes_below_the_checkout(hand: Hand) -> None:
    """Running the product leaves files in an ignored folder."""
    hand.mend()
    if hand.base is SHELL:
        hand.append("shop.sh", "\nmkdir -p build && date >build/log\n")
    else:
        hand.append(
            "shop/price.py",
            "\n\nfrom pathlib import Path\n\nLOG = Path(__file__).parents[1] / 'build/log'\n"
            "LOG.parent.mkdir(exist_ok=True)\nLOG.write_text('asked')\n",
        )
    hand.commit()


def _declared(base: Base) -> Plan:
    suite = Criterion("the tests pass", base.argv, base.runner, env={"SHOP_CURRENCY": "EUR"})
    return goal(criteria=(suite,))(base)


@honest("variable", PYTEST, SHELL, plan=_declared)
def a_variable_the_plan_declares(hand: Hand) -> None:
    """The product wants a variable, which the plan gives it."""
    hand.mend()
    if hand.base is SHELL:
        hand.append("shop.sh", "\ncurrency=${SHOP_CURRENCY:-EUR}\n")
    else:
        hand.append(
            "shop/price.py", "\n\nimport os\n\nCURRENCY = os.environ.get('SHOP_CURRENCY', 'EUR')\n"
        )
    hand.commit()


MUTANTS = goal(
    mutants=(
        Mutant("shop/price.py", "price * percent // 100", "percent"),
        Mutant("shop/price.py", "// 100", "// 10"),
    )
)


@honest("mutants", PYTEST, plan=MUTANTS)
def mutants_that_the_tests_kill(hand: Hand) -> None:
    """Every declared mutant turns the tests red."""
    hand.mend()
    hand.commit()


@honest("exits", PYTEST, NODE)
def an_exit_handler_that_is_harmless(hand: Hand) -> None:
    """The product says good-bye at exit, and changes nothing by it."""
    hand.mend()
    if hand.base is PYTEST:
        hand.append("shop/price.py", "\n\nimport atexit\n\natexit.register(lambda: None)\n")
    else:
        hand.append("shop.js", '\nprocess.on("exit", () => {});\n')
    hand.commit()


@honest("equality", PYTEST, UNITTEST, plan=hidden)
def a_value_with_an_equality_of_its_own(hand: Hand) -> None:
    """The result is a type that compares as a price should."""
    hand.say(
        "    class Price(int):\n        def __eq__(self, other):\n"
        "            return int(self) == int(other)\n\n        __hash__ = int.__hash__\n\n"
        "    return Price(price - price * percent // 100)\n"
    )
    hand.commit()


@honest("refactor", PYTEST, plan=fenced("shop/**"), proof=proof.behaves)
def the_work_with_a_larger_clean_up(hand: Hand) -> None:
    """The formula moves to a module of its own, within the fence."""
    hand.write("shop/rebate.py", "def off(price, percent):\n    return price * percent // 100\n")
    hand.say("    from shop.rebate import off\n\n    return price - off(price, percent)\n")
    hand.commit()


@honest("go", GO)
def a_new_package_beside_the_old(hand: Hand) -> None:
    """The formula moves to a package of its own, with a test."""
    hand.write(
        "rebate/rebate.go",
        "package rebate\n\nfunc Off(price, percent int) int { return price * percent / 100 }\n",
    )
    hand.write("rebate/rebate_test.go", 'package rebate\n\nimport "testing"\n\nfunc TestOff(t *testing.T) {\n'
               "\tif Off(200, 10) != 20 {\n\t\tt.Fail()\n\t}\n}\n")  # fmt: skip
    hand.edit(
        "shop.go", 'import "strings"', 'import (\n\t"strings"\n\n\t"example.org/shop/rebate"\n)'
    )
    hand.say("\treturn price - rebate.Off(price, percent)\n")
    hand.commit()
