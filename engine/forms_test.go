package engine_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
)

// TestFormsOfRest has a table of the values of `form`, with what a create and three updates send: of changes, of members that the program
// has removed, and of entries of a map. Names are those on the wire.
func TestFormsOfRest(t *testing.T) {
	t.Parallel()
	const created = "active=true&petName=a b&size=7&weight=1.5"
	for name, c := range map[string]struct {
		rest string
		want []string
	}{
		"brackets": {`{path: "/pets", form: "brackets", update: "POST"}`, []string{
			created + "&labels[x]=1&labels[y]=2&list[]=1&list[]=2&of[deep]=3&pets[0][n]=u&pets[1][n]=v",
			"active=false&size=8", "list=&note=&of=", "labels[y]=2",
		}},
		"brackets, merged": {`{path: "/pets", form: "brackets", update: "POST", patch: "merge"}`, []string{
			created + "&labels[x]=1&labels[y]=2&list[]=1&list[]=2&of[deep]=3&pets[0][n]=u&pets[1][n]=v",
			"active=false&size=8", "list=&note=&of=", "labels[x]=&labels[y]=2",
		}},
		"indices by PUT": {`{path: "/pets", form: "indices", update: "PUT", patch: "merge", wrap: "pet", unwrap: "pet"}`, []string{
			"pet[active]=true&pet[petName]=a b&pet[size]=7&pet[weight]=1.5&pet[labels][x]=1&pet[labels][y]=2&pet[list][0]=1&pet[list][1]=2&pet[of][deep]=3&pet[pets][0][n]=u&pet[pets][1][n]=v",
			"pet[active]=false&pet[petName]=a b&pet[size]=8&pet[weight]=1.5&pet[labels][x]=1&pet[labels][y]=2&pet[list][0]=1&pet[list][1]=2&pet[of][deep]=3&pet[pets][0][n]=u&pet[pets][1][n]=v&pet[note]=n",
			"pet[active]=false&pet[petName]=a b&pet[size]=8&pet[weight]=1.5&pet[labels][x]=1&pet[labels][y]=2&pet[list]=&pet[of]=&pet[pets][0][n]=u&pet[pets][1][n]=v&pet[note]=",
			"pet[active]=false&pet[petName]=a b&pet[size]=8&pet[weight]=1.5&pet[labels][x]=&pet[labels][y]=2&pet[pets][0][n]=u&pet[pets][1][n]=v",
		}},
		"numbers, with members of the spec": {`{path: "/pets", form: "N", patch: "changes", body: {kind: {of: ["k"]}}}`, []string{
			created + "&kind.of.1=k&labels.x=1&labels.y=2&list.1=1&list.2=2&of.deep=3&pets.1.n=u&pets.2.n=v",
			"active=false&kind.of.1=k&size=8", "kind.of.1=k&list=&note=&of=", "kind.of.1=k&labels.y=2",
		}},
	} {
		short, expanded := restForms(t, `
name: "pets"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
rest: {idempotencyKey: true, list: "none"}
resources: Pet: {
	inputs: {
		name: string @wire("petName"), size: int, weight: number, active: *true | bool, note?: string, of?: deep: int
		list?: [...int], labels: [string]: string, pets: [...{n: string}]
	}
	rest: `+c.rest+`
}`)
		for form, text := range map[string]*spec.Provider{"rest": short, "expanded": expanded} {
			t.Run(name+"/"+form, func(t *testing.T) {
				t.Parallel()
				var mu sync.Mutex
				var got []string
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					text, _ := io.ReadAll(r.Body)
					mu.Lock()
					defer mu.Unlock()
					if len(text) > 0 {
						got = append(got, sortedForm(t, r, string(text)))
					}
					respond(w, http.StatusOK, map[string]any{"id": "7", "pet": map[string]any{"id": "7"}})
				}))
				defer server.Close()
				e := wholeEngine(t, t, text, server.URL, t.TempDir())
				first := object("name", "a b", "size", 7, "weight", 1.5, "active", true, "of", map[string]any{"deep": 3}, "list", []any{1, 2},
					"labels", map[string]any{"x": "1", "y": "2"}, "pets", []any{map[string]any{"n": "u"}, map[string]any{"n": "v"}})
				_ = e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: check(t, e, "Pet", first)}) // the response has no inputs
				second := object("name", "a b", "size", 8, "weight", 1.5, "active", false, "note", "n", "of", map[string]any{"deep": 3}, "list", []any{1, 2},
					"labels", map[string]any{"x": "1", "y": "2"}, "pets", []any{map[string]any{"n": "u"}, map[string]any{"n": "v"}})
				third := second.Delete("note").Delete("of").Delete("list")
				fourth := third.Set("labels", object("l", map[string]any{"y": "2"}).Get("l"))
				states := []property.Map{first.Set("note", property.New("n")), second, third, fourth}
				for i := range 3 {
					_ = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: engine.State{ID: "7", Inputs: states[i], Outputs: states[i]}, Inputs: states[i+1]})
				}
				var want []string
				for _, form := range c.want {
					pairs := strings.Split(form, "&")
					slices.Sort(pairs)
					want = append(want, strings.Join(pairs, "&"))
				}
				mu.Lock()
				defer mu.Unlock()
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// sortedForm returns the pairs of a form, decoded and sorted.
func sortedForm(t *testing.T, r *http.Request, text string) string {
	if kind := r.Header.Get("Content-Type"); kind != "application/x-www-form-urlencoded" {
		t.Errorf("the type of the body is %q", kind)
	}
	var pairs []string
	for _, pair := range strings.Split(text, "&") {
		decoded, err := url.QueryUnescape(pair)
		if err != nil {
			t.Error(err)
		}
		pairs = append(pairs, decoded)
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// parseForm returns the members of a form as a server reads them that names what is in lists and maps by a rule: each value is a text,
// and an empty one is null.
func parseForm(text, rule string) (map[string]any, error) {
	root := &formMember{}
	for _, pair := range strings.Split(text, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil {
			return nil, err
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return nil, err
		}
		path, err := formPath(name, rule)
		if err != nil {
			return nil, err
		}
		if err := root.add(path, value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	members, ok := root.value().(map[string]any)
	if !ok && len(text) > 0 {
		return nil, fmt.Errorf("the form %q has no members", text)
	}
	return members, nil
}

// formPath returns the names in the name of a parameter; an item of a list that has no index is "".
func formPath(name, rule string) ([]string, error) {
	switch rule {
	case "repeat":
		return []string{name}, nil
	case "N":
		return strings.Split(name, "."), nil
	case "member.N":
		return slices.DeleteFunc(strings.Split(name, "."), func(s string) bool { return s == "member" }), nil
	}
	first, rest, nested := strings.Cut(name, "[")
	path := []string{first}
	if !nested {
		return path, nil
	}
	rest, closed := strings.CutSuffix(rest, "]")
	if !closed {
		return nil, fmt.Errorf("%q does not end in a bracket", name)
	}
	for _, part := range strings.Split(rest, "][") {
		if strings.ContainsAny(part, "[]") || part == "" && rule == "indices" {
			return nil, fmt.Errorf("%q has a bracket that is not closed, or no index", name)
		}
		path = append(path, part)
	}
	return path, nil
}

// formMember is a member of a form: texts, or further members in the order in which they came.
type formMember struct {
	texts []string
	names []string
	inner map[string]*formMember
}

func (m *formMember) add(path []string, value string) error {
	if len(path) == 0 || len(path) == 1 && path[0] == "" {
		m.texts = append(m.texts, value)
		return nil
	}
	if m.inner == nil {
		m.inner = map[string]*formMember{}
	}
	if m.inner[path[0]] == nil {
		m.inner[path[0]] = &formMember{}
		m.names = append(m.names, path[0])
	}
	return m.inner[path[0]].add(path[1:], value)
}

// value returns what was sent. Members that are all numbers, from 0 or 1 on, are a list.
func (m *formMember) value() any {
	switch {
	case m.inner == nil && len(m.texts) == 1 && m.texts[0] == "":
		return nil
	case m.inner == nil && len(m.texts) == 1:
		return m.texts[0]
	case m.inner == nil:
		list := []any{}
		for _, text := range m.texts {
			list = append(list, text)
		}
		return list
	}
	list, members, isList := []any{}, map[string]any{}, true
	for i, name := range m.names {
		first, _ := strconv.Atoi(m.names[0])
		n, err := strconv.Atoi(name)
		isList = isList && err == nil && n == first+i && first < 2
		list, members[name] = append(list, m.inner[name].value()), m.inner[name].value()
	}
	if isList {
		return list
	}
	return members
}
