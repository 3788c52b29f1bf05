package functions

import (
	"math"
	"strings"
	"sync"
	"time"

	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

// timeFunctions operate on points in time. None of them returns the current time.
func timeFunctions() []*Function {
	return []*Function{
		def(eval.OfText, "parsetime(s: any) time", "The time, in UTC, of a string in RFC 3339 or of a number of seconds since 1970.", `parsetime("2024-05-01T10:00:00+02:00").Unix()`, `1714550400`, fnParseTime),
		def(eval.OfText, "date(s: string, layout?: string) time", "The time, in UTC, of a string such as 2024-05-01, 2024-05-01 10:00:00 or 2024-05-01T10:00:00Z, or in the given layout. A layout shows how the time 15:04:05 on 2 January 2006 is written: 02/01/2006 is day, month, year. Times have Year(), Month(), Day(), Hour(), Minute(), Second(), Weekday(), YearDay(), Unix(), UnixMilli(), Format(layout), Add(duration), AddDate(y, m, d), Sub(time), Truncate(duration), Before(time), After(time) and Equal(time). `time + duration`, `time - duration` and `time - time` are also possible.", `date("2024-05-01").Year()`, `2024`, fnDate),
		def(eval.OfText, "duration(s: string) duration", "The duration of a string such as \"1h30m\". Durations have Hours(), Minutes(), Seconds() and Milliseconds().", `duration("1h30m").Minutes()`, `90`, fnDuration),
	}
}

func fnParseTime(_ *eval.Run, a args) (any, error) {
	if m, ok := a[0].(eval.Moment); ok {
		return m, nil
	}
	if n, ok := types.Numeric(a[0]); ok {
		whole, fraction := math.Modf(types.ToFloat(n))
		if i, ok := n.(int64); ok {
			whole, fraction = float64(i), 0
		}
		if math.Abs(whole) > 253402300799 {
			return nil, eval.Faultf("parsetime: %s seconds are beyond the year 9999", eval.Quote(n))
		}
		return eval.Moment(time.Unix(int64(whole), int64(fraction*1e9)).UTC()), nil
	}
	s, ok := a[0].(string)
	if !ok {
		return nil, eval.Faultf("parsetime requires a string, got %s", eval.DescribeKind(a[0]))
	}
	t, err := time.Parse(time.RFC3339, strings.TrimSpace(s))
	if err != nil {
		return nil, eval.Faultf("parsetime: invalid time %s (use 2024-05-01T10:00:00Z; date(…) reads other layouts)", eval.Quote(s))
	}
	return eval.Moment(t.UTC()), nil
}

func fnDate(_ *eval.Run, a args) (any, error) {
	s := a.text(0)
	layouts := []string{time.DateOnly, time.TimeOnly, time.DateTime, time.RFC3339, time.RFC822Z, time.RFC1123Z, time.RFC1123}
	if len(a) > 1 {
		layout, err := layoutArg("date", a)
		if err != nil {
			return nil, err
		}
		layouts = []string{layout}
	}
	for _, layout := range layouts {
		// Named time zones depend on the machine, except for UTC and GMT.
		if t, err := time.ParseInLocation(layout, s, time.UTC); err == nil {
			return eval.Moment(t.UTC()), nil
		}
	}
	return nil, eval.Faultf("date: invalid date %s (use 2006-01-02 or 2006-01-02T15:04:05Z, or pass a layout)", eval.Quote(s))
}

// maxLayout is the maximum length of a layout in bytes.
const maxLayout = 1 << 10

// layoutArg returns the second argument as a time layout.
func layoutArg(name string, a args) (string, error) {
	layout := a.text(1)
	if len(layout) > maxLayout {
		return "", eval.Faultf("%s: expected a layout of at most %d bytes, got %d", name, maxLayout, len(layout))
	}
	return layout, nil
}

func fnDuration(_ *eval.Run, a args) (any, error) {
	s := a.text(0)
	d, err := time.ParseDuration(s)
	if err != nil {
		return nil, eval.Faultf("duration: invalid duration %s (use 1h30m)", eval.Quote(s))
	}
	return eval.Span(d), nil
}

// MethodsOfTime returns the methods of points in time, by name.
var MethodsOfTime = sync.OnceValue(func() map[string]*Function {
	number := func(f func(time.Time) int64) operation {
		return func(_ *eval.Run, a args) (any, error) { return f(time.Time(a[0].(eval.Moment))), nil }
	}
	return methods(map[string]operation{
		"Year() int":       number(func(t time.Time) int64 { return int64(t.Year()) }),
		"Month() int":      number(func(t time.Time) int64 { return int64(t.Month()) }),
		"Day() int":        number(func(t time.Time) int64 { return int64(t.Day()) }),
		"Hour() int":       number(func(t time.Time) int64 { return int64(t.Hour()) }),
		"Minute() int":     number(func(t time.Time) int64 { return int64(t.Minute()) }),
		"Second() int":     number(func(t time.Time) int64 { return int64(t.Second()) }),
		"Weekday() int":    number(func(t time.Time) int64 { return int64(t.Weekday()) }),
		"YearDay() int":    number(func(t time.Time) int64 { return int64(t.YearDay()) }),
		"Unix() int":       number(time.Time.Unix),
		"UnixMilli() int":  number(time.Time.UnixMilli),
		"UnixMicro() int":  number(time.Time.UnixMicro),
		"Nanosecond() int": number(func(t time.Time) int64 { return int64(t.Nanosecond()) }),
		"Format(layout: string) string": func(r *eval.Run, a args) (any, error) {
			layout, err := layoutArg("Format", a)
			if err != nil {
				return nil, err
			}
			if err := r.Grow(16 * len(layout)); err != nil {
				return nil, err
			}
			return time.Time(a[0].(eval.Moment)).Format(layout), nil
		},
		"Add(d: duration) time":                   func(r *eval.Run, a args) (any, error) { return eval.OpAdd(r, a) },
		"Sub(t: time) duration":                   func(r *eval.Run, a args) (any, error) { return eval.OpSubtract(r, a) },
		"Before(t: time) bool":                    compareTimes(func(o int) bool { return o < 0 }),
		"After(t: time) bool":                     compareTimes(func(o int) bool { return o > 0 }),
		"Equal(t: time) bool":                     compareTimes(func(o int) bool { return o == 0 }),
		"Truncate(d: duration) time":              truncateWith(time.Time.Truncate),
		"AddDate(y: int, m: int, days: int) time": addDate,
	})
})

// MethodsOfDuration returns the methods of durations, by name.
var MethodsOfDuration = sync.OnceValue(func() map[string]*Function {
	number := func(f func(time.Duration) any) operation {
		return func(_ *eval.Run, a args) (any, error) { return f(time.Duration(a[0].(eval.Span))), nil }
	}
	return methods(map[string]operation{
		"Hours() number":     number(func(d time.Duration) any { return d.Hours() }),
		"Minutes() number":   number(func(d time.Duration) any { return d.Minutes() }),
		"Seconds() number":   number(func(d time.Duration) any { return d.Seconds() }),
		"Milliseconds() int": number(func(d time.Duration) any { return d.Milliseconds() }),
	})
})

func methods(table map[string]operation) map[string]*Function {
	out := make(map[string]*Function, len(table))
	for signature, run := range table {
		f := &Function{Function: check.NewFunction(signature)}
		f.Run = bind(f.Function, 1, run)
		out[f.Name] = f
	}
	return out
}

func compareTimes(holds func(int) bool) operation {
	op := eval.Ordering(holds)
	return func(r *eval.Run, a args) (any, error) { return op(r, a) }
}

func truncateWith(f func(time.Time, time.Duration) time.Time) operation {
	return func(_ *eval.Run, a args) (any, error) {
		d, ok := a[1].(eval.Span)
		if !ok {
			return nil, eval.Faultf("Truncate requires a duration, got %s", eval.DescribeKind(a[1]))
		}
		return eval.Moment(f(time.Time(a[0].(eval.Moment)), time.Duration(d))), nil
	}
}

func addDate(_ *eval.Run, a args) (any, error) {
	var n [3]int64
	for i := range n {
		if n[i] = a.whole(i+1, 0); n[i] > 1e6 || n[i] < -1e6 {
			return nil, eval.Faultf("AddDate: %s is out of range", eval.Quote(n[i]))
		}
	}
	return eval.Moment(time.Time(a[0].(eval.Moment)).AddDate(int(n[0]), int(n[1]), int(n[2]))), nil
}

// opMethod calls a method. Its arguments are the receiver, the name of the method,
// and the method's arguments.
func opMethod(r *eval.Run, a []any) (any, error) {
	name, _ := a[1].(string)
	var table map[string]*Function
	switch a[0].(type) {
	case eval.Moment:
		table = MethodsOfTime()
	case eval.Span:
		table = MethodsOfDuration()
	}
	f := table[name]
	if f == nil {
		return nil, eval.Faultf("%s has no method %.40q", eval.DescribeKind(a[0]), name)
	}
	args := append([]any{a[0]}, a[2:]...)
	if n := len(args) - 1; n < f.Required() || n > len(f.Params) {
		return nil, eval.Faultf("%s requires %s, got %d", name, f.Count(), n)
	}
	return f.Run(r, args)
}
