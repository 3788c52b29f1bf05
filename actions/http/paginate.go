package http

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
)

// mostPages is how many pages there may be without a word of the author's.
const mostPages = 1000

// paging is what the argument says.
type paging struct {
	Link bool `arg:"link"`
	Page *struct {
		Param     string `arg:"param"`
		Start     *int64 `arg:"start"`
		SizeParam string `arg:"sizeParam"`
		Size      *int64 `arg:"size"`
	} `arg:"page"`
	Offset *struct {
		Param      string `arg:"param"`
		LimitParam string `arg:"limitParam"`
		Limit      *int64 `arg:"limit"`
	} `arg:"offset"`
	Cursor *struct {
		Param string           `arg:"param"`
		Body  string           `arg:"body"`
		Next  actions.LateExpr `arg:"next"`
	} `arg:"cursor"`
	MaxPages *int64        `arg:"maxPages"`
	Timeout  time.Duration `arg:"timeout"`
}

// pages is how one page leads to the next.
type pages struct {
	paging
	kind string // link, page, offset or cursor
	most int64
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
func pagination(call *actions.Call) (*pages, error) {
	m, ok := call.Args["paginate"].(map[string]any)
	if !ok {
		return nil, nil
	}
	p := &pages{paging: paging{Timeout: defaultPagesTimeout}, most: mostPages}
	if err := call.DecodeWithin("paginate", m, &p.paging); err != nil {
		return nil, err
	}
	if p.MaxPages != nil {
		p.most = *p.MaxPages
	}
	for _, way := range []struct {
		kind  string
		given bool
	}{{"link", p.Link}, {"page", p.Page != nil}, {"offset", p.Offset != nil}, {"cursor", p.Cursor != nil}} {
		switch {
		case !way.given:
		case p.kind != "":
			return nil, fmt.Errorf("paginate: %s and %s are both given; give one", p.kind, way.kind)
		default:
			p.kind = way.kind
		}
	}
	switch {
	case p.kind == "":
		return nil, errors.New("paginate: give one of link, page, offset and cursor")
	case call.Late["items"] == nil:
		return nil, errors.New("paginate: `items` is missing: say where in an answer the list is, as in \"${body.items}\"")
	case p.kind == "cursor" && p.Cursor.Next == nil:
		return nil, errors.New("paginate: cursor.next is missing: say where in an answer the next cursor is")
	case p.kind == "cursor" && (p.Cursor.Param == "") == (p.Cursor.Body == ""):
		return nil, errors.New("paginate: cursor has one of param and body")
	}
	return p, nil
}

// first adds what the first request has beside its own.
func (p *pages) first() []request.Pair {
	var out []request.Pair
	add := func(param string, n *int64) {
		if param != "" && n != nil {
			out = append(out, request.Pair{Name: param, Value: strconv.FormatInt(*n, 10)})
		}
	}
	switch p.kind {
	case "page":
		start := p.start()
		add(p.Page.Param, &start)
		add(p.Page.SizeParam, p.Page.Size)
	case "offset":
		add(p.Offset.Param, new(int64))
		add(p.Offset.LimitParam, p.Offset.Limit)
	}
	return out
}

// start is the number of the first page.
func (p *pages) start() int64 {
	if p.Page.Start == nil {
		return 1
	}
	return *p.Page.Start
}

// with is the pairs with one value of that name.
func with(pairs []request.Pair, name, value string) []request.Pair {
	pairs = slices.DeleteFunc(pairs, func(p request.Pair) bool { return p.Name == name })
	return append(pairs, request.Pair{Name: name, Value: value})
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
