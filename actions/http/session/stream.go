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
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
	"github.com/declprov/declprov/spec/diag"
)

// maxEvent is the maximum size of an event or a line. Only one is in memory at a time.
const maxEvent = 1 << 20

// limit returns the context of one message, which ends after the timeout. For a stream, it ends
// that long after idle was last called.
func limit(ctx context.Context, timeout time.Duration, streams bool) (limited context.Context, idle, cancel func()) {
	ended := timeoutError(timeout)
	if !streams {
		limited, cancel := context.WithTimeoutCause(ctx, timeout, ended)
		return limited, func() {}, cancel
	}
	limited, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(timeout, func() { end(ended) })
	return limited, func() { timer.Reset(timeout) }, func() {
		timer.Stop()
		end(context.Canceled)
	}
}

// stream is the body of a response with events.
type stream struct {
	session *Session
	request *request.Request
	body    io.Reader
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

// read reads events as they arrive, until the engine needs no more of them, and returns the response
// with the last one. A stream that ends earlier was cut.
func (b *stream) read(ctx, limited context.Context, resp *verdict.Response) (*verdict.Response, actions.Outcome) {
	judge, call := &b.session.Judge, b.session.call
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); b.request.Stream == "events" && kind != "text/event-stream" {
		return nil, judge.UnusableOutcome(b.request, resp, fmt.Errorf("the body is %q, expected text/event-stream", actions.Clip(kind, 80)))
	}
	last, n := resp, 0
	for e, err := range b.events() {
		if err != nil {
			return nil, b.cut(ctx, limited, resp, n, err)
		}
		n++
		one := *resp
		one.Raw, one.Event = e.data, &verdict.Event{Name: e.name}
		judge.ResetBudget()
		out := judge.Outcome(b.request, &one)
		out.Result = judge.Result(&one)
		one.Event.Outcome = out
		if last = &one; out.Status != actions.Done || call.Event != nil && !call.Event(out) {
			return last, actions.Outcome{Status: actions.Done}
		}
	}
	if call.Until || b.open {
		return nil, b.cut(ctx, limited, resp, n, io.EOF)
	}
	if n == 0 {
		last.Event = &verdict.Event{Outcome: actions.Outcome{Status: actions.Done}}
	}
	return last, actions.Outcome{Status: actions.Done}
}

// cut returns the outcome of a stream that ended after n events, too early. A request without an
// effect may be sent again; of any other one, the effect is unknown.
func (b *stream) cut(ctx, limited context.Context, resp *verdict.Response, n int, err error) actions.Outcome {
	judge := &b.session.Judge
	out := judge.TransportOutcome(ctx, limited, b.request, err, true)
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		err, out.Again = fmt.Errorf("an event is larger than %d bytes", b.limit()), false
	case limited.Err() != nil:
		err = context.Cause(limited)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the connection was closed")
	case errors.Is(err, io.EOF) && b.session.call.Until:
		err = errors.New("the stream ended before `until` was true")
	case errors.Is(err, io.EOF):
		err, out.Again = errors.New("the stream ended with the connection, which does not tell whether it is complete: add an `until`"), false
	}
	out.Err = fmt.Errorf("%s returned %s, but after %s: %w", judge.Title(b.request), resp.Title(), diag.Count(n, "event"), err)
	return out
}

// limit returns the maximum size of an event.
func (b *stream) limit() int { return int(min(maxEvent, b.session.maxBytes)) }

// events returns the events in the body.
func (b *stream) events() iter.Seq2[event, error] {
	if b.request.Stream == "lines" {
		return b.lines
	}
	return func(yield func(event, error) bool) {
		for e, err := range sse.Read(b, &sse.ReadConfig{MaxEventSize: b.limit()}) {
			if !yield(event{name: e.Type, data: []byte(e.Data)}, err) || err != nil {
				return
			}
		}
	}
}

// lines yields the lines of the body that are not empty. A last line without an end counts, unless
// the connection broke.
func (b *stream) lines(yield func(event, error) bool) {
	in := bufio.NewReaderSize(b, 4<<10)
	for {
		line, err := readLine(in, b.limit())
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
