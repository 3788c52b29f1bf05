package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	const prefix = "github.com/declprov/declprov/"
	for name, c := range map[string]struct {
		how    string
		events []string
		want   string
	}{
		"all tests pass": {
			events: []string{
				`{"Action":"run","Package":"P/a","Test":"T"}`,
				`{"Action":"output","Package":"P/a","Test":"T","Output":"noise\n"}`,
				`{"Action":"pass","Package":"P/a","Test":"T/part","Elapsed":1.3}`,
				`{"Action":"pass","Package":"P/a","Test":"T","Elapsed":1.2}`,
				`{"Action":"pass","Package":"P/a","Test":"U","Elapsed":0.1}`,
				`{"Action":"pass","Package":"P/a","Elapsed":1.5}`,
			},
			want: "ok    P/a                                                             1.5s     3 tests\n\n" +
				"The slowest of 1 packages:\n     1.5s  P/a                                       T 1.2s\n\n3 tests passed, 0 failed, 0 left out\n",
		},
		"a package that runs twice": {
			how: " -race",
			events: []string{
				`{"Action":"pass","Package":"P/a","Test":"T"}`, `{"Action":"pass","Package":"P/a","Test":"U"}`, `{"Action":"pass","Package":"P/a","Elapsed":1.5}`,
				`{"Action":"pass","Package":"P/a","Test":"T"}`, `{"Action":"pass","Package":"P/a","Elapsed":2.5}`,
			},
			want: "ok    P/a                                                             1.5s     2 tests\n" +
				"ok    P/a                                                             2.5s     1 tests\n\n" +
				"The slowest of 2 packages:\n     2.5s  P/a -race\n     1.5s  P/a -race\n\n3 tests passed, 0 failed, 0 left out\n",
		},
		"a skipped test": {
			events: []string{
				`{"Action":"output","Package":"P/a","Test":"T","Output":"    need.go:41: strace is missing (why): run it\n"}`,
				`{"Action":"skip","Package":"P/a","Test":"T"}`,
				`{"Action":"pass","Package":"P/a","Elapsed":0}`,
			},
			want: "ok    P/a                                                             0.0s     1 tests\n\n0 tests passed, 0 failed, 1 left out\n\n" +
				"Left out on this machine:\n  strace is missing (why): run it\n      P/a.T\n",
		},
		"a failed test": {
			events: []string{
				`{"Action":"output","Package":"P/a","Test":"T","Output":"want 1\n"}`,
				`{"Action":"fail","Package":"P/a","Test":"T"}`,
				`{"Action":"fail","Package":"P/a","Elapsed":0.2}`,
			},
			want: "want 1\nFAIL  P/a                                                             0.2s\n\n" +
				"The slowest of 1 packages:\n     0.2s  P/a\n\n0 tests passed, 1 failed, 0 left out\n\nFailed:\n  P/a.T\n",
		},
		"a package that does not build": {
			events: []string{
				`{"Action":"build-output","ImportPath":"P/a","Output":"a.go:1: no\n"}`,
				`{"Action":"fail","Package":"P/a","Elapsed":0}`,
			},
			want: "a.go:1: no\nFAIL  P/a                                                             0.0s\n\n0 tests passed, 1 failed, 0 left out\n\nFailed:\n  P/a (did not build or did not start)\n",
		},
		"a package without tests": {
			events: []string{`{"Action":"skip","Package":"P/a"}`},
			want:   "\n0 tests passed, 0 failed, 0 left out\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			r := newReport(&out, false)
			if err := r.read(strings.NewReader(strings.Join(c.events, "\n")), c.how); err != nil {
				t.Fatal(err)
			}
			r.summary()
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := shortPackage(prefix + "engine"); got != "engine" {
		t.Errorf("shortPackage = %q", got)
	}
}
