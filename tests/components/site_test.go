package components

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// site is a program with one web site.
func site(title, robots string, pages map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "resources:\n  web:\n    type: site:Site\n    properties:\n      folder: www\n      title: %s\n", title)
	if robots != "" {
		fmt.Fprintf(&b, "      robots: %q\n", robots)
	}
	b.WriteString("      pages:\n")
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		fmt.Fprintf(&b, "        %s: %s\n", name, pages[name])
	}
	return b.String() + "outputs:\n  paths: ${web.paths}\n  hash: ${web.hash}\n"
}

func newSite(t *testing.T) *pulumitest.Stack {
	return pulumitest.New(t, pulumitest.Providers{"site": provider.Folder(t, "site", "examples/site.cue")})
}

func steps(list []string, but ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool {
		return slices.ContainsFunc(but, func(prefix string) bool { return strings.HasPrefix(s, prefix) })
	})
}

// changes are the steps that changed something, in the words of Step.String.
func changes(r interface{ Outcomes() []string }) []string { return steps(r.Outcomes(), "same") }

func wantChanges(t *testing.T, r interface{ Outcomes() []string }, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, changes(r)); diff != "" {
		t.Errorf("what was done (-want +got):\n%s", diff)
	}
}

func names(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }

// TestLifeOfASite takes examples/site.cue through all that can happen to it.
func TestLifeOfASite(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	pages := map[string]string{"about": "Us", "news": "Nothing"}
	s.Program(site("Cats", "Disallow: /", pages))
	for _, step := range s.Preview("create=5").Steps() {
		if step.Name == "web-index" && !strings.Contains(fmt.Sprint(step.New["content"]), `<a href="about.html">`) {
			t.Errorf("the preview does not know what the index says: %v", step.New)
		}
	}
	if files := s.Files(); len(files) > 0 {
		t.Fatalf("the preview wrote %v", names(files))
	}

	s.Up("create=5")
	if diff := cmp.Diff([]string{"www/about.html", "www/index.html", "www/news.html", "www/robots.txt"}, names(s.Files())); diff != "" {
		t.Fatalf("the files (-want +got):\n%s", diff)
	}
	if index := s.Files()["www/index.html"]; !strings.Contains(index, `<a href="about.html">`) || !strings.Contains(index, "Cats") {
		t.Errorf("the index:\n%s", index)
	}
	file := func(node node) node {
		node.Parent, node.Provider = "web", "default"
		return node
	}
	if diff := cmp.Diff(map[string]node{
		"web":            {},
		"web-page-about": file(node{}),
		"web-page-news":  file(node{}),
		"web-index": file(node{
			Dependencies: "web-page-about web-page-news", Properties: map[string]string{"content": "web-page-about web-page-news"},
		}),
		"web-robots": file(node{Dependencies: "web-index"}),
	}, graph(t, s)); diff != "" {
		t.Errorf("the graph of the state (-want +got):\n%s", diff)
	}
	before := outputs(t, s)
	if diff := cmp.Diff([]any{"www/index.html", "www/about.html", "www/news.html", "www/robots.txt"}, before["paths"]); diff != "" {
		t.Errorf("the paths (-want +got):\n%s", diff)
	}
	s.Preview("same=5")
	s.Up("same=5")

	t.Log("a change of one page touches that page")
	pages["news"] = "Something"
	s.Program(site("Cats", "Disallow: /", pages))
	s.Preview("same=3 update=2")
	wantChanges(t, s.Up("same=3 update=2"), "update File web-page-news", "update Site web")
	if after := outputs(t, s); after["hash"] == before["hash"] {
		t.Error("the hash of the site is as before")
	}

	t.Log("drift is found, and repaired")
	s.Write("www/about.html", "scribble")
	s.Refresh("same File web-index", "same File web-page-news", "same File web-robots", "same Site web", "update File web-page-about")
	wantChanges(t, s.Up("same=4 update=1"), "update File web-page-about")
	remove(t, s, "www/robots.txt")
	s.Refresh("delete File web-robots", "same File web-index", "same File web-page-about", "same File web-page-news", "same Site web")
	wantChanges(t, s.Up("create=1 same=4"), "create File web-robots")

	t.Log("a page is added, another removed")
	delete(pages, "about")
	pages["team"] = "Everybody"
	s.Program(site("Cats", "Disallow: /", pages))
	s.Preview("create=1 delete=1 same=2 update=2")
	wantChanges(t, s.Up("create=1 delete=1 same=2 update=2"),
		"create File web-page-team", "delete File web-page-about", "update File web-index", "update Site web")
	if diff := cmp.Diff([]string{"www/index.html", "www/news.html", "www/robots.txt", "www/team.html"}, names(s.Files())); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}

	t.Log("robots.txt goes with its input")
	s.Program(site("Cats", "", pages))
	wantChanges(t, s.Up("delete=1 same=3 update=1"), "delete File web-robots", "update Site web")

	t.Log("another folder replaces every file")
	s.Program(strings.Replace(site("Cats", "", pages), "folder: www", "folder: public", 1))
	s.Preview("create-replacement=3 delete-replaced=3 replace=3 update=1")
	s.Up("create-replacement=3 delete-replaced=3 replace=3 update=1")
	if diff := cmp.Diff([]string{"public/index.html", "public/news.html", "public/team.html"}, names(s.Files())); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
	s.Up("same=4")
	s.Destroy("delete=4")
	if files := s.Files(); len(files) > 0 {
		t.Errorf("left behind: %v", names(files))
	}
}

// TestOptionsOfAComponent: what the program says of a component holds for its
// children, as it does for components that are written in a language.
func TestOptionsOfAComponent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	with := func(options string) string {
		return strings.Replace(site("Cats", "", map[string]string{"about": "Us"}), "    properties:\n", options+"    properties:\n", 1)
	}
	s.Program(with("    options: {protect: true}\n"))
	s.Up("create=3")
	for _, name := range []string{"web", "web-index", "web-page-about"} {
		if r := s.Recorded(name); !r.Protect {
			t.Errorf("%s is not protected", name)
		}
	}
	if said := strings.Join(s.Fails(s.Project.Destroy(t.Context())), "\n"); !strings.Contains(said, "protect") {
		t.Errorf("a protected site was to be destroyed: %s", said)
	}
	s.Program(with(""))
	s.Up("same=3")

	t.Log("renamed, with an alias, nothing is made anew")
	s.Program(strings.NewReplacer("\n  web:\n", "\n  home:\n", "${web.", "${home.").Replace(with("    options: {aliases: [{name: web}]}\n")))
	s.Up("same=3")
	s.Recorded("home-index")
	s.Destroy("delete=3")
}

func outputs(t *testing.T, s *pulumitest.Stack) map[string]any {
	t.Helper()
	out, err := s.Outputs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func remove(t *testing.T, s *pulumitest.Stack, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(s.Dir, name)); err != nil {
		t.Fatal(err)
	}
}
