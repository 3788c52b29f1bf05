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

	"github.com/declprov/declprov/engine/reserved"
)

// Unknown is how a value that is not known yet is written.
const Unknown = reserved.Unknown

// MaxDepth is how deep values may nest. It is far beyond what a program writes
// and far below what a goroutine's stack can take.
const MaxDepth = 512

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
