package expr

import (
	"github.com/declprov/declprov/spec/types"
	"math"
	"strings"
	"sync"
	"time"
)

// timeFunctions work on points in time. None of them knows what time it is.
func timeFunctions() []*Function {
	return []*Function{
		def("parsetime(s: any) time", "The time that a text in RFC 3339, or seconds since 1970, stand for, in UTC.", `parsetime("2024-05-01T10:00:00+02:00").Unix()`, `1714550400`, fnParseTime),
		def("date(s: string, layout?: string) time", "The time that a text stands for, in UTC, by one of the usual layouts, or by a layout of Go's. Times have Year(), Month(), Day(), Hour(), Minute(), Second(), Weekday(), YearDay(), Unix(), UnixMilli(), Format(layout), Add(duration), AddDate(y, m, d), Sub(time), Truncate(duration), Before, After and Equal; + and - work too.", `date("2024-05-01").Year()`, `2024`, fnDate),
		def("duration(s: string) duration", "The duration that a text such as \"1h30m\" stands for. Durations have Hours(), Minutes(), Seconds() and Milliseconds().", `duration("1h30m").Minutes()`, `90`, fnDuration),
	}
}

func fnParseTime(_ *run, a []any) (any, error) {
	if m, ok := a[0].(moment); ok {
		return m, nil
	}
	if n, ok := types.Numeric(a[0]); ok {
		whole, fraction := math.Modf(types.ToFloat(n))
		if i, ok := n.(int64); ok {
			whole, fraction = float64(i), 0
		}
		if math.Abs(whole) > 253402300799 {
			return nil, faultf("parsetime: %s seconds are beyond the year 9999", quote(n))
		}
		return moment(time.Unix(int64(whole), int64(fraction*1e9)).UTC()), nil
	}
	s, err := textArg("parsetime", a, 0)
	if err != nil {
		return nil, err
	}
	t, err := time.Parse(time.RFC3339, strings.TrimSpace(s))
	if err != nil {
		return nil, faultf("parsetime: %s is no time in RFC 3339, as in 2024-05-01T10:00:00Z; date(…) reads other layouts", quote(s))
	}
	return moment(t.UTC()), nil
}

func fnDate(_ *run, a []any) (any, error) {
	s, err := textArg("date", a, 0)
	if err != nil {
		return nil, err
	}
	layouts := []string{time.DateOnly, time.TimeOnly, time.DateTime, time.RFC3339, time.RFC822Z, time.RFC1123Z, time.RFC1123}
	if len(a) > 1 {
		layout, err := layoutArg("date", a)
		if err != nil {
			return nil, err
		}
		layouts = []string{layout}
	}
	for _, layout := range layouts {
		// Zones by name depend on the machine, but for UTC and GMT.
		if t, err := time.ParseInLocation(layout, s, time.UTC); err == nil {
			return moment(t.UTC()), nil
		}
	}
	return nil, faultf("date: %s is no date: write it as 2006-01-02 or 2006-01-02T15:04:05Z, or give a layout", quote(s))
}

// maxLayout is the most bytes of a layout of times.
const maxLayout = 1 << 10

// layoutArg is the second argument as a layout of times.
func layoutArg(name string, a []any) (string, error) {
	layout, err := textArg(name, a, 1)
	if err == nil && len(layout) > maxLayout {
		err = faultf("%s: a layout may have %d bytes, and this has %d", name, maxLayout, len(layout))
	}
	return layout, err
}

func fnDuration(_ *run, a []any) (any, error) {
	s, err := textArg("duration", a, 0)
	if err != nil {
		return nil, err
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return nil, faultf("duration: %s is no duration: write it as 1h30m", quote(s))
	}
	return span(d), nil
}

var methodsOfTime = sync.OnceValue(func() map[string]*Function {
	number := func(f func(time.Time) int64) operation {
		return func(_ *run, a []any) (any, error) { return f(time.Time(a[0].(moment))), nil }
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
		"Format(layout: string) string": func(r *run, a []any) (any, error) {
			layout, err := layoutArg("Format", a)
			if err != nil {
				return nil, err
			}
			if err := r.grow(16 * len(layout)); err != nil {
				return nil, err
			}
			return time.Time(a[0].(moment)).Format(layout), nil
		},
		"Add(d: duration) time":                   func(r *run, a []any) (any, error) { return opAdd(r, a) },
		"Sub(t: time) duration":                   func(r *run, a []any) (any, error) { return opSubtract(r, a) },
		"Before(t: time) bool":                    ordering(func(o int) bool { return o < 0 }),
		"After(t: time) bool":                     ordering(func(o int) bool { return o > 0 }),
		"Equal(t: time) bool":                     ordering(func(o int) bool { return o == 0 }),
		"Truncate(d: duration) time":              truncating(time.Time.Truncate),
		"AddDate(y: int, m: int, days: int) time": addDate,
	})
})

var methodsOfDuration = sync.OnceValue(func() map[string]*Function {
	number := func(f func(time.Duration) any) operation {
		return func(_ *run, a []any) (any, error) { return f(time.Duration(a[0].(span))), nil }
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
		f := def(signature, "", "", "", run)
		out[f.Name] = f
	}
	return out
}

func truncating(f func(time.Time, time.Duration) time.Time) operation {
	return func(_ *run, a []any) (any, error) {
		d, ok := a[1].(span)
		if !ok {
			return nil, faultf("Truncate needs a duration, and has %s", describeKind(a[1]))
		}
		return moment(f(time.Time(a[0].(moment)), time.Duration(d))), nil
	}
}

func addDate(_ *run, a []any) (any, error) {
	var n [3]int64
	for i := range n {
		var err error
		if n[i], err = intArg("AddDate", a, i+1, 0); err != nil {
			return nil, err
		}
		if n[i] > 1e6 || n[i] < -1e6 {
			return nil, faultf("AddDate: %s is beyond what a calendar has", quote(n[i]))
		}
	}
	return moment(time.Time(a[0].(moment)).AddDate(int(n[0]), int(n[1]), int(n[2]))), nil
}

// opMethod calls a method: of the receiver, by its name, with the others.
func opMethod(r *run, a []any) (any, error) {
	name, _ := a[1].(string)
	var table map[string]*Function
	switch a[0].(type) {
	case moment:
		table = methodsOfTime()
	case span:
		table = methodsOfDuration()
	}
	f := table[name]
	if f == nil {
		return nil, faultf("%s has no method %.40q", describeKind(a[0]), name)
	}
	args := append([]any{a[0]}, a[2:]...)
	if n := len(args) - 1; n < f.Required() || n > len(f.Params) {
		return nil, faultf("%s takes %s, and has %d", name, f.Count(), n)
	}
	return f.run(r, args)
}
