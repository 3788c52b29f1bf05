package eval

import (
	"time"
)

// Moment and Span are times and durations within an expression. In results they are
// strings, in RFC 3339 and in Go's format for durations.
type (
	Moment time.Time
	Span   time.Duration
)

func (m Moment) String() string { return time.Time(m).Format(time.RFC3339Nano) }

func (s Span) String() string { return time.Duration(s).String() }

func addTimes(a, b any) (any, bool) {
	switch x := a.(type) {
	case Moment:
		if y, ok := b.(Span); ok {
			return Moment(time.Time(x).Add(time.Duration(y))), true
		}
	case Span:
		switch y := b.(type) {
		case Moment:
			return Moment(time.Time(y).Add(time.Duration(x))), true
		case Span:
			return x + y, true
		}
	}
	return nil, false
}

func subtractTimes(a, b any) (any, bool) {
	switch x := a.(type) {
	case Moment:
		switch y := b.(type) {
		case Moment:
			return Span(time.Time(x).Sub(time.Time(y))), true
		case Span:
			return Moment(time.Time(x).Add(-time.Duration(y))), true
		}
	case Span:
		if y, ok := b.(Span); ok {
			return x - y, true
		}
	}
	return nil, false
}
