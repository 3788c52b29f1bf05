package pulumi_test

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
)

// TestConvergence generates resources with all that decides what is sent and compared (types,
// names on the wire, defaults, sets, keys, null), and a server that echoes, rewrites or fills in
// values. After each create and update, and after a refresh, nothing is left to change; what
// differs between two programs is an update that reaches the server.
func TestConvergence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := genConverging(t)
		c := newConvergence(t, g)
		defer c.close()
		c.create(c.checked(g.inputs(t)))
		for range rapid.IntRange(1, 3).Draw(t, "updates") {
			if rapid.IntRange(0, 3).Draw(t, "drift") == 0 {
				c.drift(t)
			}
			c.update(c.checked(g.inputs(t)))
		}
		if rapid.IntRange(0, 3).Draw(t, "import") == 0 {
			c.importAnew(c.checked(g.inputs(t)))
		}
		c.remove()
	})
}

// convergence is the life of one resource.
type convergence struct {
	*rapid.T
	of     *converging
	server *convergingServer
	client *client.Client
	close  func()

	state   client.State
	program property.Map
}

var convergingThing = client.Resource{Type: "things:index:Thing", Name: "it"}

func newConvergence(t *rapid.T, g *converging) *convergence {
	l := &lab{}
	p, err := l.compile(t.Context(), g.text())
	if err != nil {
		t.Fatalf("%s\n%v", g.text(), err)
	}
	server := &convergingServer{of: g}
	at := server.serve()
	dir, err := os.MkdirTemp("", "converge")
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Start(pulumi.Options{Program: p, Version: "1.0.0", Dir: dir, Journal: dir, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Configure(t.Context(), "things", object("endpoint", at.URL)); err != nil {
		t.Fatal(err)
	}
	return &convergence{T: t, of: g, server: server, client: c, close: func() {
		_ = c.Close()
		at.Close()
		os.RemoveAll(dir)
	}}
}

func (c *convergence) fail(format string, args ...any) {
	c.Helper()
	c.Fatalf("%s\nprogram %v\nstate %v\nobject %v\nsent %v\n%s", c.of.text(), shown(c.program), shown(c.state.Inputs), c.server.object, c.server.sent, fmt.Sprintf(format, args...))
}

// checked is what Check makes of the inputs of a program.
func (c *convergence) checked(inputs map[string]any) property.Map {
	out, err := c.client.Check(c.Context(), convergingThing, c.program, plainProperty(inputs).AsMap())
	if err != nil || len(out.Failures) > 0 {
		c.fail("check of %v: %v %+v", inputs, err, out.Failures)
	}
	return out.Inputs
}

func (c *convergence) create(program property.Map) {
	c.program = program
	state, err := c.client.Create(c.Context(), convergingThing, program, client.Operation{})
	if err != nil {
		c.fail("create: %v", err)
	}
	c.state = state
	c.settled()
}

// settled checks that nothing is left to change, before and after a refresh.
func (c *convergence) settled() {
	c.Helper()
	for range 2 {
		diff, err := c.client.Diff(c.Context(), convergingThing, c.state, c.program)
		if err != nil || diff.Changed {
			c.fail("the next update would change %+v, %v", diff, err)
		}
		c.refresh()
	}
	for _, m := range c.of.members {
		c.reached(m)
	}
	c.server.requests()
}

// reached checks that the server has what the program says of a member.
func (c *convergence) reached(m *convergingMember) {
	c.Helper()
	v, given := c.program.GetOk(m.name)
	now, there := at(c.server.object, m.wire)
	switch {
	case !given || v.IsNull() && !m.nullable:
		if there && now != nil && m.habit != fills && !(m.emptyIsAbsent() && isEmpty(now)) {
			c.fail("%s is not in the program, and %v at the server", m.name, now)
		}
	case m.emptyIsAbsent() && isEmpty(now) && (v.IsArray() && v.AsArray().Len() == 0 || v.IsMap() && v.AsMap().Len() == 0):
	case scalars(onWire(convergingKinds[m.kind].onWire, plainValue(v)), m.habit) != scalars(now, m.habit):
		c.fail("%s is %v in the program, and %v at the server", m.name, shown(property.NewMap(map[string]property.Value{m.name: v})), now)
	}
}

func (c *convergence) refresh() {
	c.Helper()
	state, err := c.client.Read(c.Context(), convergingThing, c.state, client.Operation{})
	if err != nil || state.ID != "t1" {
		c.fail("refresh: %+v, %v", state, err)
	}
	c.state = state
}

// update changes the program. What differs is sent, and nothing else.
func (c *convergence) update(program property.Map) {
	before := c.program
	c.program = program
	diff, err := c.client.Diff(c.Context(), convergingThing, c.state, program)
	if err != nil {
		c.fail("diff: %v", err)
	}
	var want []string
	for _, m := range c.of.members {
		if m.differ(before, program) {
			want = append(want, m.name)
		}
	}
	if got := topLevel(diff); !cmp.Equal(want, got) {
		c.fail("before %v: the update would change %v, want %v", shown(before), got, want)
	}
	if want == nil {
		c.state.Inputs = program
		c.settled()
		return
	}
	c.apply()
	sent := c.server.requests()
	if len(sent) != 1 {
		c.fail("%d requests were sent", len(sent))
	}
	for _, m := range c.of.members {
		_, there := at(sent[0].body, m.wire)
		if slices.Contains(want, m.name) && !there && c.of.update != "PUT" {
			c.fail("the change of %s was not sent: %v", m.name, sent[0].body)
		}
		if !slices.Contains(want, m.name) && there && c.of.update != "PUT" {
			c.fail("%s was sent, and did not change: %v", m.name, sent[0].body)
		}
	}
	c.settled()
}

func (c *convergence) apply() {
	c.Helper()
	state, err := c.client.Update(c.Context(), convergingThing, c.state, c.program, client.Operation{})
	if err != nil {
		c.fail("update: %v", err)
	}
	c.state = state
}

// drift changes a member at the server, which the next update undoes.
func (c *convergence) drift(t *rapid.T) {
	m := rapid.SampledFrom(c.of.members).Draw(t, "drifting")
	if _, given := c.program.GetOk(m.name); m.output && !given && !m.has("@normalised()") {
		return // the server may choose it
	}
	of := convergingKinds[m.kind]
	to := clone(onWire(of.onWire, wireValues(c.of.rule, rapid.SampledFrom(of.values).Draw(t, "to"))))
	if m.kind == "keyed" || m.kind == "struct" || m.kind == "union" || m.kind == "enum" {
		return // their members have names on the wire
	}
	c.server.mu.Lock()
	was, _ := at(c.server.object, m.wire)
	put(c.server.object, m.wire, to)
	m.keep(c.of.rule, c.server.object)
	is, _ := at(c.server.object, m.wire)
	c.server.mu.Unlock()
	c.refresh()
	diff, err := c.client.Diff(c.Context(), convergingThing, c.state, c.program)
	if err != nil {
		c.fail("diff: %v", err)
	}
	same := jsonText(was) == jsonText(is) || m.emptyIsAbsent() && isEmpty(was) && isEmpty(is)
	if diff.Changed == same {
		c.fail("the server has changed %s from %v to %v: %+v", m.name, was, is, diff)
	}
	if diff.Changed {
		c.apply()
		c.settled()
	}
}

// importAnew forgets the state, and imports the object. One update makes it what the program says.
func (c *convergence) importAnew(program property.Map) {
	c.program = program
	state, err := c.client.Read(c.Context(), convergingThing, client.State{ID: "t1"}, client.Operation{})
	if err != nil || state.ID != "t1" {
		c.fail("import: %+v, %v", state, err)
	}
	c.state = state
	diff, err := c.client.Diff(c.Context(), convergingThing, c.state, c.program)
	if err != nil {
		c.fail("diff: %v", err)
	}
	if diff.Changed {
		c.apply()
	} else {
		c.state.Inputs = program
	}
	c.settled()
}

func (c *convergence) remove() {
	if err := c.client.Delete(c.Context(), convergingThing, c.state, client.Operation{}); err != nil {
		c.fail("delete: %v", err)
	}
	if c.server.object != nil {
		c.fail("the object is still there")
	}
}

// differ reports whether two programs differ in the member.
func (m *convergingMember) differ(old, now property.Map) bool {
	a, hadIt := old.GetOk(m.name)
	b, hasIt := now.GetOk(m.name)
	if hadIt && !hasIt && m.output && !m.has("@normalised()") {
		return false // the server keeps it
	}
	if m.has("@equal(fold)") && a.IsString() && b.IsString() {
		return !strings.EqualFold(a.AsString(), b.AsString())
	}
	return hadIt != hasIt || text(a, m.habit == sorts) != text(b, m.habit == sorts)
}

// emptyIsAbsent reports whether an empty value that is read means the same as none.
func (m *convergingMember) emptyIsAbsent() bool {
	return m.optional && !m.nullable && !m.output && slices.Contains([]string{"list", "set", "keyed", "map", "ids", "flags"}, m.kind)
}

// topLevel are the properties that a diff changes, in the order of the spec.
func topLevel(d client.Diff) []string {
	var names []string
	for _, change := range d.Details {
		name := change.Path
		if i := strings.IndexAny(name, ".["); i > 0 {
			name = name[:i]
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	order := []string{"petName", "birthYear", "x", "aLongerName", "sizeOf"}
	slices.SortFunc(names, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	return names
}

// text identifies a value, of which null members are absent.
func text(v property.Value, unordered bool) string {
	plain := plainValue(v)
	if items, ok := plain.([]any); ok && unordered {
		slices.SortFunc(items, func(a, b any) int { return strings.Compare(jsonText(a), jsonText(b)) })
	}
	return jsonText(plain)
}

// plainValue is the inverse of plainProperty.
func plainValue(v property.Value) any {
	switch {
	case v.IsArray():
		items := []any{}
		for _, item := range v.AsArray().All {
			items = append(items, plainValue(item))
		}
		return items
	case v.IsMap():
		members := map[string]any{}
		for name, member := range v.AsMap().All {
			if !member.IsNull() {
				members[name] = plainValue(member)
			}
		}
		return members
	case v.IsNumber():
		return v.AsNumber()
	case v.IsBool():
		return v.AsBool()
	case v.IsString():
		return v.AsString()
	default:
		return nil
	}
}

// scalars lists the scalars of a value, whatever the names on the wire are.
func scalars(v any, habit string) string {
	var all []string
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case nil:
		case []any:
			for _, item := range v {
				visit(item)
			}
		case map[string]any:
			for _, member := range v {
				visit(member)
			}
		default:
			all = append(all, fmt.Sprint(v))
		}
	}
	visit(v)
	slices.Sort(all)
	list := strings.Join(all, ", ")
	if habit == raises {
		return strings.ToUpper(list)
	}
	return list
}
