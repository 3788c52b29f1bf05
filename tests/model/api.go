package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/declprov/declprov/tests/model/specgen"
)

// foreign is the owner that no stack is.
const foreign = "foreign"

// API is the simulated one. Its log is what the oracle believes.
type API struct {
	spec *specgen.Spec

	mu     sync.Mutex
	things []*Thing
	log    []*Entry
	keys   map[string]remembered
	tokens map[string]bool
	serial int
	// watch is told of each effect, before anybody else sees it.
	watch func(*Entry)
}

// remembered is what an idempotency key stands for.
type remembered struct {
	body   string
	status int
	answer any
}

func newAPI(spec *specgen.Spec) *API {
	return &API{spec: spec, keys: map[string]remembered{}, tokens: map[string]bool{}}
}

// call is a request to the API.
type call struct {
	who, slot, step, method, path string
	body                          []byte
	header                        http.Header
	arrived                       time.Time
	command                       int
	// late says that nobody waits for it any more.
	late string
}

// lag is how long a search does not find a new object, where the API lags.
const lag = 15 * time.Millisecond

// serve does what the API does, and logs it.
func (a *API) serve(c call) (status int, answer any, e *Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e = &Entry{
		Seq: len(a.log) + 1, Arrived: c.arrived, At: time.Now(), Command: c.command, Who: c.who, Slot: c.slot, Step: c.step,
		Method: c.method, Path: c.path, Body: string(c.body), Key: c.header.Get("Idempotency-Key"),
		Unlucky: c.late, Excused: c.late != "",
	}
	a.log = append(a.log, e)
	status, answer = a.do(c, e)
	e.Status = status
	if shown, ok := answer.(specgen.Object); ok && c.method == "GET" {
		_, e.ShowsNothing = shown["deleted"]
	}
	if e.Effect != Nothing && a.watch != nil {
		a.watch(e)
	}
	if e.Effect == Changed {
		e.Thing.Changed = e
	}
	return status, answer, e
}

func failure(status int, format string, args ...any) (int, any) {
	return status, specgen.Object{"error": fmt.Sprintf(format, args...)}
}

func (a *API) do(c call, e *Entry) (int, any) {
	if c.path == "/login" {
		token := fmt.Sprintf("token-%d", len(a.log))
		a.tokens[token] = true
		return 200, specgen.Object{"token": token, "expires": 3600}
	}
	if a.spec.Login && !a.tokens[strings.TrimPrefix(c.header.Get("Authorization"), "Bearer ")] && c.who != foreign {
		return failure(401, "no such token")
	}
	parts := strings.Split(strings.TrimPrefix(c.path, "/"), "/")
	switch {
	case c.step == "create" || c.step == "create by hand":
		return a.create(c, e, parts)
	case parts[0] == "parts":
		return a.doParts(c, e, parts)
	case c.method == "GET":
		return a.look(c, parts)
	case c.method == "DELETE" && len(parts) == 2:
		return a.remove(c, e, a.find(parts[1]))
	case c.method == "POST" && len(parts) == 3 && (parts[2] == "move" || parts[2] == "rename"):
		return a.move(c, e, a.find(parts[1]), parts[2])
	case (c.method == "PATCH" || c.method == "PUT") && len(parts) == 2:
		t := a.find(parts[1])
		if t == nil {
			return a.gone(parts[1])
		}
		if want := c.header.Get("If-Match"); want != "" && want != t.etag() {
			return failure(412, "it is at %s, and not at %s", t.etag(), want)
		}
		return a.change(c, e, t)
	}
	return failure(405, "%s %s", c.method, c.path)
}

// find is the object that has an id now; of parts, "parts/ID".
func (a *API) find(id string) *Thing {
	for _, t := range a.things {
		if t.ID == id && t.Parent == "" && !t.Gone {
			return t
		}
	}
	return nil
}

// gone is the response about an object that is not there.
func (a *API) gone(id string) (int, any) {
	for _, t := range a.things {
		if t.ID == id && t.Parent == "" && t.Marked {
			if a.spec.Marks == "flag" {
				shown := t.shown()
				shown["deleted"] = true
				return 200, shown
			}
			return failure(410, "it was deleted")
		}
	}
	return failure(404, "there is no such thing")
}

// named is an object by its name; one by its colour as well, if that is given.
func (a *API) named(name, colour string) *Thing {
	for _, t := range a.things {
		if t.Name == name && t.Parent == "" && !t.Gone && (colour == "" || colour == t.Colour) {
			return t
		}
	}
	return nil
}

func (a *API) look(c call, parts []string) (int, any) {
	switch {
	case len(parts) >= 3 && parts[1] == "named":
		colour := ""
		if len(parts) == 4 {
			colour = parts[3]
		}
		t := a.named(parts[2], colour)
		if t == nil || a.spec.Lags && c.step == "find" && time.Since(t.Made.At) < lag {
			return failure(404, "there is no such thing")
		}
		return 200, t.shown()
	case len(parts) == 2 && parts[0] == "things":
		if t := a.find(parts[1]); t != nil {
			return 200, t.shown()
		}
		return a.gone(parts[1])
	}
	return failure(404, "there is no such page")
}

// sent are the values of a body.
type sent struct {
	Name, Colour, Text *string
	Size               *float64
}

// create is every request that makes an object, whatever its method.
func (a *API) create(c call, e *Entry, parts []string) (int, any) {
	if key := c.header.Get("Idempotency-Key"); key != "" && a.spec.Way == specgen.Keyed {
		if before, ok := a.keys[c.who+key]; ok {
			if before.body != string(c.body) {
				return failure(422, "this key was used for something else")
			}
			return before.status, before.answer
		}
		status, answer := a.making(c, e, parts)
		if status < 400 {
			a.keys[c.who+key] = remembered{string(c.body), status, answer}
		}
		return status, answer
	}
	return a.making(c, e, parts)
}

func (a *API) making(c call, e *Entry, parts []string) (int, any) {
	var v sent
	if err := json.Unmarshal(c.body, &v); err != nil || v.Name == nil {
		return failure(400, "no name in %q", c.body)
	}
	before, id := a.occupant(c, v, parts)
	if before == nil {
		t := &Thing{Owner: c.who, Slot: c.slot, Holders: map[string]bool{c.who: true}, Made: e, ID: id}
		a.add(e, t)
		t.take(v)
		return 201, t.shown()
	}
	mine := before.Owner == c.who && before.Slot == c.slot
	switch {
	case c.header.Get("If-None-Match") == "*":
		return failure(412, "it is there")
	case c.method == "PUT":
		before.take(v)
		e.Effect, e.Thing = Changed, before
		if a.spec.Versions {
			e.Effect = Again
		}
		return 200, before.shown()
	case mine && (a.spec.Again || a.spec.IDs == "content"):
		before.take(v)
		e.Effect, e.Thing = Changed, before
		return 200, before.shown()
	case c.method == "MKCOL":
		return failure(405, "it is there")
	default:
		return failure(409, "that name is taken")
	}
}

// occupant is the object that stands where a new one would, or the id of the new
// one.
func (a *API) occupant(c call, v sent, parts []string) (before *Thing, id string) {
	switch {
	case a.spec.IDs == "content":
		sum := sha256.Sum256([]byte(*v.Text))
		id = hex.EncodeToString(sum[:])
		return a.find(id), id
	case a.spec.IDs == "client":
		id = *v.Name
		if len(parts) == 2 && parts[0] == "things" {
			id = parts[1]
		}
		return a.find(id), id
	default:
		id = fmt.Sprintf("t%d", a.serial+1)
		for _, t := range a.living() {
			mine := t.Owner == c.who && t.Slot == c.slot
			if t.Parent == "" && t.Name == *v.Name && (a.spec.Unique || a.spec.Again && mine) {
				return t, id
			}
		}
		return nil, id
	}
}

func (a *API) add(e *Entry, t *Thing) {
	a.serial++
	t.Serial = a.serial
	a.things = append(a.things, t)
	e.Effect, e.Thing = Made, t
}

func (a *API) change(c call, e *Entry, t *Thing) (int, any) {
	var v sent
	if err := json.Unmarshal(c.body, &v); err != nil {
		return failure(400, "%v", err)
	}
	if v.Name != nil && a.spec.Unique {
		if other := a.named(*v.Name, ""); other != nil && other != t {
			return failure(409, "that name is taken")
		}
	}
	t.take(v)
	e.Effect, e.Thing = Changed, t
	return 200, t.shown()
}

// move changes an object and gives it another id; a rename does so with another name.
func (a *API) move(c call, e *Entry, t *Thing, how string) (int, any) {
	var v sent
	if err := json.Unmarshal(c.body, &v); err != nil || v.Name == nil {
		return failure(400, "no name in %q", c.body)
	}
	if t == nil {
		return failure(404, "there is no such thing")
	}
	if other := a.named(*v.Name, ""); other != nil && other != t && a.spec.Unique {
		return failure(409, "that name is taken")
	}
	switch {
	case a.spec.IDs == "client":
		t.ID = *v.Name
	case how == "move" || t.Name != *v.Name:
		t.ID = fmt.Sprintf("t%d-%d", t.Serial, t.Revision)
	}
	t.take(v)
	e.Effect, e.Thing = Changed, t
	return 200, t.shown()
}

func (a *API) remove(c call, e *Entry, t *Thing) (int, any) {
	if t == nil {
		return failure(404, "there is no such thing")
	}
	t.Gone, t.Marked = true, a.spec.Marks != ""
	e.Effect, e.Thing = Removed, t
	if c.who == foreign { // who knows nothing of parts
		for _, part := range a.things {
			part.Gone = part.Gone || part.Parent == t.ID && part.Owner != foreign
		}
	}
	return 200, specgen.Object{"deleted": true}
}

// doParts is about parts: PUT and DELETE of one by its name, POST of another one,
// DELETE of all that an object has, or of those that were made for each element.
func (a *API) doParts(c call, e *Entry, parts []string) (int, any) {
	switch {
	case c.method == "DELETE" && (len(parts) == 3 || len(parts) == 4 && parts[3] == "each") && parts[1] == "of":
		found := false
		for _, t := range a.things {
			if t.Parent != parts[2] || t.Gone || len(parts) == 4 && t.Label == "one" {
				continue
			}
			entry := e
			if found { // each has a line of its own
				entry = &Entry{}
				*entry = *e
				entry.Seq = len(a.log) + 1
				a.log = append(a.log, entry)
			}
			found = true
			t.Gone = true
			entry.Effect, entry.Thing, entry.Status = Removed, t, 200
			if entry != e && a.watch != nil {
				a.watch(entry)
			}
		}
		return 200, specgen.Object{}
	case c.method == "POST" && len(parts) == 4:
		t := &Thing{Owner: c.who, Slot: c.slot, Holders: map[string]bool{c.who: true}, Made: e, Parent: parts[2], Label: parts[3]}
		a.add(e, t)
		t.ID = fmt.Sprintf("p%d", t.Serial)
		return 201, specgen.Object{"part": t.ID}
	}
	i := strings.LastIndex(parts[1], "-")
	if i < 0 {
		return failure(404, "there is no such part")
	}
	parent, label := parts[1][:i], parts[1][i+1:]
	at := slices.IndexFunc(a.things, func(t *Thing) bool { return t.Parent == parent && t.Label == label && !t.Gone })
	switch {
	case c.method == "PUT" && at >= 0 && c.header.Get("If-None-Match") == "*":
		return failure(412, "it is there")
	case c.method == "PUT" && at >= 0:
		t := a.things[at]
		t.Revision++
		e.Effect, e.Thing = Changed, t
		return 200, specgen.Object{"part": parts[1]}
	case c.method == "PUT":
		a.add(e, &Thing{Owner: c.who, Slot: c.slot, Holders: map[string]bool{c.who: true}, Made: e, Parent: parent, Label: label, ID: parts[1]})
		return 201, specgen.Object{"part": parts[1]}
	case c.method == "DELETE" && at >= 0:
		a.things[at].Gone = true
		e.Effect, e.Thing = Removed, a.things[at]
		return 200, specgen.Object{}
	}
	return failure(404, "there is no such part")
}

// living are the objects that there are, parts among them.
func (a *API) living() []*Thing {
	var out []*Thing
	for _, t := range a.things {
		if !t.Gone {
			out = append(out, t)
		}
	}
	return out
}
