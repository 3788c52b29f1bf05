package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThePageIsFresh(t *testing.T) {
	root := filepath.Join("..", "..")
	codes, err := collect(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page(codes), string(got)); diff != "" {
		t.Errorf("docs/errors.md is stale, run `make generate` (-want +got):\n%s", diff)
	}
}

func TestMeaning(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"CodeX", "CodeX: a thing\nis wrong.", "A thing is wrong."},
		{"CodeX", "CodeX is a thing that is wrong.", "A thing that is wrong."},
		{"CodeX", "a thing is wrong", "A thing is wrong"},
		{"CodeX", "CodeX", ""},
		{"CodeX", "", ""},
	} {
		if got := meaning(c.name, c.doc); got != c.want {
			t.Errorf("meaning(%q, %q) = %q, want %q", c.name, c.doc, got, c.want)
		}
	}
}

func TestOneCodeOfTwoPackagesIsOneRow(t *testing.T) {
	got := page([]code{{name: "b", meaning: "B."}, {name: "a", meaning: "One."}, {name: "a", meaning: "Two | three."}, {name: "a", meaning: "One."}})
	want := head + "| `a` | One. Or: Two \\| three. |\n| `b` | B. |\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
