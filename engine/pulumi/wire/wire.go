// Package wire encodes and decodes property values in the Pulumi protocol: as
// google.protobuf.Struct, with signed objects for values that JSON lacks (secrets,
// assets, archives, resource references, outputs, byte strings), and fixed strings
// for unknown values.
//
// It does not use the SDK's marshaller (common/resource/plugin), because that costs
// more start-up time than the rest of the server. The tests compare it with that
// marshaller.
package wire

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/declprov/declprov/engine/reserved"
)

// Unknown is the encoding of an unknown value.
const Unknown = reserved.Unknown

// MaxDepth is the maximum nesting depth of values. It is far more than programs need,
// and far less than a goroutine's stack allows.
const MaxDepth = 512

// Error reports a value that cannot be encoded or decoded. It never contains the
// value.
type Error struct {
	// Path is the path of the property, such as `a.b[0]["x.y"]`.
	Path   string
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("property %q: %s", e.Path, e.Reason) }

func refuse(format string, args ...any) error { return &Error{Reason: fmt.Sprintf(format, args...)} }

// under adds the name of a property to the path of an error inside it.
func under(key string, err error) error { return prefix(Segment(key), err) }

// underIndex adds the index of an item to the path of an error inside it.
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

// Segment returns the name of a property in the syntax of paths: plain if possible,
// otherwise quoted in brackets.
func Segment(key string) string {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && r != '-' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return `["` + strings.ReplaceAll(strings.ToValidUTF8(key, "\uFFFD"), `"`, `\"`) + `"]`
	}
	return key
}
