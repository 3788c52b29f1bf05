package http

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
)

// mostPages is how many pages there may be without a word of the author's.
const mostPages = 1000

// pages is how one page leads to the next.
type pages struct {
	kind     string // link, page, offset or cursor
	settings map[string]any
	most     int64
	// bounded says that the author named most.
	bounded bool
	// timeout is the longest time for all pages.
	timeout time.Duration
	// asked are the links or cursors that were followed, last the items of the page
	// before.
	asked map[string]bool
	last  []any
}

// defaultPagesTimeout is the longest time for all pages where the spec has no other.
const defaultPagesTimeout = 10 * time.Minute

// again reports whether a link or cursor was followed before.
func (p *pages) again(next string) bool {
	if p.asked[next] {
		return true
	}
	if p.asked == nil {
		p.asked = map[string]bool{}
	}
	p.asked[next] = true
	return false
}

// counts reports whether pages are asked for by number, so that only an empty one says
// that there are no more. What names its next page may be empty, and have one.
func (p *pages) counts() bool { return p.kind == "page" || p.kind == "offset" }

// repeats reports whether a page by number holds what the one before did: many
// servers give their last page for every number behind it, or their only one for any.
func (p *pages) repeats(items []any) bool {
	same := p.counts() && len(p.last) > 0 && reflect.DeepEqual(items, p.last)
	p.last = items
	return same
}

// pagesOvertime is the error of pages that took longer than they may.
type pagesOvertime time.Duration

func (o pagesOvertime) Error() string {
	return fmt.Sprintf("the pages took longer than %s together (`paginate.timeout`): %v", time.Duration(o), context.DeadlineExceeded)
}

func (pagesOvertime) Unwrap() error { return context.DeadlineExceeded }

// pagination reads the argument; nil is a single page.
func (x *exchange) pagination() (*pages, error) {
	m, ok := x.call.Args["paginate"].(map[string]any)
	if !ok {
		return nil, nil
	}
	p := &pages{most: mostPages}
	if most, ok := m["maxPages"].(int64); ok {
		p.most, p.bounded = most, true
	}
	var err error
	if p.timeout, err = declare.DurationOf("paginate.timeout", m["timeout"], defaultPagesTimeout); err != nil {
		return nil, err
	}
	for _, kind := range []string{"link", "page", "offset", "cursor"} {
		v := m[kind]
		if v == nil || v == false {
			continue
		}
		if p.kind != "" {
			return nil, fmt.Errorf("paginate: %s and %s are both given; give one", p.kind, kind)
		}
		p.kind = kind
		p.settings, _ = v.(map[string]any)
	}
	switch {
	case p.kind == "":
		return nil, errors.New("paginate: give one of link, page, offset and cursor")
	case x.call.Late["items"] == nil:
		return nil, errors.New("paginate: `items` is missing: say where in an answer the list is, as in \"${body.items}\"")
	case p.kind == "cursor" && x.call.Late["paginate.cursor.next"] == nil:
		return nil, errors.New("paginate: cursor.next is missing: say where in an answer the next cursor is")
	case p.kind == "cursor" && (p.text("param") == "") == (p.text("body") == ""):
		return nil, errors.New("paginate: cursor has one of param and body")
	}
	return p, nil
}

func (p *pages) text(name string) string {
	s, _ := p.settings[name].(string)
	return s
}

// first adds what the first request has beside its own.
func (p *pages) first() []pair {
	var out []pair
	add := func(param string, v any, def string) {
		if name := p.text(param); name != "" {
			value := def
			if n, ok := v.(int64); ok {
				value = strconv.FormatInt(n, 10)
			}
			if value != "" {
				out = append(out, pair{name, value})
			}
		}
	}
	switch p.kind {
	case "page":
		add("param", p.settings["start"], "1")
		add("sizeParam", p.settings["size"], "")
	case "offset":
		add("param", int64(0), "")
		add("limitParam", p.settings["limit"], "")
	}
	return out
}

// quietPaging is how long a listing may take before it says how far it is.
const quietPaging = 2 * time.Second

// counted is so many of something, in words.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// paginate fetches page after page, as far as they are wanted. The result is
// that of the last.
func (x *exchange) paginate(ctx context.Context) actions.Outcome {
	ctx, cancel := context.WithTimeoutCause(ctx, x.pages.timeout, pagesOvertime(x.pages.timeout))
	defer cancel()
	all := []any{}
	r, own, began := *x.req, x.req.pairs, x.family.now()
	r.pairs = append(slices.Clone(own), x.pages.first()...)
	for n := int64(1); ; n++ {
		a, out := x.exchange(ctx, &r)
		if out.Status != actions.Done {
			if n > 1 && out.Err != nil {
				out.Err = fmt.Errorf("page %d: %w", n, out.Err)
				out.Result = nil
				if out.Status == actions.Gone {
					out.Status = actions.Refused
				}
			}
			return out
		}
		result := x.result(a)
		result["items"] = all
		out.Result = result
		if out.Unfit != nil || !x.wants("items") {
			return out // the page is not of the declared type: the step fails with that error
		}
		list, err := x.items(x.call.Late["items"], a)
		if err != nil {
			return x.unusable(a, err)
		}
		if x.pages.repeats(list) {
			result["items"] = limited(all, x.call.Limit)
			return out
		}
		all = append(all, list...)
		result["items"] = limited(all, x.call.Limit)
		if len(list) == 0 && x.pages.counts() || x.call.Limit > 0 && len(all) >= x.call.Limit {
			return out
		}
		x.read += int64(len(a.raw))
		more, err := x.next(&r, own, a, n, len(all))
		switch {
		case err != nil:
			return x.unusable(a, err)
		case !more:
			return out
		case x.pages.bounded && n >= x.pages.most:
			out.Cut = true
			return out
		case n >= x.pages.most:
			return x.unusable(a, fmt.Errorf("there are more than %d pages; set paginate.maxPages to how many are wanted", n))
		}
		if x.family.now().Sub(began) > quietPaging {
			x.call.Progress(fmt.Sprintf("page %d, after %s", n+1, counted(len(all), "item")))
		}
	}
}

// items evaluates the list of a page; null is an empty one.
func (x *exchange) items(late actions.LateExpr, a *answer) ([]any, error) {
	v, err := late(a.known())
	if err != nil {
		return nil, fmt.Errorf("items fails: %w", err)
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	default:
		return nil, fmt.Errorf("items yields %s, and a list is wanted", actions.KindOf(v))
	}
}

// next makes the request of the next page; more is false where there is none.
func (x *exchange) next(r *request, own []pair, a *answer, n int64, seen int) (more bool, err error) {
	p := x.pages
	switch p.kind {
	case "page":
		start, ok := p.settings["start"].(int64)
		if !ok {
			start = 1
		}
		r.pairs = with(append(slices.Clone(own), p.first()...), p.text("param"), strconv.FormatInt(start+n, 10))
		return true, nil
	case "offset":
		r.pairs = with(append(slices.Clone(own), p.first()...), p.text("param"), strconv.Itoa(seen))
		return true, nil
	case "cursor":
		return x.nextCursor(r, own, a)
	default:
		if n == 1 {
			p.again(a.at.String())
		}
		return p.nextLink(r, a)
	}
}

// with is the pairs with one value of that name.
func with(pairs []pair, name, value string) []pair {
	pairs = slices.DeleteFunc(pairs, func(p pair) bool { return p.name == name })
	return append(pairs, pair{name, value})
}

func (x *exchange) nextCursor(r *request, own []pair, a *answer) (bool, error) {
	v, err := x.call.Late["paginate.cursor.next"](a.known())
	if err != nil {
		return false, fmt.Errorf("paginate.cursor.next fails: %w", err)
	}
	if v == nil || v == "" {
		return false, nil
	}
	key, err := json.Marshal(v)
	if err != nil || x.pages.again(string(key)) {
		return false, errors.Join(err, errors.New("its next cursor is one that was followed before: the pages would never end"))
	}
	if name := x.pages.text("param"); name != "" {
		text, err := actions.TextOf(v)
		if err != nil {
			return false, fmt.Errorf("paginate.cursor.next %w", err)
		}
		pairs := with(slices.Clone(own), name, text)
		if slices.Equal(pairs, r.pairs) {
			return false, errors.New("its next cursor is the one it was asked with: the pages would never end")
		}
		r.pairs = pairs
		return true, nil
	}
	from := "json"
	if x.given.args["graphql"] != nil {
		from = "graphql"
	}
	before, _ := x.given.args[from].(map[string]any)
	after := inserted(before, strings.Split(x.pages.text("body"), "."), v)
	body, err := encodeBody(from, after, handed{})
	if err != nil {
		return false, err
	}
	if samePayload(body, r.body) {
		return false, errors.New("its next cursor is the one it was asked with: the pages would never end")
	}
	r.body = body
	return true, nil
}

// inserted is the object with a value at a path.
func inserted(m map[string]any, path []string, v any) map[string]any {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]any{}
	}
	if len(path) > 1 {
		inner, _ := out[path[0]].(map[string]any)
		v = inserted(inner, path[1:], v)
	}
	out[path[0]] = v
	return out
}

func samePayload(a, b *payload) bool {
	if a == nil || b == nil || a.size != b.size {
		return false
	}
	read := func(p *payload) string {
		f, err := p.open()
		if err != nil {
			return ""
		}
		defer f.Close()
		data, _ := io.ReadAll(f)
		return string(data)
	}
	return read(a) == read(b)
}
