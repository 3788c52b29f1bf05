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

// ChildCommand is the argument with which this binary runs as the child: it evaluates one
// spec and writes a response to its standard output.
const ChildCommand = "__evaluate"

// Request is what the child reads from its standard input, as JSON.
type Request struct {
	Spec Spec `json:"spec"`
	// Tool is the version of declprov that the result records.
	Tool   string `json:"tool"`
	Limits Limits `json:"limits"`
	// Linked says that the input stays open after the request, until the process that wrote it
	// has the response or is gone.
	Linked bool `json:"linked,omitempty"`
}

// Response is what the child writes: the length of the JSON as eight bytes, big-endian;
// the JSON; and the compiled spec.
type Response struct {
	Findings diag.List    `json:"findings,omitempty"`
	Sources  diag.Sources `json:"sources,omitempty"`
	// Unchecked are notes. They are present even if the spec has mistakes.
	Unchecked diag.List `json:"unchecked,omitempty"`
	// Failure is an error that is not a mistake of the spec, such as an unreadable file.
	Failure string `json:"failure,omitempty"`
	// Container is nil if the findings have errors.
	Container []byte `json:"-"`
}

// Write writes the response in this form.
func (a *Response) Write(w io.Writer) error {
	head, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encoding the response: %w", err)
	}
	length := binary.BigEndian.AppendUint64(nil, uint64(len(head)))
	for _, part := range [][]byte{length, head, a.Container} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("writing the response: %w", err)
		}
	}
	return nil
}

var errTruncated = errors.New("the response is truncated")

func parseResponse(b []byte) (*Response, error) {
	if len(b) < 8 {
		return nil, errTruncated
	}
	length, rest := binary.BigEndian.Uint64(b), b[8:]
	if length > uint64(len(rest)) {
		return nil, errTruncated
	}
	var a Response
	if err := json.Unmarshal(rest[:length], &a); err != nil {
		return nil, fmt.Errorf("decoding the response: %w", err)
	}
	if rest = rest[length:]; len(rest) > 0 {
		a.Container = rest
	}
	return &a, nil
}

// cappedBuffer stores what is written to it, up to a limit. When the limit is exceeded, it
// calls full once. It accepts and drops further data, so that the writer does not block
// before it is stopped.
type cappedBuffer struct {
	kept  bytes.Buffer // not embedded, because its ReadFrom would ignore the limit
	limit int64
	over  bool
	full  func()
}

func (c *cappedBuffer) Write(p []byte) (int, error) {
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
