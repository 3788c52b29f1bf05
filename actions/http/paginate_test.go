package http

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
)

// numbers is a server of the numbers from 1 to 7 in pages of three, in every
// style.
func numbers(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from := 0
	answer := args{}
	switch {
	case q.Has("page"):
		page, _ := strconv.Atoi(q.Get("page"))
		from = (page - 1) * 3
	case q.Has("offset"):
		from, _ = strconv.Atoi(q.Get("offset"))
	case q.Has("after"):
		from, _ = strconv.Atoi(q.Get("after"))
	case r.Method == "POST":
		var body struct{ Page struct{ After int } }
		_ = json.NewDecoder(r.Body).Decode(&body)
		from = body.Page.After
	}
	var items []int
	for n := from + 1; n <= min(from+3, 7); n++ {
		items = append(items, n)
	}
	answer["items"] = items
	if from+3 < 7 {
		answer["next"] = from + 3
		w.Header().Set("Link", fmt.Sprintf(`</first>; rel="first", <%s?after=%d&tag=x>; title="a, b;c"; rel="prev next"`, r.URL.Path, from+3))
	}
	text, _ := json.Marshal(answer)
	answerJSON(200, string(text))(w, r)
}

func TestPaginate(t *testing.T) {
	for _, tc := range []struct {
		name string
		args args
		want []string
	}{
		{"link", args{"link": true}, []string{"/n?tag=x", "/n?after=3&tag=x", "/n?after=6&tag=x"}},
		{"page", args{"page": args{"param": "page"}}, []string{"/n?tag=x&page=1", "/n?tag=x&page=2", "/n?tag=x&page=3", "/n?tag=x&page=4"}},
		{"page from", args{"page": args{"param": "page", "start": int64(2), "sizeParam": "size", "size": int64(3)}}, []string{"/n?tag=x&page=2&size=3", "/n?tag=x&size=3&page=3", "/n?tag=x&size=3&page=4"}},
		{"offset", args{"offset": args{"param": "offset", "limitParam": "limit", "limit": int64(50)}}, []string{"/n?tag=x&offset=0&limit=50", "/n?tag=x&limit=50&offset=3", "/n?tag=x&limit=50&offset=6", "/n?tag=x&limit=50&offset=7"}},
		{"cursor", args{"cursor": args{"param": "after"}}, []string{"/n?tag=x", "/n?tag=x&after=3", "/n?tag=x&after=6"}},
		{"cursor in the body", args{"cursor": args{"body": "page.after"}}, []string{`/n?tag=x {"page":{"size":3}}`, `/n?tag=x {"page":{"after":3,"size":3}}`, `/n?tag=x {"page":{"after":6,"size":3}}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t, numbers)
			a := args{"paginate": tc.args, "items": at("body.items"), "query": args{"tag": "x"}, "paginate.cursor.next": at("body.next")}
			if strings.HasSuffix(tc.name, "body") {
				a["json"] = args{"page": args{"size": int64(3)}}
			}
			result := l.done(l.run("/n", a))
			want := []any{int64(1), int64(2), int64(3), int64(4), int64(5), int64(6), int64(7)}
			if tc.name == "page from" {
				want = want[3:]
			}
			if diff := cmp.Diff(want, result["items"]); diff != "" {
				t.Error(diff)
			}
			var got []string
			for _, r := range l.requests() {
				got = append(got, strings.TrimSpace(r.URI+" "+r.Body))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPaginateLazily(t *testing.T) {
	l := newLab(t, numbers)
	a := args{"paginate": args{"link": true}, "items": at("body.items")}
	for limit, requests := range []int{3, 1, 1, 1, 2} {
		c := l.call("/n", a)
		c.Limit = limit
		items := l.done(l.kind.Run(t.Context(), c))["items"].([]any)
		if n := len(l.requests()); n != requests || limit > 0 && len(items) != limit {
			t.Errorf("limit %d: %d requests, %d items", limit, n, len(items))
		}
	}
	c := l.call("/n", a)
	c.Wants = func(member string) bool { return member == "status" }
	l.done(l.kind.Run(t.Context(), c))
	if n := len(l.requests()); n != 1 {
		t.Errorf("%d requests for items that nobody wants", n)
	}
	a["paginate"] = args{"link": true, "maxPages": int64(2)}
	if items := l.done(l.run("/n", a))["items"].([]any); len(items) != 6 {
		t.Errorf("%d items in two pages", len(items))
	}
	if out := l.run("/n", a); !out.Cut {
		t.Error("nothing says that there are more")
	}
	a["paginate"] = args{"link": true, "maxPages": int64(100)}
	if out := l.run("/n", a); out.Cut {
		t.Error("there are no more")
	}
	single := l.done(l.run("/n", args{"items": at("body.items")}))
	if diff := cmp.Diff([]any{int64(1), int64(2), int64(3)}, single["items"]); diff != "" {
		t.Error(diff)
	}
}

// TestEmptyPages: a page that names its next one may be empty, as AIP-158 says of
// filtered lists; only one asked for by its number is the last then.
func TestEmptyPages(t *testing.T) {
	pages := []string{`{"items":[1],"next":"1"}`, `{"items":[],"next":"2"}`, `{"next":"3"}`, `{"items":null,"next":"4"}`, `{"items":[2]}`}
	for name, tc := range map[string]struct {
		paginate args
		want     []any
	}{
		"cursor": {args{"cursor": args{"param": "p"}}, []any{int64(1), int64(2)}},
		"link":   {args{"link": true}, []any{int64(1), int64(2)}},
		"page":   {args{"page": args{"param": "p", "start": int64(0)}}, []any{int64(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
				n, _ := strconv.Atoi(r.URL.Query().Get("p"))
				if n+1 < len(pages) {
					w.Header().Set("Link", fmt.Sprintf("</n?p=%d>; rel=next", n+1))
				}
				answerJSON(200, pages[n])(w, r)
			})
			out := l.done(l.run("/n", args{"paginate": tc.paginate, "items": at("body.items"), "paginate.cursor.next": at("body.next")}))
			if diff := cmp.Diff(tc.want, out["items"]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPaginateBounded: servers that never end.
func TestPaginateBounded(t *testing.T) {
	for _, tc := range []struct {
		name     string
		link     string
		body     string
		paginate args
		items    string
		requests int
		err      string
	}{
		{"a page that is its own next", "/n", `{"items":[1]}`, args{"link": true}, "body.items", 1, "would never end"},
		{"a cursor that stays", "", `{"items":[1],"next":"a"}`, args{"cursor": args{"param": "c"}}, "body.items", 2, "would never end"},
		{"a page that repeats", "", `{"items":[1,2]}`, args{"page": args{"param": "p"}}, "body.items", 2, ""},
		{"an offset that repeats", "", `{"items":[1,2]}`, args{"offset": args{"param": "p"}}, "body.items", 2, ""},
		{"links in a circle", "/n?c=%d5", `{"items":[1]}`, args{"link": true}, "body.items", 6, "would never end"},
		{"cursors in a circle", "", `{"items":[1],"next":{"c":%d5}}`, args{"cursor": args{"body": "c"}}, "body.items", 6, "would never end"},
		{"links without end", "/n?c=%d", `{"items":[1]}`, args{"link": true}, "body.items", 1000, "more than 1000 pages"},
		{"pages without end", "", `{"items":[%d]}`, args{"page": args{"param": "p"}}, "body.items", 1000, "more than 1000 pages"},
		{"bytes without end", "", `{"items":["%d` + strings.Repeat("x", 400<<10) + `"]}`, args{"page": args{"param": "p"}}, "body.items", 3, "more than the 1048576 bytes that maxBytes allows"},
		{"elsewhere", "https://evil.test/n", `{"items":[1]}`, args{"link": true}, "body.items", 1, "at https://evil.test, another origin"},
		{"no list", "", `{"items":{}}`, args{"link": true}, "body.items", 1, "items yields an object"},
		{"null", "", `{"items":null}`, args{"page": args{"param": "p"}}, "body.items", 1, ""},
		{"null, and always a next", "/m", `{"items":null}`, args{"link": true}, "body.items", 2, "would never end"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := 0
			l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
				n++
				// %d5 goes round in a circle of five.
				counted := strings.NewReplacer("%d5", fmt.Sprint(n%5), "%d", fmt.Sprint(n)).Replace
				if tc.link != "" {
					w.Header().Set("Link", "<"+counted(tc.link)+">; rel=next")
				}
				answerJSON(200, counted(tc.body))(w, r)
			})
			a := args{"paginate": tc.paginate, "items": at(tc.items), "paginate.cursor.next": at("body.next"), "maxBytes": "1MiB"}
			if strings.HasPrefix(tc.name, "cursors") {
				a["json"] = args{}
				a["effect"] = "none"
			}
			out := l.run("/n", a)
			if tc.err == "" {
				items, _ := l.done(out)["items"].([]any)
				if strings.HasSuffix(tc.name, "repeats") && len(items) != 2 {
					t.Errorf("items %v", items)
				}
			} else {
				l.expect(out, actions.Refused, "200", tc.err)
			}
			if n := len(l.requests()); n != tc.requests {
				t.Errorf("%d requests, want %d", n, tc.requests)
			}
		})
	}
}

// TestPageFails: what fails on a later page fails the whole, and is never gone.
func TestPageFails(t *testing.T) {
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("after") {
			w.WriteHeader(404)
			return
		}
		numbers(w, r)
	})
	out := l.run("/n", args{"paginate": args{"link": true}, "items": at("body.items")})
	l.expect(out, actions.Refused, "404", "page 2: GET /n answered 404")
}

// TestPagesShowTheirProgress: a listing that is soon done says nothing, and one that takes
// long says of each page which it is and how many items there are before it.
func TestPagesShowTheirProgress(t *testing.T) {
	every := map[string]args{"link": {"link": true}, "page": {"page": args{"param": "page"}}, "offset": {"offset": args{"param": "offset"}}, "cursor": {"cursor": args{"param": "after"}}}
	for name, how := range every {
		for took, want := range map[time.Duration][]string{
			0: nil, quietPaging / 2: nil,
			quietPaging: {"page 3, after 6 items"}, // the second is asked for after two seconds, and no more
			time.Hour:   {"page 2, after 3 items", "page 3, after 6 items"},
		} {
			t.Run(fmt.Sprint(name, " ", took), func(t *testing.T) {
				l := newLab(t, numbers)
				clock := time.Unix(0, 0)
				l.kind = newKind(func() time.Time {
					before := clock
					clock = clock.Add(took)
					return before
				})
				out := l.run("/n", args{"paginate": how, "items": at("body.items"), "paginate.cursor.next": at("body.next")})
				if out.Status != actions.Done {
					t.Fatal(out.Err)
				}
				if (name == "page" || name == "offset") && took > 0 { // one more, which is empty
					want = append(slices.Clone(want), "page 4, after 7 items")
				}
				if diff := cmp.Diff(want, l.shown); diff != "" {
					t.Errorf("shown (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestPagesHaveATotal: pages that each are in time end together.
func TestPagesHaveATotal(t *testing.T) {
	var asked atomic.Int64 // a request whose time is over may still be answered
	slow := func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		select {
		case <-time.After(2 * time.Millisecond): // of which 1000 pages take more than 300ms
		case <-r.Context().Done():
		}
		w.Header().Set("Link", fmt.Sprintf("</n?after=%d>; rel=next", n))
		answerJSON(200, fmt.Sprintf(`{"items":[%d],"next":%d}`, n, n))(w, r)
	}
	for name, how := range map[string]any{"link": true, "page": args{"param": "p"}, "offset": args{"param": "p"}, "cursor": args{"param": "c"}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, slow)
			start := time.Now()
			out := l.run("/n", args{"paginate": args{name: how, "timeout": "300ms"}, "items": at("body.items"), "paginate.cursor.next": at("body.next")})
			l.expect(out, actions.Refused, "timeout", "the pages took longer than 300ms together (`paginate.timeout`)")
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
	l := newLab(t, slow)
	l.expect(l.run("/n", args{"paginate": args{"page": args{"param": "p"}, "timeout": "soon"}, "items": at("body.items")}), actions.Refused, "", "paginate.timeout")
}

// TestLinksKeepCredentialsOut: a server that repeats in its links what auth put into
// the URL of the request does not make it stand there twice, whatever auth it is.
func TestLinksKeepCredentialsOut(t *testing.T) {
	for _, link := range []string{"/n?api_key=hunter2&after=%d", "?after=%d&api_key=hunter2&api_key=other", "/n?api%%5Fkey=old&after=%d#api_key=hunter2", "http://HOST/n?after=%d&api_key="} {
		for _, auth := range []args{{"apiKey": args{"query": "api_key", "value": "hunter2"}}, {"apiKey": args{"header": "X-Api-Key", "value": "hunter2"}}} {
			_, inQuery := auth["apiKey"].(args)["query"]
			n := 0
			var l *lab
			l = newLab(t, func(w http.ResponseWriter, r *http.Request) {
				if n++; n < 4 {
					w.Header().Set("Link", "<"+strings.ReplaceAll(fmt.Sprintf(link, n), "HOST", strings.TrimPrefix(l.server.URL, "http://"))+">; rel=next")
				}
				answerJSON(200, fmt.Sprintf(`{"items":[%d]}`, n))(w, r)
			})
			result := l.done(l.run("/n", args{"paginate": args{"link": true}, "items": at("body.items"), "auth": auth}))
			if got := result["items"].([]any); len(got) != 4 {
				t.Errorf("%s: %v", link, got)
			}
			for i, r := range l.requests() {
				u, err := url.Parse(r.URI)
				if err != nil {
					t.Fatal(err)
				}
				if got := u.Query()["api_key"]; inQuery && !cmp.Equal(got, []string{"hunter2"}) {
					t.Errorf("%s: request %d has the keys %q: %s", link, i+1, got, r.URI)
				}
			}
			if u, _ := result["url"].(string); strings.Contains(u, "hunter2") {
				t.Errorf("%s: the result is of %s", link, u)
			}
		}
	}
}
