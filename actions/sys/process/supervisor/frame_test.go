package supervisor

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFrames(t *testing.T) {
	var wire []byte
	frames := [][]string{nil, {""}, {"a", "", "\x00\xff", string(make([]byte, 1<<16))}}
	for i, fields := range frames {
		wire = AppendFrame(wire, FrameKind(i+1), fields...)
	}
	r := bytes.NewReader(wire)
	for i, want := range frames {
		kind, got, err := ReadFrame(r)
		if err != nil || kind != FrameKind(i+1) {
			t.Fatalf("frame %d: kind %d, %v", i, kind, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("frame %d (-want +got):\n%s", i, diff)
		}
	}
	if _, _, err := ReadFrame(r); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(AppendFrame(nil, Start, "a", "b"))
	f.Add([]byte{0, 0, 0, 6, 1, 0, 0, 0, 9, 'x'})
	f.Fuzz(func(t *testing.T, wire []byte) {
		kind, fields, err := ReadFrame(bytes.NewReader(wire))
		if err != nil {
			return
		}
		again := AppendFrame(nil, kind, fields...)
		if !bytes.HasPrefix(wire, again) {
			t.Errorf("%x is decoded as %x", wire, again)
		}
	})
}

func FuzzRequest(f *testing.F) {
	f.Add("/bin/sh", "/", "sh", "-c", "A=b", int64(5000))
	f.Fuzz(func(t *testing.T, path, dir, name, argument, variable string, grace int64) {
		want := Request{
			Path: path, Dir: dir, Args: []string{name, argument}, Env: []string{variable}, Scratch: []string{dir, variable},
			Grace: time.Duration(min(max(grace, 0), 1000)) * time.Millisecond,
		}
		got, err := ParseRequest(want.Fields())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestMalformed(t *testing.T) {
	for _, fields := range [][]string{
		nil,
		{"a", "b", "1", "", "0"},
		{"a", "b", "1", "", "0", "0"},
		{"a", "b", "1", "", "0", "2", "x"},
		{"a", "b", "x", "", "0", "1", "x"},
		{"a", "b", "1", "", "0", "x", "x"},
		{"a", "b", "1", "", "x", "1", "x"},
		{"a", "b", "1", "", "-1", "1", "x"},
		{"a", "b", "1", "", "1", "1", "x"},
	} {
		if got, err := ParseRequest(fields); err == nil {
			t.Errorf("request %q: got %+v, want an error", fields, got)
		}
	}
	for _, fields := range [][]string{nil, {"0"}, {"0", "0", "0", "x"}} {
		if got, err := ParseExit(fields); err == nil {
			t.Errorf("exit %q: got %+v, want an error", fields, got)
		}
	}
	want := Exit{Code: -1, Signal: 9, Left: true, Stuck: 2}
	if got, err := ParseExit(want.Fields()); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestMainIsForSupervisors checks that no other process becomes a supervisor.
func TestMainIsForSupervisors(t *testing.T) {
	for _, args := range [][]string{{"declprov"}, {"declprov", "vet"}, {"declprov", Argument}, {"declprov", reaperArgument}, {"declprov", Argument, "x"}} {
		if Main(args) {
			t.Errorf("Main(%q) ran as a supervisor", args)
		}
	}
}
