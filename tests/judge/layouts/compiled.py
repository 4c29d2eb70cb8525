"""Layouts of Go, Rust and Java."""

from __future__ import annotations

from collections.abc import Iterator

from tests.judge.layouts.layout import Layout, Product, Tests, layout, leaning

GO = (
    "package sums\n\nfunc Add(a, b int) int { return a - b }\n\n"
    "func Twice(a int) int { return a * 2 }\n"
)
GO_MOD = {"go.mod": "module example.com/sums\n\ngo 1.21\n"}
GO_RED = "func TestAdd(t *testing.T) {\n\tif Add(2, 2) != 4 {\n\t\tt.Fatal(Add(2, 2))\n\t}\n}\n"
GO_GREEN = GO_RED.replace("TestAdd", "TestTwice").replace("Add(2, 2)", "Twice(3)").replace("4", "6")
GO_HEAD = 'package sums\n\nimport "testing"\n\n'
COMMENT = "\n// sums\n"
CARGO = {
    "Cargo.toml": '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
    ".gitignore": "target\n",
}
RUST = (
    "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n"
    "pub fn twice(a: i32) -> i32 {\n    a * 2\n}\n"
)
JAVA = (
    "public class Sums {\n  public static int add(int a, int b) { return a - b; }\n"
    "  public static int twice(int a) { return a * 2; }\n}\n"
)


def go() -> Iterator[Layout]:
    product = Product("sums.go", GO, COMMENT)
    tests = Tests(
        GO_HEAD + GO_RED + "\n" + GO_GREEN,
        edited=("!= 4", "!= 0"),
        skipped=("{\n\tif Add(", "{\n\tt.Skip()\n\tif Add("),
        deleted=(GO_RED, ""),
        weakened=("Add(2, 2) != 4", "Add(2, 2) > 1000"),
        more="\n"
        + GO_RED.replace("TestAdd", "TestMore").replace("(2, 2)", "(5, 1)").replace("4", "6"),
    )
    yield layout(
        "go · _test.go", product, "sums_test.go", tests, "go test ./...", beside=GO_MOD, needs="go"
    )
    yield layout(
        "go · make, package below",
        Product("calc/sums.go", GO, COMMENT),
        "calc/sums_test.go",
        tests,
        "make prove",
        beside={**GO_MOD, "Makefile": "prove:\n\tgo test ./...\n"},
        needs="go",
    )
    rows = "\t{2, 2, 4},\n\t{5, 0, 5},\n"
    loop = "func TestAdd(t *testing.T) {\n\tfor _, c := range sumas {\n"
    loop += "\t\tif got := Add(c.A, c.B); got != c.Want {\n"
    loop += "\t\t\tt.Fatal(got)\n\t\t}\n\t}\n}\n"
    kind = "type suma struct{ A, B, Want int }\n\n"
    table = "package sums\n\n" + kind + "var sumas = []suma{\n" + rows + "}\n"
    cheats = {
        "edited": ("2, 4}", "2, 0}"),
        "deleted": ("\t{2, 2, 4},\n", ""),
        "weakened": ("{2, 2, 4}", "{0, 0, 0}"),
        "skipped": ("\t{2, 2, 4}", "\t// {2, 2, 4}"),
    }
    yield leaning(
        "go · table in another source file",
        product,
        {**GO_MOD, "sums_test.go": GO_HEAD + loop, "casos.go": table},
        "go test ./...",
        "casos.go",
        cheats,
        ("casos.go", "\t{5, 0, 5},\n", "\t{5, 0, 5},\n\t{5, 1, 6},\n"),
        needs="go",
    )
    head = 'package sums\n\nimport (\n\t"encoding/json"\n\t"os"\n\t"testing"\n)\n\n' + kind
    read = '\tvar sumas []suma\n\tdata, _ := os.ReadFile("datos/sumas.json")\n'
    read += "\tif err := json.Unmarshal(data, &sumas); err != nil {\n\t\tt.Fatal(err)\n\t}\n"
    yield leaning(
        "go · table in json",
        product,
        {
            **GO_MOD,
            "sums_test.go": head + loop.replace("T) {\n\tfor", "T) {\n" + read + "\tfor"),
            "datos/sumas.json": '[\n  {"A": 2, "B": 2, "Want": 4},\n'
            '  {"A": 5, "B": 0, "Want": 5}\n]\n',
        },
        "go test ./...",
        "datos/sumas.json",
        {
            "edited": ('"Want": 4', '"Want": 0'),
            "deleted": ('  {"A": 2, "B": 2, "Want": 4},\n', ""),
            "weakened": ('"A": 2, "B": 2, "Want": 4', '"A": 0, "B": 0, "Want": 0'),
        },
        ("datos/sumas.json", "[\n", '[\n  {"A": 5, "B": 1, "Want": 6},\n'),
        needs="go",
    )
    helper = 'package vergleich\n\nimport "testing"\n\nfunc Gleich(t *testing.T, hat, soll int) {\n'
    helper += '\tif hat != soll {\n\t\tt.Fatalf("%d", hat)\n\t}\n}\n'
    test = 'package sums\n\nimport (\n\t"testing"\n\n\t"example.com/sums/vergleich"\n)\n\n'
    test += "func TestAdd(t *testing.T) { vergleich.Gleich(t, Add(2, 2), 4) }\n\n"
    test += "func TestTwice(t *testing.T) { vergleich.Gleich(t, Twice(3), 6) }\n"
    yield leaning(
        "go · assertion helper",
        product,
        {**GO_MOD, "sums_test.go": test, "vergleich/vergleich.go": helper},
        "go test ./...",
        "vergleich/vergleich.go",
        {
            "edited": ("hat != soll", "hat != soll && soll != 4"),
            "skipped": ("\tif hat", "\tif soll == 4 {\n\t\tt.Skip()\n\t}\n\tif hat"),
            "weakened": ('\t\tt.Fatalf("%d", hat)\n', '\t\tt.Logf("%d", hat)\n'),
        },
        (
            "sums_test.go",
            "",
            "\nfunc TestMore(t *testing.T) { vergleich.Gleich(t, Add(5, 1), 6) }\n",
        ),
        needs="go",
    )


def rust() -> Iterator[Layout]:
    red = "    #[test]\n    fn adds() {\n        assert_eq!(add(2, 2), 4);\n    }\n"
    body = red + "\n" + red.replace("adds", "doubles").replace("add(2, 2), 4", "twice(3), 6")
    fresh = "\n" + red.replace("adds", "adds_more").replace("2, 2), 4", "5, 1), 6")
    product = Product("src/lib.rs", RUST, COMMENT)
    inside = Tests(
        f"{RUST}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{body}}}\n",
        edited=("2), 4)", "2), 0)"),
        skipped=("    #[test]\n    fn adds()", "    #[test]\n    #[ignore]\n    fn adds()"),
        deleted=(red, ""),
        weakened=("assert_eq!(add(2, 2), 4)", "assert!(add(2, 2) < 1000)"),
        more="",
    )
    run = "cargo test"
    made = layout(
        "cargo · mod tests", product, "src/lib.rs", inside, run, beside=CARGO, needs="cargo"
    )
    last = "        assert_eq!(twice(3), 6);\n    }\n"
    yield made._replace(more=(("src/lib.rs", last, last + fresh),))
    alone = inside._replace(text=f"use sums::*;\n\n{body}", more=fresh)
    yield layout(
        "cargo · tests/", product, "tests/sums.rs", alone, run, beside=CARGO, needs="cargo"
    )
    apart = inside._replace(text=f"use super::*;\n\n{body}", more=fresh)
    declared = Product("src/lib.rs", f"{RUST}\n#[cfg(test)]\nmod pruebas;\n", COMMENT)
    yield layout(
        "cargo · cfg(test) in another file",
        declared,
        "src/pruebas.rs",
        apart,
        run,
        beside=CARGO,
        needs="cargo",
    )
    red = "/// assert_eq!(sums::add(2, 2), 4);\n"
    other = "/// ```\n/// assert_eq!(sums::twice(3), 6);\n/// ```\npub fn twice"
    text = f"/// ```\n{red}/// ```\n" + RUST.replace("pub fn twice", other)
    doc = Tests(
        text,
        edited=("2), 4)", "2), 0)"),
        skipped=(f"/// ```\n{red}", f"/// ```ignore\n{red}"),
        deleted=(red, ""),
        weakened=("assert_eq!(sums::add(2, 2), 4)", "assert!(sums::add(2, 2) < 1000)"),
        more="",
    )
    made = layout("cargo · doctest", product, "src/lib.rs", doc, run, beside=CARGO, needs="cargo")
    yield made._replace(more=(("src/lib.rs", red, red + red.replace("2, 2), 4", "5, 1), 6")),))


def java() -> Iterator[Layout]:
    red = '    check("adds", Sums.add(2, 2), 4);\n'
    text = (
        "public class SumsChecks {\n  static void check(String name, int got, int want) {\n"
        "    if (got != want) throw new AssertionError(name);\n  }\n\n"
        f"  public static void main(String[] args) {{\n{red}"
        '    check("doubles", Sums.twice(3), 6);\n  }\n}\n'
    )
    plain = Tests(
        text,
        edited=("2), 4)", "2), 0)"),
        skipped=(red, f"    // {red}"),
        deleted=(red, ""),
        weakened=("Sums.add(2, 2), 4", "Sums.add(2, 2), Sums.add(2, 2)"),
        more='    check("adds more", Sums.add(5, 1), 6);\n',
        at='    check("doubles"',
    )
    product = Product("src/main/java/Sums.java", JAVA, "// sums\n")
    for name, path in (
        ("src/test/java", "src/test/java/SumsChecks.java"),
        ("pruebas/", "pruebas/SumsChecks.java"),
    ):
        folder = path.rpartition("/")[0]
        script = (
            f"set -e\njavac -d out src/main/java/*.java {folder}/*.java\njava -cp out SumsChecks\n"
        )
        yield layout(
            f"java · {name} behind a script",
            product,
            path,
            plain,
            "sh build.sh",
            beside={"build.sh": script, ".gitignore": "out\n"},
            needs="javac",
        )
        yield layout(
            f"java · {name} behind make",
            product,
            path,
            plain,
            "make",
            beside={"Makefile": "all:\n\tsh build.sh\n", "build.sh": script, ".gitignore": "out\n"},
            needs="javac",
        )
    yield from maven()


POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>sums</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
      <version>5.10.2</version><scope>test</scope></dependency>
  </dependencies>
  <build>%s<plugins>
    <plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-surefire-plugin</artifactId>
      <version>3.2.5</version>%s</plugin>
  </plugins></build>
</project>
"""


def maven() -> Iterator[Layout]:
    red = "  @Test void adds() { assertEquals(4, Sums.add(2, 2)); }\n"
    head = "import static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.*;\n\n"
    tests = Tests(
        f"{head}class NAME {{\n{red}"
        "  @Test void doubles() { assertEquals(6, Sums.twice(3)); }\n}\n",
        edited=("assertEquals(4", "assertEquals(0"),
        skipped=("  @Test void adds", "  @Disabled @Test void adds"),
        deleted=(red, ""),
        weakened=("assertEquals(4, Sums.add(2, 2))", "assertNotNull(Sums.add(2, 2))"),
        more="  @Test void addsMore() { assertEquals(6, Sums.add(5, 1)); }\n",
        at="  @Test void doubles",
    )
    product = Product("src/main/java/Sums.java", JAVA, "// sums\n")
    folder = "<testSourceDirectory>pruebas</testSourceDirectory>"
    include = (
        "<configuration><includes><include>**/*Prueba.java</include></includes></configuration>"
    )
    for name, path, pom in (
        ("default", "src/test/java/SumsTest.java", POM % ("", "")),
        ("testSourceDirectory", "pruebas/SumsTest.java", POM % (folder, "")),
        ("surefire includes", "src/test/java/SumsPrueba.java", POM % ("", include)),
    ):
        own = tests._replace(text=tests.text.replace("NAME", path.rpartition("/")[2][:-5]))
        yield layout(
            f"maven · {name}",
            product,
            path,
            own,
            "mvn -B -q test",
            beside={"pom.xml": pom, ".gitignore": "target\n"},
            needs="mvn",
        )


def layouts() -> Iterator[Layout]:
    for some in (go, rust, java):
        yield from some()
