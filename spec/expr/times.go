package expr

import (
	"time"
)

// moment and span are times and durations within an expression. What leaves it
// is text: RFC 3339, and Go's form of durations.
type (
	moment time.Time
	span   time.Duration
)

func (m moment) String() string { return time.Time(m).Format(time.RFC3339Nano) }

func (s span) String() string { return time.Duration(s).String() }

func addTimes(a, b any) (any, bool) {
	switch x := a.(type) {
	case moment:
		if y, ok := b.(span); ok {
			return moment(time.Time(x).Add(time.Duration(y))), true
		}
	case span:
		switch y := b.(type) {
		case moment:
			return moment(time.Time(y).Add(time.Duration(x))), true
		case span:
			return x + y, true
		}
	}
	return nil, false
}

func subtractTimes(a, b any) (any, bool) {
	switch x := a.(type) {
	case moment:
		switch y := b.(type) {
		case moment:
			return span(time.Time(x).Sub(time.Time(y))), true
		case span:
			return moment(time.Time(x).Add(-time.Duration(y))), true
		}
	case span:
		if y, ok := b.(span); ok {
			return x - y, true
		}
	}
	return nil, false
}
