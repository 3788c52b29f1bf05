package http

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/session"
	"github.com/declprov/declprov/actions/http/verdict"
	"github.com/declprov/declprov/spec/diag"
)

// run is one run of the action: a request, or the requests for several pages.
type run struct {
	call    *actions.Call
	session *session.Session
	req     *request.Request
	pages   *pages // nil for a single request
	// noList says which response had no list of items, "" if each had one.
	noList string
	// now is the clock that measures how long fetching pages takes.
	now func() time.Time
}

// newRun returns the run of a call. It sends nothing.
func (all *runner) newRun(ctx context.Context, call *actions.Call) (*run, error) {
	if call.Env == nil || call.Env.Network == nil {
		return nil, errors.New("the network is not available here")
	}
	s, err := session.New(call, all.shared)
	if err != nil {
		return nil, err
	}
	r := &run{call: call, session: s, now: all.now}
	if r.req, err = s.NewRequest(ctx); err != nil {
		return nil, err
	}
	if err := s.Authenticate(r.req); err != nil {
		return nil, err
	}
	r.pages, err = newPages(call)
	return r, err
}

func (all *runner) run(ctx context.Context, _ *actions.Kind, call *actions.Call) actions.Outcome {
	r, err := all.newRun(ctx, call)
	if err != nil {
		return actions.Refuse(err)
	}
	if r.pages != nil {
		out := r.runPages(ctx)
		if doubt := cmp.Or(r.pages.doubt, r.noList); out.Partial == nil && doubt != "" {
			out.Partial = &actions.Partial{Why: doubt}
		}
		return out
	}
	return r.runSingle(ctx)
}

// runSingle sends a single request.
func (r *run) runSingle(ctx context.Context) actions.Outcome {
	resp, out := r.session.Do(ctx, r.req)
	if out.Status != actions.Done {
		return out
	}
	result := r.session.Judge.Result(resp)
	if items := r.call.Late["items"]; items != nil && out.Unfit == nil && r.call.Asks("items") {
		list, err := r.evaluateItems(items, resp)
		if err != nil {
			return r.unusableOutcome(resp, err)
		}
		result["items"] = truncate(list, r.call.Limit)
	}
	out.Result, out.ETag, out.ETagOf, out.Partial = result, resp.ETag(), r.req.ETagOf(), r.partial(resp)
	if out.Partial == nil && r.noList != "" && r.req.Effect == actions.None {
		out.Partial = &actions.Partial{Why: r.noList}
	}
	return out
}

// progressDelay is how long fetching pages takes before it shows progress.
const progressDelay = 2 * time.Second

// unusableOutcome returns the outcome of a response that cannot be used.
func (r *run) unusableOutcome(resp *verdict.Response, err error) actions.Outcome {
	return r.session.Judge.UnusableOutcome(r.req, resp, err)
}

// runPages fetches page after page, until it has as many items as requested. The other
// members of the result are those of the last page.
func (r *run) runPages(ctx context.Context) actions.Outcome {
	ctx, cancel := context.WithTimeoutCause(ctx, r.pages.Timeout, pagesTimeoutError(r.pages.Timeout))
	defer cancel()
	all, filled := []any{}, int64(0) // the number of the last page with items
	req, own, began := *r.req, r.req.Query, r.now()
	if err := r.setNumbers(&req, own, 0, 0); err != nil {
		return actions.Refuse(err)
	}
	for n := int64(1); ; n++ {
		resp, out := r.session.Do(ctx, &req)
		if out.Status != actions.Done {
			return r.pages.refused(pageOutcome(n, out), n)
		}
		r.pages.doubt = cmp.Or(r.pages.doubt, r.partialStatus(resp))
		result := r.session.Judge.Result(resp)
		result["items"] = itemsUnless(out.Unfit, all)
		out.Result, out.ETag, out.ETagOf = result, resp.ETag(), req.ETagOf()
		if out.Unfit != nil || !r.call.Asks("items") {
			return out // the step fails with that error
		}
		list, err := r.evaluateItems(r.call.Late["items"], resp)
		if err != nil {
			return r.unusableOutcome(resp, err)
		}
		if r.pages.repeatsPrevious(list) {
			result["items"], out.Partial = truncate(all, r.call.Limit), r.partialPages(resp, n, len(all))
			return out
		}
		all = append(all, list...)
		filled = lastFilled(filled, n, list)
		result["items"] = truncate(all, r.call.Limit)
		if len(list) == 0 && r.pages.byNumber() || r.call.Limit > 0 && len(all) >= r.call.Limit {
			return out
		}
		r.session.CountBytes(resp)
		more, err := r.prepareNext(&req, own, resp, n, len(all))
		switch {
		case err != nil:
			return r.unusableOutcome(resp, err)
		case !more:
			out.Partial = r.partialPages(resp, n, len(all))
			return out
		case r.pages.MaxPages != nil && n >= r.pages.maxPages:
			out.Partial = &actions.Partial{Why: "there are more pages than paginate.maxPages allows to read: raise it, or let the server look for the object", Listed: true}
			return out
		case n >= r.pages.maxPages:
			return r.unusableOutcome(resp, tooManyPagesError(n, filled))
		}
		r.showProgress(n+1, len(all), began)
	}
}

// itemsUnless returns the items that are known so far; null if the response does not have its type, so that nothing is known
// to be missing among them.
func itemsUnless(unfit error, items []any) any {
	if unfit != nil {
		return nil
	}
	return items
}

// lastFilled returns the number of the last page with items.
func lastFilled(before, page int64, items []any) int64 {
	if len(items) == 0 {
		return before
	}
	return page
}

// tooManyPagesError returns the error of a list that does not end; filled is the number of the last page with items.
func tooManyPagesError(pages, filled int64) error {
	const empty = 10 // pages at the end that are no accident
	if pages-filled < empty {
		return fmt.Errorf("there are more than %d pages; set paginate.maxPages to the number of pages to fetch", pages)
	}
	return fmt.Errorf("there are more than %d pages, and those after page %d are empty: if the list ends with an empty page, which names a next one all the same, say so by paginate.next: "+
		"\"${len(LIST) == 0 ? null : NEXT}\", with the list in the body and the URL of the next page in place of LIST and NEXT; in the header Link, that is capture(headers.link ?? '', '<(?P<url>[^>]*)>; *rel=\"next\"')?.url", pages, filled)
}

// pageOutcome returns the outcome of a page that could not be fetched. Only the first page
// can mean that the object does not exist.
func pageOutcome(n int64, out actions.Outcome) actions.Outcome {
	if n == 1 || out.Err == nil {
		return out
	}
	out.Err, out.Result = fmt.Errorf("page %d: %w", n, out.Err), nil
	if out.Status == actions.Gone {
		out.Status = actions.Refused
	}
	return out
}

// showProgress shows which page comes next, if fetching pages has taken a while.
func (r *run) showProgress(next int64, items int, began time.Time) {
	if r.now().Sub(began) > progressDelay {
		r.call.Progress(fmt.Sprintf("page %d, after %s", next, diag.Count(items, "item")))
	}
}

// evaluateItems returns the list of a page. If it is null, there may be none, as many servers leave out an empty list, or
// something may be wrong with the response: that something is not in it proves nothing.
func (r *run) evaluateItems(late actions.LateExpr, resp *verdict.Response) ([]any, error) {
	v, err := late(resp.Scope())
	if err != nil {
		return nil, fmt.Errorf("items failed: %w", err)
	}
	switch v := v.(type) {
	case nil:
		if name := otherList(resp.Body); name != "" {
			return nil, fmt.Errorf("items yields null, and the response has a list in %q: compare the name with the response", name)
		}
		r.noList = r.session.Judge.Title(r.req) + " returned no list, because `items` is null: if that means that there are none, as servers leave out an empty list, append `?? []` to the expression, or in rest a question mark to the name"
		return nil, nil
	case []any:
		return v, nil
	default:
		return nil, fmt.Errorf("items returned %s instead of a list", actions.KindOf(v))
	}
}

// besides are the lists of objects that responses have in addition to what is listed.
var besides = []string{"links", "_links", "link", "errors", "warnings", "messages", "meta", "facets", "aggregations"}

// otherList returns the name of a member of a body that is a list of objects, "" if there is none: the
// objects are probably there.
func otherList(body any) string {
	members, _ := body.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		list, _ := members[name].([]any)
		if len(list) == 0 || slices.Contains(besides, strings.ToLower(name)) {
			continue
		}
		if _, isObject := list[0].(map[string]any); isObject {
			return name
		}
	}
	return ""
}

// prepareNext changes the request to that of the next page, and reports whether there is one.
func (r *run) prepareNext(req *request.Request, own []request.Pair, resp *verdict.Response, n int64, seen int) (more bool, err error) {
	p := r.pages
	switch p.kind {
	case "page", "offset":
		return true, r.setNumbers(req, own, n, seen)
	case "cursor":
		return r.prepareNextCursor(req, own, resp)
	default:
		if n == 1 {
			p.wasFollowed(resp.URL.String())
		}
		return p.prepareNextLink(req, resp)
	}
}

// setNumbers sets the parameters of a page that is requested by number, after `before` pages with `seen`
// items. own are the parameters of the request without them.
func (r *run) setNumbers(req *request.Request, own []request.Pair, before int64, seen int) error {
	numbers := r.pages.numbers(before, seen)
	if !r.pages.isInBody() {
		req.Query = slices.Clone(own)
		for _, p := range numbers {
			req.Query = withParam(req.Query, p.name, strconv.FormatInt(p.n, 10))
		}
		return nil
	}
	from := bodyArgument(r.call)
	members, _ := r.call.Args[from].(map[string]any)
	for _, p := range numbers {
		members = withValueAt(members, strings.Split(p.name, "."), p.n)
	}
	body, err := request.BodyOf(r.call, from, members)
	if err == nil {
		req.Body = body
	}
	return err
}

func (r *run) prepareNextCursor(req *request.Request, own []request.Pair, resp *verdict.Response) (bool, error) {
	v, err := r.pages.Cursor.Next(resp.Scope())
	if err != nil {
		return false, fmt.Errorf("paginate.cursor.next failed: %w", err)
	}
	if v == nil || v == "" {
		return false, nil
	}
	key, err := json.Marshal(v)
	if err != nil || r.pages.wasFollowed(string(key)) {
		return false, errors.Join(err, errors.New("the next cursor was already used: the pages would never end"))
	}
	if name := r.pages.Cursor.Param; name != "" {
		text, err := actions.TextOf(v)
		if err != nil {
			return false, fmt.Errorf("paginate.cursor.next: %w", err)
		}
		pairs := withParam(slices.Clone(own), name, text)
		if slices.Equal(pairs, req.Query) {
			return false, errors.New("the next cursor equals the current one: the pages would never end")
		}
		req.Query = pairs
		return true, nil
	}
	from := bodyArgument(r.call)
	before, _ := r.call.Args[from].(map[string]any)
	after := withValueAt(before, strings.Split(r.pages.Cursor.Body, "."), v)
	body, err := request.BodyOf(r.call, from, after)
	if err != nil {
		return false, err
	}
	if body.Equal(req.Body) {
		return false, errors.New("the next cursor equals the current one: the pages would never end")
	}
	req.Body = body
	return true, nil
}
