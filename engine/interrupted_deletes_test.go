package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// brokenDelete is a delete that does not come to its end: the provider dies in one of its requests, or the request is refused, or its
// response is lost. Then the world goes on, and the next run deletes again.
type brokenDelete struct {
	// steps are what the delete does, in order: remove the object, detach its part, and wait.
	steps string
	// flag says how far the first step with an effect may be repeated: see `world: post`.
	flag string
	// id says who chooses the id: the program or the server.
	id string
	// tells is what tells whether an object is there: a read that shows a value that never changes, another read, find, or nothing.
	tells string
	// at is the number of the request in which the delete ends, and how says in which way.
	at  int
	how string
	// then is what somebody else does before the next delete.
	then string
}

func (d brokenDelete) String() string {
	return fmt.Sprintf("%s {%s}, id of the %s, told by %q, %s at %d, then %s", d.steps, strings.TrimSuffix(d.flag, ", "), d.id, d.tells, d.how, d.at, d.then)
}

// brokenDeletes returns all of them.
func brokenDeletes() (all []brokenDelete) {
	for steps, requests := range map[string]int{"remove": 1, "detach remove": 2, "remove detach": 2, "remove wait": 2, "loop remove": 3} {
		for _, flag := range []string{"safe: true, ", "once: true, ", "key: true, ", ""} {
			for _, id := range []string{"program", "server"} {
				for _, tells := range []string{"uid", "read", "find", ""} {
					for at := 1; at <= requests; at++ {
						for _, how := range []string{"dies before", "dies after", "lost before", "lost after", "refused"} {
							for _, then := range []string{"nothing", "recreated", "removed"} {
								all = append(all, brokenDelete{steps, flag, id, tells, at, how, then})
							}
						}
					}
				}
			}
		}
	}
	return all
}

// service has the objects by name, and how often which step had an effect.
type service struct {
	mu      sync.Mutex
	objects map[string]*serviceObject
	// parts are the parts of the resource that are there.
	parts map[string]bool
	// made counts the objects. requests counts the requests of the delete, and done how often which of them had an effect.
	made, requests int
	done           map[string]int
	// answered are the requests that were answered as done. again are those of them that were sent again.
	answered map[string]bool
	again    []string
	// fails ends request number at in a way.
	at  int
	how string
	// taken is true if somebody else makes an object of that name before a lost request is repeated.
	taken bool
	// robbed is true if an object of somebody else was removed.
	robbed bool
}

type serviceObject struct {
	uid   string
	alien bool
}

func (s *service) make(name string, alien bool) *serviceObject {
	s.made++
	s.objects[name] = &serviceObject{uid: fmt.Sprint("u", s.made), alien: alien}
	return s.objects[name]
}

// find returns the name of the object with a name or uid, "" if there is none.
func (s *service) find(key string) string {
	for name, o := range s.objects {
		if name == key || o.uid == key {
			return name
		}
	}
	return ""
}

func (s *service) show(key string) actions.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.find(key)
	if name == "" {
		return gone(key)
	}
	return yields("name", name, "uid", s.objects[name].uid, "id", s.objects[name].uid)
}

// request is one of the delete. do does it, and reports whether there was something to do.
func (s *service) request(what string, do func() bool) actions.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	how := ""
	if s.requests == s.at {
		how = s.how
	}
	switch how {
	case "refused":
		return refused(what)
	case "dies before":
		panic("it dies")
	case "lost before":
		return actions.Outcome{Status: actions.Unknown, Err: errLost}
	}
	if s.answered[what] {
		s.again = append(s.again, what)
	}
	did := do()
	if did {
		s.done[what]++
	}
	switch {
	case how == "dies after":
		panic("it dies")
	case how == "lost after":
		if s.taken {
			s.make("blue", true)
		}
		return actions.Outcome{Status: actions.Unknown, Err: errLost, Again: s.taken}
	case !did:
		return gone(what)
	}
	s.answered[what] = true
	return yields("job", "7", "done", true)
}

// world returns the service as a world.
func (s *service) world() *world {
	w := newWorld()
	with := func(call *actions.Call) string { text, _ := call.Args["with"].(string); return text }
	w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome {
		s.mu.Lock()
		defer s.mu.Unlock()
		o := s.make("blue", false)
		return yields("id", o.uid, "uid", o.uid)
	}
	show := func(_ context.Context, call *actions.Call) actions.Outcome { return s.show(with(call)) }
	w.hooks["get"], w.hooks["find"] = show, show
	w.hooks["remove"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		return s.request("remove", func() bool {
			name := s.find(with(call))
			if name != "" {
				s.robbed = s.robbed || s.objects[name].alien
				delete(s.objects, name)
			}
			return name != ""
		})
	}
	w.hooks["detach"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		part := with(call)
		return s.request("detach "+part, func() bool {
			if s.parts[part] || call.Args["safe"] == nil && call.Args["once"] == nil && call.Args["key"] == nil {
				delete(s.parts, part)
				return true
			}
			return false
		})
	}
	w.hooks["wait"] = func(context.Context, *actions.Call) actions.Outcome {
		return s.request("wait", func() bool { return true })
	}
	return w
}

func (d brokenDelete) spec() string {
	text := "inputs: {name: string @replace(), note?: string @noRead()}\nupdate: world: post: {safe: true, what: \"change\", with: \"${inputs.note}\"}\n"
	text += map[string]string{"program": `id: "${inputs.name}"`, "server": `id: "${result.id}"`}[d.id] + "\n"
	switch d.tells {
	case "uid":
		text += "outputs: uid: string @stable()\nread: world: look: {what: \"get\", with: \"${id}\"}\n"
	case "read":
		text += "read: world: look: {what: \"get\", with: \"${id}\"}\n"
	case "find":
		text += "find: world: look: {what: \"find\", with: \"${inputs.name}\"}\n"
	}
	remove := `{as: "go", world: post: {FLAGwhat: "remove", with: "${id}"}}`
	detach := `{world: post: {FLAGwhat: "detach", with: "a"}}`
	wait := `{world: look: {what: "wait", with: "${steps.go.job}"}, until: "${result.done}"}`
	loop := `{forEach: ["a", "b"], world: post: {FLAGwhat: "detach", with: "${each.value}"}}`
	var steps []string
	for _, name := range strings.Fields(d.steps) {
		step := map[string]string{"remove": remove, "detach": detach, "wait": wait, "loop": loop}[name]
		flag := "safe: true, "
		if steps == nil {
			flag = d.flag
		}
		steps = append(steps, strings.ReplaceAll(step, "FLAG", flag))
	}
	return text + `create: world: post: {what: "make", with: "${inputs.name}"}
	consistency: "0s"
	delete: steps: [` + strings.Join(steps, ", ") + `]`
}

// run runs the delete, and returns its error, or that the provider has died.
func (d brokenDelete) run(t *testing.T, e *engine.Engine, state engine.State) (err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("%v", bug)
		}
	}()
	return e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state})
}

// begin makes the object, whose delete will fail.
func (d brokenDelete) begin(t *testing.T) (*service, *scene, engine.Result) {
	t.Helper()
	s := &service{objects: map[string]*serviceObject{}, parts: map[string]bool{}, done: map[string]int{}, answered: map[string]bool{}}
	s.parts["a"], s.parts["b"] = strings.Contains(d.steps, "detach") || strings.Contains(d.steps, "loop"), strings.Contains(d.steps, "loop")
	c := newScene(t, s.world(), d.spec())
	made := c.create("name", "blue")
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	c.show(made.State)
	s.at, s.how = d.at, d.how
	return s, c, made
}

func (d brokenDelete) play(t *testing.T) {
	t.Helper()
	s, c, made := d.begin(t)
	if err := d.run(t, c.e, *made.State); err == nil {
		t.Fatal("the first delete was done")
	}
	left := unsettled(t, c.w.journal)
	known := d.how == "refused" || d.steps == "remove wait" && d.at == 2 && strings.HasPrefix(d.how, "lost")
	if d.listed() && !known && len(left) == 0 {
		t.Error("the journal does not list it")
	}
	if known && len(left) > 0 {
		t.Errorf("its outcome is known, and the journal lists it: %+v", left)
	}
	own := s.objects["blue"] != nil
	switch d.then {
	case "removed":
		delete(s.objects, "blue")
	case "recreated":
		if !own {
			s.make("blue", true)
		}
	}
	alien := s.objects["blue"] != nil && s.objects["blue"].alien
	s.again = nil
	err := d.run(t, c.e, *made.State)
	if err != nil && d.how == "refused" {
		err = d.run(t, c.e, *made.State)
	}
	d.judge(t, s, err, own, alien)
	left = unsettled(t, c.w.journal)
	switch {
	case err == nil && len(intents(t, c.w.journal)) > 0:
		t.Errorf("the journal has %+v after the delete", intents(t, c.w.journal))
	case err != nil && (len(left) != 1 && d.how != "refused" || !strings.Contains(err.Error(), "declprov journal forget "+intents(t, c.w.journal)[0].Key)):
		t.Errorf("the error does not say how to go on: %v\n%+v", err, left)
	}
}

// show passes a state to the engine, as the host does once it has recorded it.
func (s *scene) show(state *engine.State) {
	s.Helper()
	if _, err := s.e.Diff(s.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *state, New: state.Inputs}); err != nil {
		s.Fatal(err)
	}
}

// unsettled returns the entries that `declprov journal` lists.
func unsettled(t *testing.T, dir string) (out []journal.Intent) {
	t.Helper()
	for _, i := range intents(t, dir) {
		if i.IsUnsettled() || i.Status == journal.Failed {
			out = append(out, i)
		}
	}
	return out
}

// listed reports whether the next run must know that the delete was begun.
func (d brokenDelete) listed() bool {
	repeats := d.flag == "safe: true, " || d.flag == "once: true, "
	return d.steps != "remove" || !repeats || d.id == "program" && d.tells != ""
}

// judge compares what was done with what may be.
func (d brokenDelete) judge(t *testing.T, s *service, err error, own, alien bool) {
	t.Helper()
	first := strings.Fields(d.steps)[0]
	knows := d.tells == "uid" || d.tells == "find" && d.id == "server"
	if s.robbed && (d.id == "server" || knows) {
		t.Error("the object of somebody else was removed")
	}
	if len(s.again) > 0 {
		t.Errorf("what was done was sent again: %v", s.again)
	}
	for what, n := range s.done {
		if d.flag == "" && n > 1 && strings.HasPrefix(what, "detach") && first != "remove" {
			t.Errorf("%s was done %d times", what, n)
		}
	}
	if err == nil {
		if o := s.objects["blue"]; o != nil && !o.alien || s.parts["a"] || s.parts["b"] {
			t.Errorf("the delete is done, and something is left: %+v", s.parts)
		}
		return
	}
	if !d.mayStop(own, alien) {
		t.Errorf("the next delete fails: %v", err)
	}
}

// mayStop reports whether the next delete may ask for somebody who looks.
func (d brokenDelete) mayStop(own, alien bool) bool {
	steps := strings.Fields(d.steps)
	if alien && len(steps) > 1 && d.steps != "remove wait" {
		return true // the rest of the steps may be about the object of somebody else
	}
	if d.how == "refused" || d.flag != "" {
		return false
	}
	inFirst := d.at == 1 || steps[0] == "loop" && d.at == 2
	switch {
	case !inFirst:
		return false // that step may be repeated
	case steps[0] == "remove" && steps[len(steps)-1] != "detach":
		return d.tells == "" // else it tells
	default:
		return true // the part is not shown, and it is not known which of the steps removes the object
	}
}

// TestBrokenDeletes: the next delete does what is left to do, and nothing twice; it takes nothing from others.
func TestBrokenDeletes(t *testing.T) {
	t.Parallel()
	for _, d := range brokenDeletes() {
		runCase(t, d.String(), func(t *testing.T) {
			t.Parallel()
			d.play(t)
		})
	}
}

// TestUpdatesAfterBrokenDeletes: an update neither makes an object again that is gone, nor changes that of somebody else. Once it is done,
// the delete is forgotten.
func TestUpdatesAfterBrokenDeletes(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"dies before", "dies after"} {
		for _, then := range []string{"nothing", "recreated"} {
			t.Run(how+", "+then, func(t *testing.T) {
				t.Parallel()
				d := brokenDelete{steps: "remove", flag: "safe: true, ", id: "program", tells: "uid", at: 1, how: how}
				s, c, made := d.begin(t)
				_ = d.run(t, c.e, *made.State)
				if then == "recreated" && how == "dies after" {
					s.make("blue", true)
				}
				c.w.log()
				out := c.update(made.State, "name", "blue", "note", "b")
				sent := strings.Contains(strings.Join(c.w.log(), ", "), "change")
				if own := how == "dies before"; own != sent || own != (out.Err == nil) || own != (len(unsettled(t, c.w.journal)) == 0) {
					t.Errorf("sent %v, %v, journal %v", sent, out.Err, c.statuses())
				}
			})
		}
	}
}

// TestRefreshesAfterBrokenDeletes: a refresh that does not find the object settles its delete. What else was to be removed is listed.
func TestRefreshesAfterBrokenDeletes(t *testing.T) {
	t.Parallel()
	for steps, left := range map[string]int{"remove": 0, "remove detach": 1} {
		t.Run(steps, func(t *testing.T) {
			t.Parallel()
			d := brokenDelete{steps: steps, flag: "safe: true, ", id: "program", tells: "uid", at: 1, how: "dies after"}
			_, c, made := d.begin(t)
			_ = d.run(t, c.e, *made.State)
			out := c.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State, Reason: engine.Refresh})
			if listed := unsettled(t, c.w.journal); !out.Gone || len(listed) != left {
				t.Errorf("gone %v, %v; the journal lists %+v", out.Gone, out.Err, listed)
			}
		})
	}
}

// TestLostDeletesByName: before a request is repeated in the same run, it is known whether the object is still the resource's own.
func TestLostDeletesByName(t *testing.T) {
	t.Parallel()
	d := brokenDelete{steps: "remove", flag: "safe: true, ", id: "program", tells: "uid", at: 1, how: "lost after"}
	s, c, made := d.begin(t)
	s.taken = true
	if err := d.run(t, c.e, *made.State); err != nil || s.robbed || s.objects["blue"] == nil || len(c.statuses()) > 0 {
		t.Errorf("%v; robbed %v, journal %v", err, s.robbed, c.statuses())
	}
}

// TestFailedUpdatesClaimNothing: the state after an update that failed has the values of before, in the outputs, too, above all of an
// input that no read shows.
func TestFailedUpdatesClaimNothing(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]actions.Outcome{"refused": refused("it"), "failed": failed("it"), "lost": {Status: actions.Unknown, Err: errLost}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, newWorld().on("second", second), `inputs: {name: string, pin: string @secret() @noRead()}
	id: "x"
	create: world: post: {safe: true, what: "make"}
	read: world: look: {what: "get", with: "${id}"}
	update: steps: [{world: post: {safe: true, what: "first"}}, {world: post: {safe: true, what: "second", with: "${inputs.pin}"}}]
	delete: world: do: {what: "remove", with: "${id}"}`)
			s.w.on("get", yields("name", "a"))
			made := s.create("name", "a", "pin", secret("old"))
			if made.Err != nil {
				t.Fatal(made.Err)
			}
			out := s.update(made.State, "name", "a", "pin", secret("new"))
			if out.Err == nil || out.State == nil {
				t.Fatalf("%+v", out)
			}
			for what, values := range map[string]property.Map{"inputs": out.State.Inputs, "outputs": out.State.Outputs} {
				if got := values.Get("pin").AsString(); got != "old" {
					t.Errorf("the %s have %q", what, got)
				}
			}
		})
	}
}
