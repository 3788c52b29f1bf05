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

// serveNumbers serves the numbers from 1 to 7 in pages of three, in every style.
func serveNumbers(w http.ResponseWriter, r *http.Request) {
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
		var body struct {
			From int
			Page struct{ After, Number int }
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		from = body.Page.After + body.From + max(body.Page.Number-1, 0)*3
	}
	var items []int
	for n := from + 1; n <= min(from+3, 7); n++ {
		items = append(items, n)
	}
	answer["items"] = items
	if from+3 < 7 {
		answer["next"] = from + 3
		answer["nextLink"] = fmt.Sprintf("%s?after=%d&tag=x", r.URL.Path, from+3)
		w.Header().Set("Link", fmt.Sprintf(`</first>; rel="first", <%s?after=%d&tag=x>; title="a, b;c"; rel="prev next"`, r.URL.Path, from+3))
	}
	text, _ := json.Marshal(answer)
	respondJSON(200, string(text))(w, r)
}

func TestPaginate(t *testing.T) {
	for _, tc := range []struct {
		name string
		args args
		want []string
	}{
		{"link", args{"link": true}, []string{"/n?tag=x", "/n?after=3&tag=x", "/n?after=6&tag=x"}},
		{"next", args{}, []string{"/n?tag=x", "/n?after=3&tag=x", "/n?after=6&tag=x"}},
		{"page", args{"page": args{"param": "page"}}, []string{"/n?tag=x&page=1", "/n?tag=x&page=2", "/n?tag=x&page=3", "/n?tag=x&page=4"}},
		{"page from", args{"page": args{"param": "page", "start": int64(2), "sizeParam": "size", "size": int64(3)}}, []string{"/n?tag=x&page=2&size=3", "/n?tag=x&page=3&size=3", "/n?tag=x&page=4&size=3"}},
		{"offset", args{"offset": args{"param": "offset", "limitParam": "limit", "limit": int64(50)}}, []string{"/n?tag=x&offset=0&limit=50", "/n?tag=x&offset=3&limit=50", "/n?tag=x&offset=6&limit=50", "/n?tag=x&offset=7&limit=50"}},
		{"cursor", args{"cursor": args{"param": "after"}}, []string{"/n?tag=x", "/n?tag=x&after=3", "/n?tag=x&after=6"}},
		{"page in the body", args{"page": args{"param": "page.number", "in": "body"}}, []string{`/n?tag=x {"page":{"number":1,"size":3}}`, `/n?tag=x {"page":{"number":2,"size":3}}`, `/n?tag=x {"page":{"number":3,"size":3}}`, `/n?tag=x {"page":{"number":4,"size":3}}`}},
		{"offset in a new body", args{"offset": args{"param": "from", "limitParam": "page.size", "limit": int64(3), "in": "body"}}, []string{`/n?tag=x {"from":0,"page":{"size":3}}`, `/n?tag=x {"from":3,"page":{"size":3}}`, `/n?tag=x {"from":6,"page":{"size":3}}`, `/n?tag=x {"from":7,"page":{"size":3}}`}},
		{"cursor in the body", args{"cursor": args{"body": "page.after"}}, []string{`/n?tag=x {"page":{"size":3}}`, `/n?tag=x {"page":{"after":3,"size":3}}`, `/n?tag=x {"page":{"after":6,"size":3}}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ts := newTestServer(t, serveNumbers)
			a := args{"paginate": tc.args, "items": lateMember("body.items"), "query": args{"tag": "x"}, "paginate.cursor.next": lateMember("body.next")}
			if tc.name == "next" {
				a["paginate.next"] = lateMember("body.nextLink")
			}
			if strings.HasSuffix(tc.name, "the body") {
				a["json"] = args{"page": args{"size": int64(3)}}
			}
			if strings.HasSuffix(tc.name, "body") {
				a["method"], a["effect"] = "POST", "none"
			}
			result := ts.done(ts.run("/n", a))
			want := []any{int64(1), int64(2), int64(3), int64(4), int64(5), int64(6), int64(7)}
			if tc.name == "page from" {
				want = want[3:]
			}
			if diff := cmp.Diff(want, result["items"]); diff != "" {
				t.Error(diff)
			}
			var got []string
			for _, r := range ts.requests() {
				got = append(got, strings.TrimSpace(r.URI+" "+r.Body))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPaginateLazily(t *testing.T) {
	ts := newTestServer(t, serveNumbers)
	a := args{"paginate": args{"link": true}, "items": lateMember("body.items")}
	for limit, requests := range []int{3, 1, 1, 1, 2} {
		c := ts.call("/n", a)
		c.Limit = limit
		items := ts.done(ts.kind.Run(t.Context(), c))["items"].([]any)
		if n := len(ts.requests()); n != requests || limit > 0 && len(items) != limit {
			t.Errorf("limit %d: %d requests, %d items", limit, n, len(items))
		}
	}
	c := ts.call("/n", a)
	c.Wants = func(member string) bool { return member == "status" }
	ts.done(ts.kind.Run(t.Context(), c))
	if n := len(ts.requests()); n != 1 {
		t.Errorf("%d requests for items that are not referred to", n)
	}
	a["paginate"] = args{"link": true, "maxPages": int64(2)}
	if items := ts.done(ts.run("/n", a))["items"].([]any); len(items) != 6 {
		t.Errorf("%d items in two pages", len(items))
	}
	if out := ts.run("/n", a); out.Partial == nil {
		t.Error("Partial is not set, but there are more pages")
	}
	a["paginate"] = args{"link": true, "maxPages": int64(100)}
	if out := ts.run("/n", a); out.Partial != nil {
		t.Error("Partial is set, but there are no more pages")
	}
	single := ts.done(ts.run("/n", args{"items": lateMember("body.items")}))
	if diff := cmp.Diff([]any{int64(1), int64(2), int64(3)}, single["items"]); diff != "" {
		t.Error(diff)
	}
}

// TestEmptyPages checks that a page that names its next page may be empty, as AIP-158 allows
// for filtered lists. Only an empty page that was requested by number is the last.
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
			ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
				n, _ := strconv.Atoi(r.URL.Query().Get("p"))
				if n+1 < len(pages) {
					w.Header().Set("Link", fmt.Sprintf("</n?p=%d>; rel=next", n+1))
				}
				respondJSON(200, pages[n])(w, r)
			})
			out := ts.done(ts.run("/n", args{"paginate": tc.paginate, "items": lateMember("body.items"), "paginate.cursor.next": lateMember("body.next")}))
			if diff := cmp.Diff(tc.want, out["items"]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPaginateBounded checks servers whose pages never end.
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
		{"a constant cursor", "", `{"items":[1],"next":"a"}`, args{"cursor": args{"param": "c"}}, "body.items", 2, "would never end"},
		{"a page that repeats", "", `{"items":[1,2]}`, args{"page": args{"param": "p"}}, "body.items", 2, ""},
		{"an offset that repeats", "", `{"items":[1,2]}`, args{"offset": args{"param": "p"}}, "body.items", 2, ""},
		{"links in a circle", "/n?c=%d5", `{"items":[1]}`, args{"link": true}, "body.items", 6, "would never end"},
		{"cursors in a circle", "", `{"items":[1],"next":{"c":%d5}}`, args{"cursor": args{"body": "c"}}, "body.items", 6, "would never end"},
		{"endless links", "/n?c=%d", `{"items":[1]}`, args{"link": true}, "body.items", 1000, "more than 1000 pages"},
		{"endless empty pages", "/n?c=%d", `{"items":[]}`, args{"link": true}, "body.items", 1000, "those after page 0 are empty"},
		{"endless pages", "", `{"items":[%d]}`, args{"page": args{"param": "p"}}, "body.items", 1000, "more than 1000 pages"},
		{"endless bytes", "", `{"items":["%d` + strings.Repeat("x", 400<<10) + `"]}`, args{"page": args{"param": "p"}}, "body.items", 3, "exceeds maxBytes (1048576 bytes"},
		{"another origin", "https://evil.test/n", `{"items":[1]}`, args{"link": true}, "body.items", 1, "at another origin, https://evil.test"},
		{"its own URL", "", `{"items":[1],"url":"/n"}`, args{}, "body.items", 1, "would never end"},
		{"URLs in a circle", "", `{"items":[1],"url":"/n?c=%d5"}`, args{}, "body.items", 6, "would never end"},
		{"a URL at another origin", "", `{"items":[1],"url":"https://evil.test/n"}`, args{}, "body.items", 1, "at another origin, https://evil.test"},
		{"a URL of another scheme", "", `{"items":[1],"url":"file:///etc/passwd"}`, args{}, "body.items", 1, "at another origin"},
		{"a URL with a user", "", `{"items":[1],"url":"https://me@evil.test/n"}`, args{}, "body.items", 1, "paginate.next contains an invalid URL"},
		{"no URL", "", `{"items":[1],"url":7}`, args{}, "body.items", 1, "paginate.next returned a number instead of a URL"},
		{"an empty URL", "", `{"items":[1],"url":""}`, args{}, "body.items", 1, ""},
		{"not a list", "", `{"items":{}}`, args{"link": true}, "body.items", 1, "items returned an object"},
		{"null", "", `{"items":null}`, args{"page": args{"param": "p"}}, "body.items", 1, ""},
		{"null with a next link", "/m", `{"items":null}`, args{"link": true}, "body.items", 2, "would never end"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := 0
			ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
				n++
				// %d5 repeats after five pages.
				counted := strings.NewReplacer("%d5", fmt.Sprint(n%5), "%d", fmt.Sprint(n)).Replace
				if tc.link != "" {
					w.Header().Set("Link", "<"+counted(tc.link)+">; rel=next")
				}
				respondJSON(200, counted(tc.body))(w, r)
			})
			a := args{"paginate": tc.paginate, "items": lateMember(tc.items), "paginate.cursor.next": lateMember("body.next"), "maxBytes": "1MiB"}
			if strings.Contains(tc.body, "url") {
				a["paginate.next"] = lateMember("body.url")
			}
			if strings.HasPrefix(tc.name, "cursors") {
				a["json"] = args{}
				a["effect"] = "none"
			}
			out := ts.run("/n", a)
			if tc.err == "" {
				items, _ := ts.done(out)["items"].([]any)
				if strings.HasSuffix(tc.name, "repeats") && len(items) != 2 {
					t.Errorf("items %v", items)
				}
			} else {
				ts.expect(out, actions.Refused, "200", tc.err)
			}
			if n := len(ts.requests()); n != tc.requests {
				t.Errorf("%d requests, want %d", n, tc.requests)
			}
		})
	}
}

// TestPageFails checks that a failure of a later page fails the call, and never means that
// the object is gone.
func TestPageFails(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("after") {
			w.WriteHeader(404)
			return
		}
		serveNumbers(w, r)
	})
	out := ts.run("/n", args{"paginate": args{"link": true}, "items": lateMember("body.items")})
	ts.expect(out, actions.Refused, "404", "page 2: GET /n returned 404")
}

// TestPageAfterTheLast checks that a refused page has a remedy if its number alone says that it may be the one after the last.
func TestPageAfterTheLast(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.Query().Get("p"); p == "2" || p == "1" && r.URL.Query().Has("first") || r.URL.Query().Get("o") == "3" {
			status, _ := strconv.Atoi(r.URL.Query().Get("status"))
			w.WriteHeader(status)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"items":[1,2,3],"next":2}`)
	})
	page, offset := args{"page": args{"param": "p"}}, args{"offset": args{"param": "o"}}
	cursor := args{"cursor": args{"param": "p"}}
	for _, c := range []struct {
		path     string
		paginate args
		hint     bool
	}{
		{"/n?status=400", page, true},
		{"/n?status=404", page, true},
		{"/n?status=416", offset, true},
		{"/n?status=422", page, true},
		{"/n?status=403", page, false},
		{"/n?status=500", page, false},
		{"/n?status=400&first", page, false},
		{"/n?status=400", cursor, false},
	} {
		out := ts.run(c.path, args{"paginate": c.paginate, "items": lateMember("body.items"), "paginate.cursor.next": lateMember("body.next")})
		if out.Err == nil || strings.Contains(out.Err.Error(), "the page after the last one") != c.hint {
			t.Errorf("%s by %v: %v, expected a hint: %v", c.path, c.paginate, out.Err, c.hint)
		}
	}
}

// TestPagesShowTheirProgress checks that a fast listing shows no progress, and a slow one
// shows each page and the number of items before it.
func TestPagesShowTheirProgress(t *testing.T) {
	every := map[string]args{"link": {"link": true}, "page": {"page": args{"param": "page"}}, "offset": {"offset": args{"param": "offset"}}, "cursor": {"cursor": args{"param": "after"}}}
	for name, how := range every {
		for took, want := range map[time.Duration][]string{
			0: nil, progressDelay / 2: nil,
			progressDelay: {"page 3, after 6 items"}, // the second is requested after exactly two seconds
			time.Hour:     {"page 2, after 3 items", "page 3, after 6 items"},
		} {
			t.Run(fmt.Sprint(name, " ", took), func(t *testing.T) {
				ts := newTestServer(t, serveNumbers)
				clock := time.Unix(0, 0)
				ts.kind = newKind(func() time.Time {
					before := clock
					clock = clock.Add(took)
					return before
				})
				out := ts.run("/n", args{"paginate": how, "items": lateMember("body.items"), "paginate.cursor.next": lateMember("body.next")})
				if out.Status != actions.Done {
					t.Fatal(out.Err)
				}
				if (name == "page" || name == "offset") && took > 0 { // one more page, which is empty
					want = append(slices.Clone(want), "page 4, after 7 items")
				}
				if diff := cmp.Diff(want, ts.shown); diff != "" {
					t.Errorf("shown (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestPagesHaveATotal checks that paginate.timeout applies to all pages together.
func TestPagesHaveATotal(t *testing.T) {
	var asked atomic.Int64 // a request may be served after its timeout
	slow := func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		select {
		case <-time.After(2 * time.Millisecond): // so that 1000 pages take more than 300ms
		case <-r.Context().Done():
		}
		w.Header().Set("Link", fmt.Sprintf("</n?after=%d>; rel=next", n))
		respondJSON(200, fmt.Sprintf(`{"items":[%d],"next":%d}`, n, n))(w, r)
	}
	for name, how := range map[string]any{"link": true, "page": args{"param": "p"}, "offset": args{"param": "p"}, "cursor": args{"param": "c"}} {
		t.Run(name, func(t *testing.T) {
			ts := newTestServer(t, slow)
			start := time.Now()
			out := ts.run("/n", args{"paginate": args{name: how, "timeout": "300ms"}, "items": lateMember("body.items"), "paginate.cursor.next": lateMember("body.next")})
			ts.expect(out, actions.Refused, "timeout", "the pages took longer than 300ms together (`paginate.timeout`)")
			if took := time.Since(start); took > time.Minute {
				t.Errorf("the pages took %s", took)
			}
		})
	}
	ts := newTestServer(t, slow)
	ts.expect(ts.run("/n", args{"paginate": args{"page": args{"param": "p"}, "timeout": "soon"}, "items": lateMember("body.items")}), actions.Refused, "", "paginate.timeout")
}

// TestLinksKeepCredentialsOut checks that query parameters of auth are not sent twice if the
// server repeats them in its links.
func TestLinksKeepCredentialsOut(t *testing.T) {
	for _, link := range []string{"/n?api_key=hunter2&after=%d", "?after=%d&api_key=hunter2&api_key=other", "/n?api%%5Fkey=old&after=%d#api_key=hunter2", "http://HOST/n?after=%d&api_key="} {
		for _, auth := range []args{{"apiKey": args{"query": "api_key", "value": "hunter2"}}, {"apiKey": args{"header": "X-Api-Key", "value": "hunter2"}}} {
			_, inQuery := auth["apiKey"].(args)["query"]
			n := 0
			var ts *testServer
			ts = newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
				if n++; n < 4 {
					w.Header().Set("Link", "<"+strings.ReplaceAll(fmt.Sprintf(link, n), "HOST", strings.TrimPrefix(ts.server.URL, "http://"))+">; rel=next")
				}
				respondJSON(200, fmt.Sprintf(`{"items":[%d]}`, n))(w, r)
			})
			result := ts.done(ts.run("/n", args{"paginate": args{"link": true}, "items": lateMember("body.items"), "auth": auth}))
			if got := result["items"].([]any); len(got) != 4 {
				t.Errorf("%s: %v", link, got)
			}
			for i, r := range ts.requests() {
				u, err := url.Parse(r.URI)
				if err != nil {
					t.Fatal(err)
				}
				if got := u.Query()["api_key"]; inQuery && !cmp.Equal(got, []string{"hunter2"}) {
					t.Errorf("%s: request %d has the keys %q: %s", link, i+1, got, r.URI)
				}
			}
			if u, _ := result["url"].(string); strings.Contains(u, "hunter2") {
				t.Errorf("%s: the result has the URL %s", link, u)
			}
		}
	}
}

// TestOtherList: `items` that yields null is an empty list, as servers leave one out, unless the
// objects are in another member.
func TestOtherList(t *testing.T) {
	for body, fails := range map[string]bool{
		`{}`:                                             false,
		`{"items": null}`:                                false,
		`{"results": [{"id": 1}], "next": null}`:         true,
		`{"results": [{"id": 1}], "items": []}`:          false,
		`{"results": []}`:                                false,
		`{"names": ["a"]}`:                               false,
		`{"links": [{"rel": "self"}]}`:                   false,
		`{"items": null, "warnings": [{"text": "old"}]}`: false,
		`[]`: false,
	} {
		ts := newTestServer(t, respondJSON(200, body))
		for _, paginate := range []args{nil, {"link": true}, {"page": args{"param": "p"}}} {
			a := args{"items": lateMember("body.items")}
			if paginate != nil {
				a["paginate"] = paginate
			}
			if body == `[]` {
				a["items"] = lateMember("body")
			}
			if out := ts.run("/n", a); (out.Err != nil) != fails {
				t.Errorf("%s, by %v: %v", body, paginate, out.Err)
			}
		}
	}
}
