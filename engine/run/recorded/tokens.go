package recorded

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
)

// A replacement may have the id of the object that it replaces: the server reuses ids, derives
// them from contents, or took the new object for the old one. When the host then deletes the
// old one, it would delete the replacement. So each create and import gives its state a token,
// and the engine remembers for each object the newest token that it gave out or saw as live. A
// state with another token belongs to an earlier resource, and there is nothing to delete.

// Tokens holds the newest token of each object. It is safe for concurrent use.
type Tokens struct {
	mu     sync.Mutex
	newest map[Object]Owner
	// declared are the resources of the program that have an object in their state.
	declared map[Object][]Owner
	// deleted are the objects that this process has deleted.
	deleted map[Object]bool
	last    int64
}

// Owner is the owner of an object: the token of its state, and the resource of the host. Managed is
// true if the program of this run has the resource and keeps the object.
type Owner struct {
	token, Resource string
	Managed         bool
}

// OwnerName returns the name of a resource for Owner.Resource.
func OwnerName(ref Ref) string { return cmp.Or(ref.Key, ref.Name) }

// Object identifies an object of the service: two states with equal objects would delete the same
// one.
type Object struct {
	kind, id string
	// at is the hash of the other properties by which a delete finds the object.
	at [16]byte
}

// Next returns a token that is greater than all earlier ones. It is also greater than those of
// other engines, as far as their clocks agree.
func (t *Tokens) Next() string {
	t.mu.Lock()
	t.last = max(t.last+1, time.Now().UnixNano())
	at := t.last
	t.mu.Unlock()
	var b [12]byte
	binary.BigEndian.PutUint64(b[:8], uint64(at))
	_, _ = rand.Read(b[8:]) // never fails
	return hex.EncodeToString(b[:])
}

// Show records that an object exists and belongs to the state of a resource with the token.
func (t *Tokens) Show(o Object, ref Ref, token string) {
	t.show(o, Owner{token, OwnerName(ref), false})
}

// Manage is Show for a resource that the program keeps as it is or changes in place.
func (t *Tokens) Manage(o Object, ref Ref, token string) {
	t.show(o, Owner{token, OwnerName(ref), true})
}

func (t *Tokens) show(o Object, now Owner) {
	token := now.token
	if token == "" || o.id == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.newest == nil {
		t.newest = map[Object]Owner{}
	}
	before := t.newest[o]
	if token < before.token || token == before.token && before.Resource == now.Resource && (before.Managed || !now.Managed) {
		return
	}
	t.newest[o] = now
	// A clock that went back must not make a new token older than a shown one.
	if at, err := strconv.ParseInt(token[:min(16, len(token))], 16, 64); err == nil {
		t.last = max(t.last, at)
	}
}

// Claim records that an object belongs to a resource with the token, if none has it. It returns the
// owner if that is another resource: of two that claim an object at once, one gets it. If the resource
// has the object already, under whatever token, nothing changes.
func (t *Tokens) Claim(o Object, ref Ref, token string) (by Owner, ok bool) {
	if o.id == "" {
		return Owner{}, true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if by, known := t.newest[o]; known {
		return by, by.Resource == OwnerName(ref)
	}
	if token == "" {
		return Owner{}, true // who asks does not keep it
	}
	if t.newest == nil {
		t.newest = map[Object]Owner{}
	}
	t.newest[o] = Owner{token, OwnerName(ref), true}
	return Owner{}, true
}

// Release records that a create with a token has left nothing.
func (t *Tokens) Release(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.newest, func(_ Object, by Owner) bool { return by.token == token })
}

// Forget records that an object of the token is gone. It does nothing if the object has
// another token.
func (t *Tokens) Forget(o Object, token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.newest[o].token == token {
		delete(t.newest, o)
	}
	if of, known := t.declared[o]; known {
		t.declared[o] = slices.DeleteFunc(of, func(by Owner) bool { return by.token == token })
	}
}

// Declare records that the program has a resource with a state that has the object.
func (t *Tokens) Declare(o Object, ref Ref, token string) {
	if token == "" || o.id == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.declared == nil {
		t.declared = map[Object][]Owner{}
	}
	now := Owner{token, OwnerName(ref), true}
	if !slices.Contains(t.declared[o], now) {
		t.declared[o] = append(t.declared[o], now)
	}
}

// Another returns another resource of the program that has an object, besides that of a state with the token.
func (t *Tokens) Another(o Object, ref Ref, token string) (by Owner, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, by := range append(slices.Clone(t.declared[o]), t.newest[o]) {
		if by.Managed && by.token != token && by.Resource != OwnerName(ref) {
			return by, true
		}
	}
	return Owner{}, false
}

// Delete is Forget for an object that the service was told to delete.
func (t *Tokens) Delete(o Object, token string) {
	t.Forget(o, token)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.deleted == nil {
		t.deleted = map[Object]bool{}
	}
	t.deleted[o] = true
}

// Deleted reports whether the service was told to delete an object. A service may do that later.
func (t *Tokens) Deleted(o Object) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.deleted[o]
}

// HasOther reports whether a resource is known to have another object than this one.
func (t *Tokens) HasOther(than Object, ref Ref) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for o, by := range t.newest {
		if o != than && by.Resource == OwnerName(ref) {
			return true
		}
	}
	return false
}

// Superseded reports whether an object is known to belong to another state, and whose that is.
func (t *Tokens) Superseded(o Object, token string) (by Owner, superseded bool) {
	by, known := t.Owner(o)
	return by, known && by.token != token
}

// Owner returns the owner of an object; known is false if none was recorded.
func (t *Tokens) Owner(o Object) (by Owner, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	by, known = t.newest[o]
	return by, known
}

// ObjectOf returns the object of a state: its id, and the recorded values of the other
// properties by which a delete finds it. Equal ids in two places, such as issue 7 of two
// projects, are two objects.
func ObjectOf(r *plan.Resource, s State) Object {
	o := Object{kind: r.Spec.Name, id: CurrentID(s)}
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
