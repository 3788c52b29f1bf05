package http

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestPartialPages: pages end too early if the server does not know their parameters, or names the next
// page in another way. It may say so.
func TestPartialPages(t *testing.T) {
	const two = `"items":[{"id":1},{"id":2}]`
	page, offset := args{"page": args{"param": "p"}}, args{"offset": args{"param": "o"}}
	link, next := args{"link": true}, args{"next": true}
	for _, tc := range []struct {
		name, body string
		status     int
		header     http.Header
		paginate   args
		partial    string
	}{
		{"the same page again", `{` + two + `}`, 200, nil, page, ""},
		{"the same page again, of two items", `{` + two + `,"total":2}`, 200, nil, page, ""},
		{"the same page again, of more items", `{` + two + `,"total":3}`, 200, nil, page, "by its total"},
		{"the same page again, by offset", `{` + two + `,"has_more":true}`, 200, nil, offset, "by its has_more"},
		{"the same page again, with a link", `{` + two + `}`, 200, http.Header{"Link": {`</n?q=2>; rel=next`}}, page, "by its header Link"},
		{"the same page again, and it was the last", `{` + two + `,"has_more":false,"total":9}`, 200, nil, page, ""},
		{"an empty page", `{"items":[],"next":"/n","total":0}`, 200, nil, page, ""},
		{"no link", `{` + two + `}`, 200, nil, link, ""},
		{"no link, and a cursor", `{` + two + `,"next_cursor":"x"}`, 200, nil, link, "by its next_cursor"},
		{"what the author says", `{` + two + `,"next_cursor":"x","total":7}`, 200, http.Header{"Link": {`</n?q=2>; rel=next`}}, next, ""},
		{"a page of a proxy", `{` + two + `}`, 203, nil, next, "a proxy has changed the response"},
		{"an empty page of a job", `{"items":[]}`, 202, nil, page, "the server has not finished"},
		{"a part", `{` + two + `}`, 206, nil, page, ""},
	} {
		ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
			for name, values := range tc.header {
				w.Header()[name] = values
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(tc.status)
			_, _ = w.Write([]byte(tc.body))
		})
		for _, effect := range []string{"none", "write"} {
			a := args{"paginate": tc.paginate, "items": lateMember("body.items"), "effect": effect}
			if tc.paginate["next"] != nil {
				a["paginate"] = args{}
				a["paginate.next"] = late(nil)
			}
			out := ts.run("/n", a)
			why := ""
			if out.Partial != nil {
				why = out.Partial.Why
			}
			if out.Err != nil || (why != "") != (tc.partial != "" && effect == "none") || why != "" && !strings.Contains(why, tc.partial) {
				t.Errorf("%s, effect %s: %q, want %q (%v)", tc.name, effect, why, tc.partial, out.Err)
			}
		}
	}
}

// TestBrokenLinksEndNoPages: a header Link that cannot be read does not say that there are no more pages.
func TestBrokenLinksEndNoPages(t *testing.T) {
	for _, broken := range []string{`/n?p=2; rel="next"`, `</n?p=2; rel="next"`, `<>; rel=next`, `</n?p=2> rel=next`, `junk`} {
		ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", broken)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"items":[1]}`))
		})
		out := ts.run("/n", args{"paginate": args{"link": true}, "items": lateMember("body.items")})
		if out.Err == nil || !strings.Contains(out.Err.Error(), "the header Link is malformed") {
			t.Errorf("%s: %v, %v", broken, out.Status, out.Err)
		}
	}
}

// TestPartialInOtherFormats: XML and GraphQL say that there is more, too.
func TestPartialInOtherFormats(t *testing.T) {
	for _, tc := range []struct {
		kind, body string
		args       args
		partial    bool
	}{
		{"application/xml", `<ListBucketResult xmlns="urn:s3"><Contents><Key>a</Key></Contents><Contents><Key>b</Key></Contents><IsTruncated>%v</IsTruncated></ListBucketResult>`, args{}, true},
		{"application/xml", `<Result><NextToken></NextToken><more>%v</more></Result>`, args{}, false},
		{"application/json", `{"data":{"pets":{"nodes":[],"pageInfo":{"hasNextPage":%v,"endCursor":"x"}}}}`, args{"graphql": args{"query": "{pets{nodes{id}}}"}, "effect": "none"}, true},
		{"application/json", `{"value":[],"@odata.nextLink":"x","has_more":%v}`, args{}, true},
	} {
		for _, more := range []bool{true, false} {
			ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.kind)
				_, _ = fmt.Fprintf(w, tc.body, more)
			})
			if out := ts.run("/n", tc.args); out.Err != nil || (out.Partial != nil) != (tc.partial && more) {
				t.Errorf("%s %v: %+v, %v", tc.body, more, out.Partial, out.Err)
			}
		}
	}
}
