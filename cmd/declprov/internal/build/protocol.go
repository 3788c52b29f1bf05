package build

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/declprov/declprov/spec/diag"
)

// ChildCommand is the argument that makes this binary the child: it evaluates
// one spec and answers on its standard output.
const ChildCommand = "__evaluate"

// Request is what the child reads from its standard input, as JSON.
type Request struct {
	Spec Spec `json:"spec"`
	// Tool is the version of declprov that the result is marked with.
	Tool   string `json:"tool"`
	Limits Limits `json:"limits"`
}

// Answer is what the child writes: the length of the JSON as eight bytes,
// big-endian, the JSON, and to the end the compiled spec as it is.
type Answer struct {
	Findings diag.List    `json:"findings,omitempty"`
	Sources  diag.Sources `json:"sources,omitempty"`
	// Unchecked are notes, whether the spec has mistakes or not.
	Unchecked diag.List `json:"unchecked,omitempty"`
	// Failure is the world's fault: the spec could not be read.
	Failure string `json:"failure,omitempty"`
	// Container is nil where the findings have errors.
	Container []byte `json:"-"`
}

// Write writes the answer in that form.
func (a *Answer) Write(w io.Writer) error {
	head, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	length := binary.BigEndian.AppendUint64(nil, uint64(len(head)))
	for _, part := range [][]byte{length, head, a.Container} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("writing the answer: %w", err)
		}
	}
	return nil
}

var errCutShort = errors.New("the answer is cut short")

func parseAnswer(b []byte) (*Answer, error) {
	if len(b) < 8 {
		return nil, errCutShort
	}
	length, rest := binary.BigEndian.Uint64(b), b[8:]
	if length > uint64(len(rest)) {
		return nil, errCutShort
	}
	var a Answer
	if err := json.Unmarshal(rest[:length], &a); err != nil {
		return nil, fmt.Errorf("decoding the answer: %w", err)
	}
	if rest = rest[length:]; len(rest) > 0 {
		a.Container = rest
	}
	return &a, nil
}

// capped keeps what is written to it up to a limit, and then calls full once
// and keeps nothing more. It goes on to accept, so that the writer does not
// block before it is stopped.
type capped struct {
	kept  bytes.Buffer // a field, for its ReadFrom would pass the limit by
	limit int64
	over  bool
	full  func()
}

func (c *capped) Write(p []byte) (int, error) {
	room := c.limit - int64(c.kept.Len())
	if int64(len(p)) <= room {
		return c.kept.Write(p)
	}
	c.kept.Write(p[:max(0, room)])
	if !c.over {
		c.over = true
		if c.full != nil {
			c.full()
		}
	}
	return len(p), nil
}
