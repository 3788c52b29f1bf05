package http

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/session"
	"github.com/declprov/declprov/actions/http/verdict"
)

// run is one run of the action: a request, or the pages of one.
type run struct {
	call    *actions.Call
	session *session.Session
	req     *request.Request
	pages   *pages // nil is one
	// now tells how long a listing takes.
	now func() time.Time
}

// prepare makes the run of a call. Nothing is sent yet.
func (all *runner) prepare(ctx context.Context, call *actions.Call) (*run, error) {
	if call.Env == nil || call.Env.Network == nil {
		return nil, errors.New("there is no network here")
	}
	s, err := session.New(call, all.shared)
	if err != nil {
		return nil, err
	}
	r := &run{call: call, session: s, now: all.now}
	if r.req, err = s.Request(ctx); err != nil {
		return nil, err
	}
	if err := s.Authenticate(r.req); err != nil {
		return nil, err
	}
	r.pages, err = pagination(call)
	return r, err
}

func (all *runner) run(ctx context.Context, _ *actions.Kind, call *actions.Call) actions.Outcome {
	r, err := all.prepare(ctx, call)
	if err != nil {
		return actions.Refuse(err)
	}
	if r.pages != nil {
		return r.listing(ctx)
	}
	return r.single(ctx)
}

// single sends the request once.
func (r *run) single(ctx context.Context) actions.Outcome {
	a, out := r.session.Ask(ctx, r.req)
	if out.Status != actions.Done {
		return out
	}
	result := r.session.Judge.Result(a)
	if items := r.call.Late["items"]; items != nil && out.Unfit == nil && r.call.Asks("items") {
		list, err := r.items(items, a)
		if err != nil {
			return r.unusable(a, err)
		}
		result["items"] = limited(list, r.call.Limit)
	}
	out.Result = result
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

// unusable is the outcome of an answer that says nothing that is of use.
func (r *run) unusable(a *verdict.Answer, err error) actions.Outcome {
	return r.session.Judge.Failed(r.req, a, err)
}

// listing fetches page after page, as far as they are wanted. The result is
// that of the last.
func (r *run) listing(ctx context.Context) actions.Outcome {
	ctx, cancel := context.WithTimeoutCause(ctx, r.pages.Timeout, pagesOvertime(r.pages.Timeout))
	defer cancel()
	all := []any{}
	req, own, began := *r.req, r.req.Pairs, r.now()
	req.Pairs = append(slices.Clone(own), r.pages.first()...)
	for n := int64(1); ; n++ {
		a, out := r.session.Ask(ctx, &req)
		if out.Status != actions.Done {
			return ofPage(n, out)
		}
		result := r.session.Judge.Result(a)
		result["items"] = all
		out.Result = result
		if out.Unfit != nil || !r.call.Asks("items") {
			return out // the page is not of the declared type: the step fails with that error
		}
		list, err := r.items(r.call.Late["items"], a)
		if err != nil {
			return r.unusable(a, err)
		}
		if r.pages.repeats(list) {
			result["items"] = limited(all, r.call.Limit)
			return out
		}
		all = append(all, list...)
		result["items"] = limited(all, r.call.Limit)
		if len(list) == 0 && r.pages.counts() || r.call.Limit > 0 && len(all) >= r.call.Limit {
			return out
		}
		r.session.Spend(a)
		more, err := r.next(&req, own, a, n, len(all))
		switch {
		case err != nil:
			return r.unusable(a, err)
		case !more:
			return out
		case r.pages.MaxPages != nil && n >= r.pages.most:
			out.Cut = true
			return out
		case n >= r.pages.most:
			return r.unusable(a, fmt.Errorf("there are more than %d pages; set paginate.maxPages to how many are wanted", n))
		}
		r.show(n+1, len(all), began)
	}
}

// ofPage is an outcome without items, as that of a page: only the first one can be the
// object that is not there.
func ofPage(n int64, out actions.Outcome) actions.Outcome {
	if n == 1 || out.Err == nil {
		return out
	}
	out.Err, out.Result = fmt.Errorf("page %d: %w", n, out.Err), nil
	if out.Status == actions.Gone {
		out.Status = actions.Refused
	}
	return out
}

// show says which page comes next, once the listing has taken a while.
func (r *run) show(next int64, items int, began time.Time) {
	if r.now().Sub(began) > quietPaging {
		r.call.Progress(fmt.Sprintf("page %d, after %s", next, counted(items, "item")))
	}
}

// items evaluates the list of a page; null is an empty one.
func (r *run) items(late actions.LateExpr, a *verdict.Answer) ([]any, error) {
	v, err := late(a.Known())
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
func (r *run) next(req *request.Request, own []request.Pair, a *verdict.Answer, n int64, seen int) (more bool, err error) {
	p := r.pages
	switch p.kind {
	case "page":
		req.Pairs = with(append(slices.Clone(own), p.first()...), p.Page.Param, strconv.FormatInt(p.start()+n, 10))
		return true, nil
	case "offset":
		req.Pairs = with(append(slices.Clone(own), p.first()...), p.Offset.Param, strconv.Itoa(seen))
		return true, nil
	case "cursor":
		return r.nextCursor(req, own, a)
	default:
		if n == 1 {
			p.again(a.At.String())
		}
		return p.nextLink(req, a)
	}
}

func (r *run) nextCursor(req *request.Request, own []request.Pair, a *verdict.Answer) (bool, error) {
	v, err := r.pages.Cursor.Next(a.Known())
	if err != nil {
		return false, fmt.Errorf("paginate.cursor.next fails: %w", err)
	}
	if v == nil || v == "" {
		return false, nil
	}
	key, err := json.Marshal(v)
	if err != nil || r.pages.again(string(key)) {
		return false, errors.Join(err, errors.New("its next cursor is one that was followed before: the pages would never end"))
	}
	if name := r.pages.Cursor.Param; name != "" {
		text, err := actions.TextOf(v)
		if err != nil {
			return false, fmt.Errorf("paginate.cursor.next %w", err)
		}
		pairs := with(slices.Clone(own), name, text)
		if slices.Equal(pairs, req.Pairs) {
			return false, errors.New("its next cursor is the one it was asked with: the pages would never end")
		}
		req.Pairs = pairs
		return true, nil
	}
	from := "json"
	if r.call.Args["graphql"] != nil {
		from = "graphql"
	}
	before, _ := r.call.Args[from].(map[string]any)
	after := inserted(before, strings.Split(r.pages.Cursor.Body, "."), v)
	body, err := request.Encode(from, after)
	if err != nil {
		return false, err
	}
	if body.Same(req.Body) {
		return false, errors.New("its next cursor is the one it was asked with: the pages would never end")
	}
	req.Body = body
	return true, nil
}
