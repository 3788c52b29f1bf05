package pages

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/tests/internal/provider"
)

// visit starts a provider of the library's spec.
func visit(t *testing.T, l *library) *provider.Process {
	t.Helper()
	t.Setenv("DECLPROV_JOURNAL", filepath.Join(t.TempDir(), "journal"))
	folder := provider.Folder(t, "shelf", "tests/servers/pages/testdata/shelf.cue")
	return provider.Configured(t, folder, "shelf", t.TempDir(), map[string]property.Value{"endpoint": property.New(l.URL)})
}

// titles asks a function for the titles.
func titles(t *testing.T, p *provider.Process, function string) []string {
	t.Helper()
	res, err := p.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "shelf:index:" + function})
	if err != nil || len(res.GetFailures()) > 0 {
		t.Fatal(res.GetFailures(), err)
	}
	var list []string
	for _, v := range res.GetReturn().GetFields()["titles"].GetListValue().GetValues() {
		list = append(list, v.GetStringValue())
	}
	return list
}

// TestPages collects every book once and in order, in each way of paging. Where
// only an empty page says that it is the last, one is asked for.
func TestPages(t *testing.T) {
	for _, tc := range []struct {
		function string
		books    int
		requests []string
	}{
		{"byLink", 5, []string{"/link", "/link?from=2", "/link?from=4"}},
		{"byLink", 0, []string{"/link"}},
		{"byPage", 5, []string{"/page?page=1&per_page=3", "/page?page=2&per_page=3", "/page?page=3&per_page=3"}},
		{"byPage", 6, []string{"/page?page=1&per_page=3", "/page?page=2&per_page=3", "/page?page=3&per_page=3"}},
		{"byOffset", 9, []string{"/offset?skip=0&top=4", "/offset?skip=4&top=4", "/offset?skip=8&top=4", "/offset?skip=9&top=4"}},
		{"byCursor", 5, []string{"/cursor", "/cursor?after=b2", "/cursor?after=b4"}},
		{"byCursor", 4, []string{"/cursor", "/cursor?after=b2"}},
	} {
		t.Run(fmt.Sprint(tc.function, " ", tc.books), func(t *testing.T) {
			l := open(t, tc.books)
			if diff := cmp.Diff(l.titles(tc.books), titles(t, visit(t, l), tc.function)); diff != "" {
				t.Errorf("titles (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.requests, l.requests()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// maxPages that the author names is where it stops.
func TestSomePages(t *testing.T) {
	l := open(t, 9)
	if diff := cmp.Diff(l.titles(4), titles(t, visit(t, l), "some")); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
	if got := l.requests(); len(got) != 2 {
		t.Errorf("requests %v", got)
	}
}

// An answer that is not what `returns` says is an error that names the place.
func TestAPageOfAnotherType(t *testing.T) {
	l := open(t, 1)
	l.books[0]["title"] = []string{"one", "two"}
	res, err := visit(t, l).Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "shelf:index:byLink"})
	if err == nil {
		t.Errorf("a list was taken for a title: %v", res)
	}
}

// TestListing lists over the protocol: page by page, as far as is asked for, and
// with no request for a page that nobody wants.
func TestListing(t *testing.T) {
	l := open(t, 7)
	p := visit(t, l)
	got, err := p.List(t.Context(), "shelf:index:Book", property.Map{}, 0, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range got.Results {
		names = append(names, r.Name)
		if r.ID == "" {
			t.Errorf("%s has no id", r.Name)
		}
	}
	if diff := cmp.Diff(l.titles(7), names); diff != "" || got.Next != "" {
		t.Errorf("next %q (-want +got):\n%s", got.Next, diff)
	}
	l.requests()
	if got, err = p.List(t.Context(), "shelf:index:Book", property.Map{}, 3, 0, ""); err != nil || len(got.Results) != 3 {
		t.Errorf("%d of 3: %v", len(got.Results), err)
	}
	if asked := l.requests(); len(asked) != 2 {
		t.Errorf("for three books it asked %v", asked)
	}
	var all []string
	for next, first := "", true; first || next != ""; first = false {
		page, err := p.List(t.Context(), "shelf:index:Book", property.Map{}, 0, 3, next)
		if err != nil || len(page.Results) > 3 {
			t.Fatal(page, err)
		}
		for _, r := range page.Results {
			all = append(all, r.Name)
		}
		next = page.Next
	}
	if !slices.Equal(all, l.titles(7)) {
		t.Errorf("page by page: %v", all)
	}
	l.fail = http.StatusForbidden
	if _, err := p.List(t.Context(), "shelf:index:Book", property.Map{}, 0, 0, ""); err == nil {
		t.Error("a refusal is an empty list")
	}
}
