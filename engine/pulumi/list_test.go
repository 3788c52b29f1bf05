package pulumi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
)

const listed = `
package files
name: "files"
version: "1.0.0"
permissions: write: ["./**"]
resources: File: {
	inputs: {path: string, content: string}
	outputs: {}
	id: "${inputs.path}"
	create: file: write: {path: "${inputs.path}", content: "${inputs.content}"}
	read: file: read: path: "${id}"
	delete: file: delete: path: "${id}"
	list: {
		inputs: dir?: string
		file: list: path: "${inputs.dir ?? '.'}"
		items: "${result.items}"
		id:    "${each.value.path}"
	}
}
`

func listing(t *testing.T) (*client.Client, []string) {
	t.Helper()
	dir := t.TempDir()
	var want []string
	for i := range 7 {
		name := fmt.Sprintf("%d.txt", i)
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	c := start(t, pulumi.Options{Program: (&lab{}).program(t, listed), Dir: dir})
	if err := c.Configure(t.Context(), "files", property.Map{}); err != nil {
		t.Fatal(err)
	}
	return c, want
}

// TestListPages: pages follow each other without a gap, up to the limit.
func TestListPages(t *testing.T) {
	c, all := listing(t)
	cases := []struct {
		limit, size int
		pages       [][]string
	}{
		{0, 0, [][]string{all}},
		{3, 0, [][]string{all[:3]}},
		{0, 3, [][]string{all[:3], all[3:6], all[6:]}},
		{5, 3, [][]string{all[:3], all[3:5]}},
		{3, 3, [][]string{all[:3]}},
		{0, 7, [][]string{all}},
		{9, 8, [][]string{all}},
	}
	for _, tc := range cases {
		t.Run(fmt.Sprintf("limit %d, pages of %d", tc.limit, tc.size), func(t *testing.T) {
			var pages [][]string
			for next, first := "", true; next != "" || first; first = false {
				l, err := c.List(t.Context(), "files:index:File", property.Map{}, tc.limit, tc.size, next)
				if err != nil {
					t.Fatal(err)
				}
				var ids []string
				for _, r := range l.Results {
					ids = append(ids, filepath.Base(r.ID))
				}
				pages, next = append(pages, ids), l.Next
			}
			if diff := cmp.Diff(tc.pages, pages); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestListRefusesAnothersToken(t *testing.T) {
	c, _ := listing(t)
	first, err := c.List(t.Context(), "files:index:File", property.Map{}, 0, 3, "")
	if err != nil || first.Next == "" {
		t.Fatalf("%v, %v", first, err)
	}
	for name, token := range map[string]string{"another limit": first.Next, "garbage": "!", "short": "AAAA"} {
		limit := 5
		if name != "another limit" {
			limit = 0
		}
		_, err := c.List(t.Context(), "files:index:File", property.Map{}, limit, 3, token)
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestListOfAnUnknownQuery(t *testing.T) {
	c, _ := listing(t)
	l, err := c.List(t.Context(), "files:index:File", object("dir", property.New(property.Computed)), 0, 0, "")
	if err != nil || !l.Unknown || len(l.Results) > 0 {
		t.Errorf("%+v, %v", l, err)
	}
}
