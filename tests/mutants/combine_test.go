package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/mutants/mutant"
)

// TestCombine checks that several edits of one file are combined, each behind its
// condition, and that edits that cannot be combined are returned.
func TestCombine(t *testing.T) {
	const source = `package p

var most = 7

func f(n int) bool {
	return n > most
}

func g() { f(1) }

func h() {
again:
	if f(2) {
		goto again
	}
}
`
	row := func(n int, find, replace string) numbered {
		return numbered{mutant.Mutant{Find: find, Replace: replace}, n}
	}
	got, alone, err := combine(source, []numbered{
		row(1, "n > most", "true"), row(2, "n > most", "n < most"), row(3, "f(1)", "f(0)"), row(4, "most = 7", "most = 8"), row(5, "f(2)", "false"),
		row(6, "func g() { f(1) }", "func g() { f(2) }"),
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `package p; import mutant "github.com/declprov/declprov/spec/mutant"

var most = 7

func f(n int) bool {
//line mutant-1:1
if mutant.Off(1) {
	return true

}
//line mutant-2:1
if mutant.Off(2) {
	return n < most

}
//line combined.go:5

	return n > most
}

func g() {
//line mutant-3:1
if mutant.Off(3) { f(0) 
return
}
//line mutant-6:1
if mutant.Off(6) { f(2) 
return
}
//line combined.go:9
 f(1) }

func h() {
again:
	if f(2) {
		goto again
	}
}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(alone) != 2 || alone[0].number != 4 || alone[1].number != 5 {
		t.Errorf("alone: %v", alone)
	}
}

// TestEditsThatDoNotCompile checks that compiler errors are assigned to their rows.
func TestEditsThatDoNotCompile(t *testing.T) {
	printed := "# github.com/declprov/declprov/engine\n/checkout/mutant-3:2:1: declared and not used: own\n../mutant-12:7: undefined: x\nmutant-3:9: missing return\n"
	if diff := cmp.Diff([]int{3, 12}, brokenRows(printed)); diff != "" {
		t.Error(diff)
	}
	if got := brokenRows("combined.go:5:2: undefined: y"); got != nil {
		t.Errorf("an error outside the rows is assigned to %v", got)
	}
}
