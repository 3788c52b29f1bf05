package build

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/diag"
)

func builder(limits Limits) *Builder {
	return &Builder{Tool: "test", Limits: limits, Log: slog.New(slog.DiscardHandler)}
}

func specFile(t *testing.T, content string) Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spec.cue")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return Spec{Path: path}
}

// assertTooCostly checks that the only diagnostic names one of the limits.
func assertTooCostly(t *testing.T, built *Built, s Spec, limits ...string) {
	t.Helper()
	if len(built.Findings) != 1 {
		t.Fatalf("findings are %v, want one", built.Findings)
	}
	d := built.Findings[0]
	if d.Code != "spec-too-costly" || d.Severity != diag.Error || d.Subject.File != s.Path {
		t.Errorf("finding is %+v", d)
	}
	for _, limit := range limits {
		if strings.Contains(d.Summary, limit) {
			t.Log(d.Summary)
			return
		}
	}
	t.Errorf("%q names none of %q", d.Summary, limits)
}

// impostor returns a builder whose child process is a shell script.
func impostor(t *testing.T, script string) *Builder {
	t.Helper()
	path := filepath.Join(t.TempDir(), "impostor")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	limits := DefaultLimits()
	limits.Output = 1 << 20
	b := builder(limits)
	b.Executable = path
	return b
}

func TestCrashOfTheChild(t *testing.T) {
	s := specFile(t, "a: 1")
	_, err := impostor(t, "echo 'panic: it broke' >&2; echo 'goroutine 1' >&2; exit 2").Evaluate(t.Context(), s)
	var crash *CrashError
	if !errors.As(err, &crash) {
		t.Fatalf("error is %v, want a crash", err)
	}
	if !strings.Contains(err.Error(), "panic: it broke\n") || strings.Contains(err.Error(), "goroutine") {
		t.Errorf("error is %q, want the first line of the output alone", err)
	}
	if want := "panic: it broke\ngoroutine 1\n"; crash.Output != want {
		t.Errorf("output is %q, want %q", crash.Output, want)
	}
}

func TestTruncatedResponse(t *testing.T) {
	for name, script := range map[string]string{"nothing": "exit 0", "not all": `printf '\000\000\000\000\000\000\000\377{}'`} {
		_, err := impostor(t, script).Evaluate(t.Context(), specFile(t, "a: 1"))
		if !errors.Is(err, errTruncated) {
			t.Errorf("%s: error is %v, want %v", name, err, errTruncated)
		}
	}
}

func TestEndlessOutputIsStopped(t *testing.T) {
	s := specFile(t, "a: 1")
	built, err := impostor(t, "exec yes").Evaluate(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	assertTooCostly(t, built, s, "more than 1 MiB for the result")
}

func TestMissingExecutable(t *testing.T) {
	b := builder(DefaultLimits())
	b.Executable = filepath.Join(t.TempDir(), "nothing")
	_, err := b.Evaluate(t.Context(), specFile(t, "a: 1"))
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), b.Executable) {
		t.Errorf("error is %v, want one that names %s", err, b.Executable)
	}
}

func TestResponseRoundTrip(t *testing.T) {
	want := &Response{
		Findings: diag.List{{
			Severity: diag.Warning, Code: "c", Summary: "s", Detail: "d", Context: "x", Path: "p",
			Subject: diag.Point("a.cue", 3, 4),
		}},
		Sources:   diag.Sources{"a.cue": []byte("\xff\x00")},
		Container: []byte("{}\x00"),
	}
	var wire bytes.Buffer
	if err := want.Write(&wire); err != nil {
		t.Fatal(err)
	}
	got, err := parseResponse(wire.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
