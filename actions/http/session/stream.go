package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"

	"github.com/tmaxmax/go-sse"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// maxEvent is the maximum size of an event or a line. Only one is in memory at a time.
const maxEvent = 1 << 20

// stream is the body of a response with events.
type stream struct {
	body io.Reader
	// idle is called when bytes arrive.
	idle func()
	// open says that the response ends with the connection, so that its end does not tell whether
	// it is complete.
	open bool
}

// Read reads from the body.
func (b *stream) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if n > 0 {
		b.idle()
	}
	return n, err
}

// event is the text of an event.
type event struct {
	name string
	data []byte
}

// readStream reads events as they arrive, until Event needs no more of them. The response is then
// that of the last event. A stream that ends earlier is cut: an event with an effect may have it
// or not.
func (s *Session) readStream(ctx, limited context.Context, r *request.Request, resp *verdict.Response, body *stream) (*verdict.Response, actions.Outcome) {
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); r.Stream == "events" && kind != "text/event-stream" {
		return nil, s.Judge.UnusableOutcome(r, resp, fmt.Errorf("the body is %q, expected text/event-stream", actions.Clip(kind, 80)))
	}
	last, n := resp, 0
	for e, err := range body.events(r.Stream, int(min(maxEvent, s.maxBytes))) {
		if err != nil {
			return nil, s.cut(ctx, limited, r, resp, n, err)
		}
		n++
		one := *resp
		one.Raw, one.Event = e.data, &verdict.Event{Name: e.name}
		s.Judge.ResetBudget()
		out := s.Judge.Outcome(r, &one)
		out.Result = s.Judge.Result(&one)
		one.Event.Outcome = out
		if last = &one; out.Status != actions.Done || s.call.Event != nil && !s.call.Event(out) {
			return last, actions.Outcome{Status: actions.Done}
		}
	}
	if s.call.Until || body.open {
		return nil, s.cut(ctx, limited, r, resp, n, io.EOF)
	}
	if n == 0 {
		last.Event = &verdict.Event{Outcome: actions.Outcome{Status: actions.Done}}
	}
	return last, actions.Outcome{Status: actions.Done}
}

// cut returns the outcome of a stream that ended too early. A request without an effect may be sent
// again, to go on with what the server sends then.
func (s *Session) cut(ctx, limited context.Context, r *request.Request, resp *verdict.Response, n int, err error) actions.Outcome {
	out := s.Judge.TransportOutcome(ctx, limited, r, err, true)
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		err, out.Again = fmt.Errorf("an event is larger than %d bytes", min(maxEvent, s.maxBytes)), false
	case limited.Err() != nil:
		err = context.Cause(limited)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the connection was closed")
	case errors.Is(err, io.EOF) && s.call.Until:
		err = errors.New("the stream ended before `until` was true")
	case errors.Is(err, io.EOF):
		err, out.Again = errors.New("the stream ended with the connection, which does not tell whether it is complete: add an `until`"), false
	}
	noun := "events"
	if n == 1 {
		noun = "event"
	}
	out.Err = fmt.Errorf("%s returned %s, but after %d %s: %w", s.Judge.Title(r), resp.Title(), n, noun, err)
	return out
}

// events returns the events in the body.
func (b *stream) events(format string, limit int) iter.Seq2[event, error] {
	if format == "lines" {
		return b.lines(limit)
	}
	return func(yield func(event, error) bool) {
		for e, err := range sse.Read(b, &sse.ReadConfig{MaxEventSize: limit}) {
			if !yield(event{name: e.Type, data: []byte(e.Data)}, err) || err != nil {
				return
			}
		}
	}
}

// lines returns the lines of the body that are not empty. A last line without an end counts, unless
// the connection broke.
func (b *stream) lines(limit int) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		in := bufio.NewReaderSize(b, 4<<10)
		for {
			line, err := readLine(in, limit)
			if err != nil && err != io.EOF {
				yield(event{}, err)
				return
			}
			// A line of a JSON text sequence begins with a record separator (RFC 7464).
			if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\x1e"))); len(line) > 0 && !yield(event{data: line}, nil) {
				return
			}
			if err != nil {
				return
			}
		}
	}
}

// readLine reads a line of at most limit bytes.
func readLine(in *bufio.Reader, limit int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > limit {
			return nil, bufio.ErrTooLong
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}
