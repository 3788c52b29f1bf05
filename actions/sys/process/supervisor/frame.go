package supervisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// FrameKind is the kind of a frame.
type FrameKind byte

// Frames of a provider, and of its supervisor.
const (
	// Start starts a command: see Request. Its files are sent with it.
	Start FrameKind = iota + 1
	// End ends the command. Its field is the time from SIGTERM to SIGKILL in milliseconds.
	End

	// Ready says that the supervisor accepts commands.
	Ready
	// Started has the process id of a command that has not ended at once.
	Started
	// Failed says that the command did not start. Its field is an errno, or a text.
	Failed
	// Exited says how the command ended: see Exit.
	Exited
)

// maxFrame exceeds the maximum size of the arguments and environment on any system.
const maxFrame = 64 << 20

// AppendFrame appends a frame to b: its length, kind, and fields of arbitrary bytes.
func AppendFrame(b []byte, kind FrameKind, fields ...string) []byte {
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

// ReadFrame reads a frame. It returns io.EOF if the other side closed the connection between
// two frames.
func ReadFrame(r io.Reader) (FrameKind, []string, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size == 0 || size > maxFrame {
		return 0, nil, fmt.Errorf("invalid frame size %d", size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return 0, nil, fmt.Errorf("truncated frame: %w", err)
	}
	kind, rest := FrameKind(body[0]), body[1:]
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

var errShort = errors.New("truncated field of a frame")
