package http

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
)

// defaultMaxPages is the maximum number of pages if maxPages is not set.
const defaultMaxPages = 1000

// paginateSettings are the members of the argument `paginate`.
type paginateSettings struct {
	Link bool             `arg:"link"`
	Next actions.LateExpr `arg:"next"`
	Page *struct {
		Param     string `arg:"param"`
		Start     *int64 `arg:"start"`
		SizeParam string `arg:"sizeParam"`
		Size      *int64 `arg:"size"`
		In        string `arg:"in"`
	} `arg:"page"`
	Offset *struct {
		Param      string `arg:"param"`
		LimitParam string `arg:"limitParam"`
		Limit      *int64 `arg:"limit"`
		In         string `arg:"in"`
	} `arg:"offset"`
	Cursor *struct {
		Param string           `arg:"param"`
		Body  string           `arg:"body"`
		Next  actions.LateExpr `arg:"next"`
	} `arg:"cursor"`
	MaxPages *int64        `arg:"maxPages"`
	Timeout  time.Duration `arg:"timeout"`
}

// pages determines the request for the next page.
type pages struct {
	paginateSettings
	kind     string // link, next, page, offset or cursor
	maxPages int64
	// followed are the links or cursors that were used. lastItems are the items of the
	// previous page.
	followed  map[string]bool
	lastItems []any
	// doubt is why a page may be incomplete, or "".
	doubt string
}

// defaultPagesTimeout is the timeout for all pages together if the spec sets none.
const defaultPagesTimeout = 10 * time.Minute

// wasFollowed reports whether a link or cursor was used before, and records it.
func (p *pages) wasFollowed(next string) bool {
	if p.followed[next] {
		return true
	}
	if p.followed == nil {
		p.followed = map[string]bool{}
	}
	p.followed[next] = true
	return false
}

// byNumber reports whether pages are requested by number, so that only an empty page shows
// that there are no more. A page that names its successor may be empty and yet have one.
func (p *pages) byNumber() bool { return p.kind == "page" || p.kind == "offset" }

// refused returns the outcome of a page that could not be fetched, with a remedy if the server may have refused it because it is
// the one after the last.
func (p *pages) refused(out actions.Outcome, n int64) actions.Outcome {
	if n == 1 || !p.byNumber() || !slices.Contains([]string{"400", "404", "416", "422"}, out.Class) {
		return out
	}
	out.Err = fmt.Errorf("%w; if the server refuses the page after the last one, let the response say whether there is another, such as by "+
		"paginate.cursor: {param: \"page\", next: \"${body.page < body.pages ? body.page + 1 : null}\"}", out.Err)
	return out
}

// repeatsPrevious reports whether a page that was requested by number has the same items as
// the previous one. Many servers return their last page for every higher number, or their
// only page for any.
func (p *pages) repeatsPrevious(items []any) bool {
	same := p.byNumber() && len(p.lastItems) > 0 && reflect.DeepEqual(items, p.lastItems)
	p.lastItems = items
	return same
}

// pagesTimeoutError is the error of pages that exceeded their timeout.
type pagesTimeoutError time.Duration

func (o pagesTimeoutError) Error() string {
	return fmt.Sprintf("the pages took longer than %s together (`paginate.timeout`): %v", time.Duration(o), context.DeadlineExceeded)
}

func (pagesTimeoutError) Unwrap() error { return context.DeadlineExceeded }

// newPages reads the argument `paginate`. It returns nil if there is only one page.
func newPages(call *actions.Call) (*pages, error) {
	m, ok := call.Args["paginate"].(map[string]any)
	if !ok {
		return nil, nil
	}
	p := &pages{paginateSettings: paginateSettings{Timeout: defaultPagesTimeout}, maxPages: defaultMaxPages}
	if err := call.DecodeWithin("paginate", m, &p.paginateSettings); err != nil {
		return nil, err
	}
	if p.MaxPages != nil {
		p.maxPages = *p.MaxPages
	}
	for _, way := range []struct {
		kind  string
		given bool
	}{{"link", p.Link}, {"next", p.Next != nil}, {"page", p.Page != nil}, {"offset", p.Offset != nil}, {"cursor", p.Cursor != nil}} {
		switch {
		case !way.given:
		case p.kind != "":
			return nil, fmt.Errorf("paginate: %s and %s are both given; remove one of them", p.kind, way.kind)
		default:
			p.kind = way.kind
		}
	}
	switch {
	case p.kind == "":
		return nil, errors.New("paginate: expected one of link, next, page, offset and cursor")
	case call.Late["items"] == nil:
		return nil, errors.New("paginate requires `items`: an expression that finds the list in a response, like \"${body.items}\"")
	case p.kind == "cursor" && p.Cursor.Next == nil:
		return nil, errors.New("paginate: cursor.next is missing: an expression that finds the next cursor in a response")
	case p.kind == "cursor" && (p.Cursor.Param == "") == (p.Cursor.Body == ""):
		return nil, errors.New("paginate: cursor: expected exactly one of param and body")
	case p.isInBody() && !takesMembers(call):
		return nil, errors.New("paginate: parameters in the body are members of it, so the body must be `json`, `form` or `graphql`, a struct")
	}
	return p, nil
}

// inBody is the value of `in` for parameters that are members of the body.
const inBody = "body"

// isInBody reports whether the parameters of pages are members of the body.
func (p *pages) isInBody() bool {
	switch p.kind {
	case "page":
		return p.Page.In == inBody
	case "offset":
		return p.Offset.In == inBody
	default:
		return p.kind == "cursor" && p.Cursor.Body != ""
	}
}

// bodyArgument returns the argument for the body with members: json, form or graphql.
func bodyArgument(call *actions.Call) string {
	for _, name := range []string{"graphql", "form"} {
		if call.Args[name] != nil {
			return name
		}
	}
	return "json"
}

// takesMembers reports whether members can be added to the body: it is a struct, or there is none.
func takesMembers(call *actions.Call) bool {
	members := bodyArgument(call)
	for _, name := range request.BodyArguments() {
		if name != members && call.Args[name] != nil {
			return false
		}
	}
	_, ok := call.Args[members].(map[string]any)
	return ok || call.Args[members] == nil
}

// pageNumber is a parameter of a page that is requested by number.
type pageNumber struct {
	name string
	n    int64
}

// numbers returns the parameters of the page after `before` pages with `seen` items.
func (p *pages) numbers(before int64, seen int) []pageNumber {
	var list []pageNumber
	add := func(param string, n *int64) {
		if param != "" && n != nil {
			list = append(list, pageNumber{param, *n})
		}
	}
	switch p.kind {
	case "page":
		page := p.firstPage() + before
		add(p.Page.Param, &page)
		add(p.Page.SizeParam, p.Page.Size)
	case "offset":
		offset := int64(seen)
		add(p.Offset.Param, &offset)
		add(p.Offset.LimitParam, p.Offset.Limit)
	}
	return list
}

// firstPage returns the number of the first page.
func (p *pages) firstPage() int64 {
	if p.Page.Start == nil {
		return 1
	}
	return *p.Page.Start
}

// withParam returns the pairs with exactly one value for the name.
func withParam(pairs []request.Pair, name, value string) []request.Pair {
	pairs = slices.DeleteFunc(pairs, func(p request.Pair) bool { return p.Name == name })
	return append(pairs, request.Pair{Name: name, Value: value})
}

// withValueAt returns a copy of the object with the value at the path.
func withValueAt(m map[string]any, path []string, v any) map[string]any {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]any{}
	}
	if len(path) > 1 {
		inner, _ := out[path[0]].(map[string]any)
		v = withValueAt(inner, path[1:], v)
	}
	out[path[0]] = v
	return out
}
