package supervisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Kind is what a frame says.
type Kind byte

// The frames of a provider, and those of its supervisor.
const (
	// Start asks for a command: see Request. Its files come with it.
	Start Kind = iota + 1
	// End asks that the command be ended: milliseconds from TERM to KILL.
	End

	// Ready says that a supervisor may be asked.
	Ready
	// Started gives the process id of a command that is not over at once.
	Started
	// Failed says that the command did not start: the number of the error, or a
	// text where it has none.
	Failed
	// Exited says how it ended: see Exit.
	Exited
)

// maxFrame is more than any system takes as the arguments and environment of a
// program.
const maxFrame = 64 << 20

// Append writes a frame behind b: its length, its kind, and its fields, which
// may hold any bytes.
func Append(b []byte, kind Kind, fields ...string) []byte {
	size := 1
	for _, f := range fields {
		size += 4 + len(f)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(size))
	b = append(b, byte(kind))
	for _, f := range fields {
		b = binary.BigEndian.AppendUint32(b, uint32(len(f)))
		b = append(b, f...)
	}
	return b
}

// Read reads a frame. io.EOF means that the other side has closed between two.
func Read(r io.Reader) (Kind, []string, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size == 0 || size > maxFrame {
		return 0, nil, fmt.Errorf("a frame of %d bytes", size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return 0, nil, fmt.Errorf("a frame ends too early: %w", err)
	}
	kind, rest := Kind(body[0]), body[1:]
	var fields []string
	for len(rest) > 0 {
		if len(rest) < 4 {
			return 0, nil, errShort
		}
		n := binary.BigEndian.Uint32(rest)
		rest = rest[4:]
		if uint64(n) > uint64(len(rest)) {
			return 0, nil, errShort
		}
		fields = append(fields, string(rest[:n]))
		rest = rest[n:]
	}
	return kind, fields, nil
}

var errShort = errors.New("a field of a frame ends too early")
