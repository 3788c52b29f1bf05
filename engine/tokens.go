package engine

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// A replacement may have the id of what it replaces: the server gives out ids
// again, makes them of contents, or took the new one for the old. The host then
// deletes the original, and would take the replacement with it. So each create
// and import gives its state a token, and the engine remembers, for each object,
// the newest token that it gave or was shown as live. A state with another one
// is of an earlier resource, of which nothing is left to delete.

// tokens are the newest token of each object. It is safe for concurrent use.
type tokens struct {
	mu     sync.Mutex
	newest map[object]holder
	last   int64
}

// holder is who has an object: a state, by its token, of a resource of the host's.
type holder struct{ token, resource string }

// holding is what a holder calls the resource of a call.
func holding(ref Ref) string { return cmp.Or(ref.Key, ref.Name) }

// object is what a delete would take away: two states with an equal object name
// one and the same.
type object struct {
	kind, id string
	// at is the hash of what else the object is found by.
	at [16]byte
}

// next is a token that is greater than all before, also those of other engines
// as far as clocks agree.
func (t *tokens) next() string {
	t.mu.Lock()
	t.last = max(t.last+1, time.Now().UnixNano())
	at := t.last
	t.mu.Unlock()
	var b [12]byte
	binary.BigEndian.PutUint64(b[:8], uint64(at))
	_, _ = rand.Read(b[8:]) // never fails
	return hex.EncodeToString(b[:])
}

// show notes that an object is there, under the token of a resource's state.
func (t *tokens) show(o object, ref Ref, token string) {
	if token == "" || o.id == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.newest == nil {
		t.newest = map[object]holder{}
	}
	before, now := t.newest[o], holder{token, holding(ref)}
	if token < before.token || before == now {
		return
	}
	t.newest[o] = now
	// A clock that went back must not make a new token older than a shown one.
	if at, err := strconv.ParseInt(token[:min(16, len(token))], 16, 64); err == nil {
		t.last = max(t.last, at)
	}
}

// forget notes that an object is gone, if it was that of the token.
func (t *tokens) forget(o object, token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.newest[o].token == token {
		delete(t.newest, o)
	}
}

// superseded reports whether an object is known to be another state's.
func (t *tokens) superseded(o object, token string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	newest, known := t.newest[o]
	return known && newest.token != token
}

// holder is who has an object, as far as the host has shown it.
func (t *tokens) holder(o object) (by holder, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	by, known = t.newest[o]
	return by, known
}

// objectOf is what a state's resource is in the world: its id, and the recorded
// values of what a delete finds it by beside the id. Two things of one id in two
// places (issue 7 of one project, and of another) are not the same.
func objectOf(r *plan.Resource, s State) object {
	o := object{kind: r.Spec.Name, id: currentID(s)}
	if len(r.FoundBy) == 0 {
		return o
	}
	sum := sha256.New()
	for _, name := range r.FoundBy {
		v, given := s.Outputs.GetOk(name)
		if !given {
			v = s.Inputs.Get(name)
		}
		fmt.Fprintf(sum, "%q %s\n", name, value.Canonical(v.WithSecret(false)))
	}
	copy(o.at[:], sum.Sum(nil))
	return o
}

// superseded reports whether a state is that of an earlier resource than the
// object is now of, and says so.
func (e *Engine) superseded(res *plan.Resource, s State, log Log) bool {
	if !e.tokens.superseded(objectOf(res, s), s.Private.Token) {
		return false
	}
	if log != nil {
		text := fmt.Sprintf("nothing is deleted: the %s %q was replaced, and its replacement has the same id", res.Spec.Name, currentID(s))
		log.Message(Info, screen.Show(text, nil))
	}
	return true
}

// keepToken gives what an update leaves the token that its state had. A state of
// an older version of declprov, which has none, gets one.
func (e *Engine) keepToken(res *plan.Resource, ref Ref, before State, out Result) Result {
	if out.State == nil {
		return out
	}
	token := before.Private.Token
	if token == "" {
		token = e.tokens.next()
	}
	out.State.Private.Token = token
	was, is := objectOf(res, before), objectOf(res, *out.State)
	if was != is {
		e.tokens.forget(was, token)
	}
	e.tokens.show(is, ref, token)
	return out
}
