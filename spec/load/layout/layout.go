// Package layout formats specs. It changes only what has no meaning, and keeps all comments.
package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Error is the reason why a text without a syntax error cannot be formatted, with its line,
// from 1.
type Error struct {
	Line            int
	Summary, Remedy string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s. %s", e.Line, e.Summary, e.Remedy) }

// ErrFormat is the error for a file that is no spec by its name.
var ErrFormat = errors.New("specs have the extension .cue, .yaml, .yml or .json")

// Format formats the text of a file, as its extension says. An error other than *Error and
// ErrFormat is about its syntax.
func Format(name string, text []byte) ([]byte, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".cue":
		return CUE(text)
	case ".yaml", ".yml":
		return YAML(text)
	case ".json":
		return JSON(text)
	default:
		return nil, ErrFormat
	}
}

// JSON formats a document with one member per line.
func JSON(text []byte) ([]byte, error) {
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimSpace(text), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
