package recorded

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
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

// Tokens holds the owners of each object. It is safe for concurrent use. It lives as long as the
// process, so what it keeps of an object is small, and an object that is gone leaves only its hash.
type Tokens struct {
	mu     sync.Mutex
	owners map[Object]*owners
	// deleted are the objects that this process has deleted.
	deleted map[Object]struct{}
	last    int64
}

// owners are the owners of an object.
type owners struct {
	// newest has the newest token, or is zero.
	newest Owner
	// declared are the other resources of the program that have the object in their state.
	declared []Owner
}

// Owner is the owner of an object: the token of its state, and the resource of the host. Managed is
// true if the program of this run has the resource and keeps the object.
type Owner struct {
	token, Resource string
	Managed         bool
	// declared is true if the program has the resource with a state that has the object.
	declared bool
}

func (o Owner) is(other Owner) bool { return o.token == other.token && o.Resource == other.Resource }

// OwnerName returns the name of a resource for Owner.Resource.
func OwnerName(ref Ref) string { return cmp.Or(ref.Key, ref.Name) }

// Object identifies an object of the service: two states with equal objects would delete the same
// one. It is a hash of the type, the id, and the other properties by which a delete finds the object;
// the zero Object stands for none.
type Object [16]byte

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
	t.show(o, Owner{token: token, Resource: OwnerName(ref)})
}

// Manage is Show for a resource that the program keeps as it is or changes in place.
func (t *Tokens) Manage(o Object, ref Ref, token string) {
	t.show(o, Owner{token: token, Resource: OwnerName(ref), Managed: true})
}

func (t *Tokens) show(o Object, now Owner) {
	if now.token == "" || o == (Object{}) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.of(o)
	switch before := of.newest; {
	case now.is(before):
		of.newest.Managed = before.Managed || now.Managed
		return
	case now.token < before.token:
		return
	case before.declared:
		of.declared = append(of.declared, before)
	}
	now.declared = slices.ContainsFunc(of.declared, now.is)
	of.declared = slices.DeleteFunc(of.declared, now.is)
	of.newest = now
	// A clock that went back must not make a new token older than a shown one.
	if at, err := strconv.ParseInt(now.token[:min(16, len(now.token))], 16, 64); err == nil {
		t.last = max(t.last, at)
	}
}

// of returns the owners of an object, for a caller that adds one.
func (t *Tokens) of(o Object) *owners {
	if t.owners == nil {
		t.owners = map[Object]*owners{}
	}
	if t.owners[o] == nil {
		t.owners[o] = &owners{}
	}
	return t.owners[o]
}

// drop removes owners of an object.
func (t *Tokens) drop(o Object, of *owners, gone func(Owner) bool) {
	if gone(of.newest) {
		of.newest = Owner{}
	}
	of.declared = slices.DeleteFunc(of.declared, gone)
	if of.newest == (Owner{}) && len(of.declared) == 0 {
		delete(t.owners, o)
	}
}

// Claim records that an object belongs to a resource with the token, if none has it. It returns the
// owner if that is another resource: of two that claim an object at once, one gets it. If the resource
// has the object already, under whatever token, nothing changes.
func (t *Tokens) Claim(o Object, ref Ref, token string) (by Owner, ok bool) {
	if o == (Object{}) {
		return Owner{}, true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if by, known := t.owner(o); known {
		return by, by.Resource == OwnerName(ref)
	}
	if token == "" {
		return Owner{}, true // who asks does not keep it
	}
	t.of(o).newest = Owner{token: token, Resource: OwnerName(ref), Managed: true}
	return Owner{}, true
}

// Release records that a create with a token has left nothing.
func (t *Tokens) Release(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for o, of := range t.owners {
		if of.newest.token == token {
			t.drop(o, of, func(by Owner) bool { return by.token == token })
		}
	}
}

// Forget records that an object of the token is gone. It does nothing if the object has
// another token.
func (t *Tokens) Forget(o Object, token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.owners[o]; of != nil {
		t.drop(o, of, func(by Owner) bool { return by.token == token })
	}
}

// Declare records that the program has a resource with a state that has the object.
func (t *Tokens) Declare(o Object, ref Ref, token string) {
	if token == "" || o == (Object{}) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	of, now := t.of(o), Owner{token: token, Resource: OwnerName(ref), declared: true}
	switch {
	case now.is(of.newest):
		of.newest.declared = true
	case !slices.ContainsFunc(of.declared, now.is):
		of.declared = append(of.declared, now)
	}
}

// Another returns another resource of the program that has an object, besides that of a state with the token.
func (t *Tokens) Another(o Object, ref Ref, token string) (by Owner, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.owners[o]
	if of == nil {
		return Owner{}, false
	}
	for _, by := range append(slices.Clone(of.declared), of.newest) {
		if (by.Managed || by.declared) && by.token != token && by.Resource != OwnerName(ref) {
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
		t.deleted = map[Object]struct{}{}
	}
	t.deleted[o] = struct{}{}
}

// Deleted reports whether the service was told to delete an object. A service may do that later.
func (t *Tokens) Deleted(o Object) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, deleted := t.deleted[o]
	return deleted
}

// HasOther reports whether a resource is known to have another object than this one.
func (t *Tokens) HasOther(than Object, ref Ref) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for o, of := range t.owners {
		if o != than && of.newest.Resource == OwnerName(ref) {
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
	return t.owner(o)
}

func (t *Tokens) owner(o Object) (by Owner, known bool) {
	if of := t.owners[o]; of != nil {
		by = of.newest
	}
	return by, by != Owner{}
}

// ObjectOf returns the object of a state: its id, and the recorded values of the other
// properties by which a delete finds it. Equal ids in two places, such as issue 7 of two
// projects, are two objects. It is the zero Object for a state without an id.
func ObjectOf(r *plan.Resource, s State) (o Object) {
	id := CurrentID(s)
	if id == "" {
		return o
	}
	text := fmt.Appendf(make([]byte, 0, 128), "%q %q\n", r.Spec.Name, id)
	for _, name := range r.FoundBy {
		v, given := s.Outputs.GetOk(name)
		if !given {
			v = s.Inputs.Get(name)
		}
		text = fmt.Appendf(text, "%q %s\n", name, value.Canonical(v.WithSecret(false)))
	}
	sum := sha256.Sum256(text)
	copy(o[:], sum[:])
	return o
}
