package component

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// mostParallel bounds the registrations of one component that are under way,
// whatever the host allows: each is a call that waits.
const mostParallel = 64

// errNeeded says that a child was not made because one that it needs was not.
var errNeeded = errors.New("what it needs could not be made")

// children registers all children, each as soon as those that it needs are
// there. When one fails, those that do not need it are made all the same.
func (b *build) children(ctx context.Context) error {
	b.slots = make(chan struct{}, min(max(b.req.Parallel, 1), mostParallel))
	done := map[string]chan struct{}{}
	failed := make([]error, len(b.req.Component.Children))
	index := map[string]int{}
	for i, ch := range b.req.Component.Children {
		done[ch.Key], index[ch.Key] = make(chan struct{}), i
	}
	var all sync.WaitGroup
	for i, ch := range b.req.Component.Children {
		all.Go(func() {
			defer close(done[ch.Key])
			for _, key := range ch.Needs {
				<-done[key]
				if failed[index[key]] != nil {
					failed[i] = errNeeded
					return
				}
			}
			if err := b.child(ctx, ch); err != nil {
				failed[i] = fmt.Errorf("child %q: %w", ch.Key, err)
			}
		})
	}
	all.Wait()
	return errors.Join(slices.DeleteFunc(failed, func(err error) bool { return errors.Is(err, errNeeded) })...)
}

// element is one of those that a child is made for.
type element struct {
	key, value any
}

// values are the element's as `each`.
func (el *element) values() map[string]any { return map[string]any{"key": el.key, "value": el.value} }

// child makes one child, or one for each element.
func (b *build) child(ctx context.Context, ch *plan.Child) error {
	if ch.ForEach == nil {
		one, err := b.instance(ctx, ch, nil)
		b.put(ch, &made{one: one})
		return err
	}
	over, err := b.eval(ch.ForEach, nil)
	if err != nil {
		return err
	}
	elements, listed, err := elementsOf(over, ch.Keyed)
	if errors.Is(err, scope.ErrNotKnown) && b.req.Preview {
		b.tellUnknown(ch, "how many there will be")
		b.put(ch, &made{unknown: true})
		return nil
	}
	if err != nil {
		return fmt.Errorf("forEach: %w", err)
	}
	out := &made{listed: listed, each: make([]*instance, len(elements)), keys: make([]string, len(elements))}
	failed := make([]error, len(elements))
	var all sync.WaitGroup
	for i, el := range elements {
		out.keys[i], _ = value.Text(el.key) // a list's index, or a map's key
		all.Go(func() {
			one, err := b.instance(ctx, ch, &el)
			if err != nil {
				failed[i] = fmt.Errorf("%s: %w", out.keys[i], err)
			}
			out.each[i] = one
		})
	}
	all.Wait()
	b.put(ch, out)
	return errors.Join(failed...)
}

// elementsOf are what a child is made for, in order; listed tells a list from a
// map, whose keys are sorted. Null is an empty one, a map where keyed says so.
func elementsOf(over any, keyed bool) (elements []element, listed bool, err error) {
	var secret bool
	if s, ok := over.(expr.Secret); ok {
		over, secret = s.Value, true
	}
	hidden := func(v any) any {
		if secret {
			return expr.Secret{Value: v}
		}
		return v
	}
	switch over := over.(type) {
	case nil:
		return nil, !keyed, nil
	case expr.Unknown:
		return nil, false, scope.ErrNotKnown
	case []any:
		for i, v := range over {
			elements = append(elements, element{key: int64(i), value: hidden(v)})
		}
		return elements, true, nil
	case map[string]any:
		if secret {
			return nil, false, errors.New("it goes over a map that is secret, and its keys would become names that everybody sees")
		}
		for _, name := range slices.Sorted(maps.Keys(over)) {
			elements = append(elements, element{key: name, value: over[name]})
		}
		return elements, false, nil
	default:
		return nil, false, fmt.Errorf("it yields %s, and a list or a map is wanted", actions.KindOf(over))
	}
}

// tellUnknown says in a preview that children are left out of it.
func (b *build) tellUnknown(ch *plan.Child, what string) {
	if b.req.Warn == nil {
		return
	}
	text := fmt.Sprintf("child %q is not in this preview: %s is not known until what it depends on is made", ch.Key, what)
	b.req.Warn(screen.Show(text, b.mask()))
}

// instance makes one resource of a child; nil where its `if` is false.
func (b *build) instance(ctx context.Context, ch *plan.Child, el *element) (*instance, error) {
	if ch.When != nil {
		out, err := b.eval(ch.When, el)
		if err != nil {
			return nil, fmt.Errorf("if: %w", err)
		}
		switch v := expr.Reveal(out, nil).(type) {
		case bool:
			if !v {
				return nil, nil
			}
		case expr.Unknown:
			if !b.req.Preview {
				return nil, fmt.Errorf("if: %w", scope.ErrNotKnown)
			}
			b.tellUnknown(ch, "whether it will be there")
			return &instance{unknown: true}, nil
		default:
			return nil, fmt.Errorf("if: it yields %s, and true or false is wanted", actions.KindOf(v))
		}
	}
	r, err := b.registration(ch, el)
	if err != nil {
		return nil, err
	}
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, scope.Cause(ctx)
	}
	got, err := b.req.Registrar.Register(ctx, r)
	if err != nil {
		return nil, err
	}
	return b.instanceOf(ch, got), nil
}

// instanceOf is a registered child as others see it.
func (b *build) instanceOf(ch *plan.Child, got Registered) *instance {
	values := map[string]property.Value{"urn": property.New(string(got.URN))}
	for name, v := range got.Outputs.All {
		if !strings.HasPrefix(name, "__") {
			values[name] = v // else it is its provider's own
		}
	}
	if !ch.Component {
		values["id"] = property.New(property.Computed)
		if got.ID != "" {
			values["id"] = property.New(got.ID)
		}
	}
	for _, name := range ch.Awaited(got.Unknown, b.req.Preview) {
		if _, ok := values[name]; !ok {
			values[name] = property.New(property.Computed)
		}
	}
	return &instance{urn: got.URN, outputs: property.NewMap(values)}
}
