// Package wire is the one place that knows how the Pulumi protocol writes
// property values down: as google.protobuf.Struct, with signed objects for what
// JSON has no word for (secrets, assets, archives, resource references, outputs,
// strings of bytes) and fixed strings for values that are not known yet.
//
// It walks the messages directly, because the SDK's own marshaller
// (common/resource/plugin) costs a process more start-up time than the rest of
// the server; the tests hold it to that marshaller.
package wire

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Unknown is how a value that is not known yet is written. The protocol has a
// sentinel for each type; in practice the engine sends this one, the string's.
const Unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

// MaxDepth is how deep values may nest. It is far beyond what a program writes
// and far below what a goroutine's stack can take.
const MaxDepth = 512

// isUnknown reports whether a string is one of the sentinels of the SDK's
// common/resource/plugin/rpc.go.
func isUnknown(s string) bool {
	if len(s) != len(Unknown) {
		return false
	}
	switch s {
	case Unknown,
		"1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // bool
		"3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
		"6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
		"030794c1-ac77-496b-92df-f27374a8bd58", // asset
		"e48ece36-62e2-4504-bad9-02848725956a", // archive
		"dd056dcd-154b-4c76-9bd3-c8f88648b5ff": // object
		return true
	}
	return false
}

// Error says which value cannot travel, and why. It never holds the value.
type Error struct {
	// Path is the property's: `a.b[0]["x.y"]`.
	Path   string
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("property %q: %s", e.Path, e.Reason) }

func refuse(format string, args ...any) error { return &Error{Reason: fmt.Sprintf(format, args...)} }

// under puts a property's name in front of the path of an error inside it.
func under(key string, err error) error { return prefix(Segment(key), err) }

// underIndex does the same for an item of a list.
func underIndex(i int, err error) error { return prefix("["+strconv.Itoa(i)+"]", err) }

func prefix(segment string, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	if e.Path != "" && !strings.HasPrefix(e.Path, "[") {
		segment += "."
	}
	e.Path = segment + e.Path
	return e
}

// Segment is a property's name as it stands in a path: plain where it can be,
// else quoted in brackets.
func Segment(key string) string {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && r != '-' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return `["` + strings.ReplaceAll(strings.ToValidUTF8(key, "\uFFFD"), `"`, `\"`) + `"]`
	}
	return key
}
