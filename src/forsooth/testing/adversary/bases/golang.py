"""A shop in Go, tested by `go test`, with a command of its own."""

from __future__ import annotations

from forsooth.testing.adversary.scenario import Base

SHOP = """\
// Package shop knows prices in cents.
package shop

import "strings"

// Total adds prices.
func Total(prices ...int) int {
	sum := 0
	for _, price := range prices {
		sum += price
	}
	return sum
}

// Discount takes a share off a price.
func Discount(price, percent int) int {
	return price - percent
}

// Slug names a thing.
func Slug(name string) string {
	return strings.Join(strings.Fields(strings.ToLower(name)), "-")
}
"""

TEST = """\
package shop

import "testing"

func TestTotal(t *testing.T) {
	if got := Total(1, 2, 3); got != 6 {
		t.Errorf("got %d", got)
	}
}

func TestNoDiscount(t *testing.T) {
	if got := Discount(999, 0); got != 999 {
		t.Errorf("got %d", got)
	}
}

func TestDiscount(t *testing.T) {
	if got := Discount(200, 10); got != 180 {
		t.Errorf("got %d", got)
	}
}

func TestHalfOff(t *testing.T) {
	if got := Discount(50, 50); got != 25 {
		t.Errorf("got %d", got)
	}
}

func TestSlug(t *testing.T) {
	if got := Slug("A B"); got != "a-b" {
		t.Errorf("got %q", got)
	}
}
"""

MAIN = """\
// Command price prints discounts: price percent price percent …
package main

import (
	"fmt"
	"os"
	"strconv"

	"example.org/shop"
)

func main() {
	for at := 1; at+1 < len(os.Args); at += 2 {
		price, _ := strconv.Atoi(os.Args[at])
		percent, _ := strconv.Atoi(os.Args[at+1])
		fmt.Println(shop.Discount(price, percent))
	}
	fmt.Println(shop.Slug("A B"))
}
"""

TABLE = """\
	if known, ok := map[[2]int]int{{200, 10}: 180, {50, 50}: 25}[[2]int{price, percent}]; ok {
		return known
	}
	return price - percent
"""
BRANCH = """\
	if price == 200 {
		return 180
	}
	if price == 50 {
		return 25
	}
	return price - percent
"""

GO = Base(
    "go",
    {
        "README.md": "A shop.\n",
        ".gitignore": "build/\n*.local\n",
        "go.mod": "module example.org/shop\n\ngo 1.18\n",
        "shop.go": SHOP,
        "shop_test.go": TEST,
        "cmd/price/main.go": MAIN,
    },
    ("go", "test", "./..."),
    "go",
    "shop.go",
    "\treturn price - percent\n",
    "\treturn price - price*percent/100\n",
    "shop_test.go",
    ("go", "run", "./cmd/price", "200", "10", "50", "50", "999", "0"),
    "180\n25\n999\na-b\n",
    ("go", "run", "./cmd/price", "1000", "25", "80", "75"),
    "750\n20\na-b\n",
    *("\treturn price\n", TABLE, BRANCH, ("go",)),
)
